#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs a command in a User-Mode Linux guest. Its root file system is the host's own, writable; /dev, /proc, /sys, /run and
# /tmp are private to the guest.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=launcher.sh
. "$SSDCACHE_LAB/launcher.sh"

memory_text='1G; --debug 2G' log_name=dmesg.txt

usage() {
	cat <<USAGE
usage: ${0##*/} [OPTION]... -- COMMAND...
  --debug          the kernel with sanitizers and lock checks (KMEMLEAK=1 in the environment: look for leaks, too)
  --net            the kernel with sockets, for applications
  --time-travel    virtual time: computing and waiting take no real time
USAGE
	usage_common
}

variant=()
# shellcheck disable=SC2317 # called by launcher_options
own_option() {
	case $1 in
	--debug | --net) variant=("$1") ;;
	--time-travel) append+=(time-travel=inf-cpu) ;;
	*) return 1 ;;
	esac
}

launcher_options "$@"
[ -n "$memory" ] || memory=$([ "${variant[*]}" != --debug ] && echo 1G || echo 2G)

need mount mount
need modinfo kmod
uml=$("$SSDCACHE_LAB/kernel.sh" uml "${variant[@]}")
guest_prepare uml "${command[@]}"
: >"$log"

# The guest's own /tmp, /run and /dev would hide these.
keep=
for dir in "$cwd" "$out" "$SSDCACHE_TREE" "$SSDCACHE_CACHE"; do
	case $dir in
	/tmp/* | /run/* | /dev/shm/*) keep+=:$dir ;;
	esac
done

# memory_dir: where the file with the guest's memory goes. /dev/shm, the default, is often small and not executable in
# containers.
memory_dir() {
	local free

	free=$(df --output=avail -B1 /dev/shm | tail -n 1)
	if [ "$free" -lt "$(numfmt --from=iec "$memory")" ] || grep -q '^[^ ]* /dev/shm .*noexec' /proc/mounts; then
		echo "$SSDCACHE_CACHE/run"
	else
		echo /dev/shm
	fi
}

# claim_cpu: sets $pin, which holds the guest on the CPU with the fewest other guests. The guest's kernel and its processes
# take turns, several times for each system call; on two CPUs they would have to wake each other, which takes several times
# as long.
pin=()
claim_cpu() {
	local ranges range cpu cpus=() slot others least=4 best="" fd

	need taskset util-linux
	IFS=, read -ra ranges < <(sed -n 's/^Cpus_allowed_list:[ \t]*//p' /proc/self/status)
	for range in "${ranges[@]}"; do
		for ((cpu = ${range%-*}; cpu <= ${range#*-}; cpu++)); do
			cpus+=("$cpu")
		done
	done
	for cpu in "${cpus[@]}"; do
		others=0
		for slot in 0 1 2 3; do
			flock -n "$SSDCACHE_CACHE/.lock-cpu-$cpu-$slot" true || others=$((others + 1))
		done
		[ "$others" -ge "$least" ] || { least=$others best=$cpu; }
	done
	[ -n "$best" ] || return 0
	pin=(taskset -c "$best")
	# If another guest has just taken the free slot, this guest is not counted.
	for slot in 0 1 2 3; do
		exec {fd}>"$SSDCACHE_CACHE/.lock-cpu-$best-$slot"
		! flock -n "$fd" || return 0
		exec {fd}>&-
	done
}

# shellcheck disable=SC2317 # called by guest_run
start_uml() {
	# The kernel log and both outputs go to plain files, which never block and so cost no virtual time.
	exec 3>>"$log" 4>>"$job/stdout" 5>>"$job/stderr"
	ulimit -c 0
	# shellcheck disable=SC2068 # the arguments may hold several words
	TMPDIR=$tmp exec "${pin[@]}" "$uml/linux" mem="$memory" root=root rootfstype=hostfs rootflags=/ rw init="$SSDCACHE_LAB/uml/init" \
		con=null con0=null,fd:3 con1=null,fd:4 con2=null,fd:5 ssl=null loglevel=8 panic=-1 \
		uml_dir="$SSDCACHE_CACHE/run/uml/" umid="$umid" null_blk.nr_devices=0 \
		JOB="$job" UML="$uml" KEEP="${keep#:}" ${KMEMLEAK:+KMEMLEAK=1} ${append[@]}
}
mkdir -p "$SSDCACHE_CACHE/run/uml"
# A guest that is killed leaves its folder of that name.
umid=${job##*.}
# shellcheck disable=SC2034 # for guest_cleanup
guest_files=("$SSDCACHE_CACHE/run/uml/$umid")
tmp=$(memory_dir)
claim_cpu
guest_run start_uml
if [ -s "$job/kmemleak" ]; then
	cp "$job/kmemleak" "$out/kmemleak.txt"
	head -n 60 "$job/kmemleak" >&2
fi
guest_finish
