#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs a command in a User-Mode Linux guest, whose root file system is the host's own, writable: the guest's /dev,
# /proc, /sys, /run and /tmp are private, all else is real.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

usage() {
	cat >&2 <<USAGE
usage: ${0##*/} [OPTION]... -- COMMAND...
  --debug          the kernel with sanitizers and lock checks (KMEMLEAK=1 in the environment: look for leaks, too)
  --time-travel    virtual time: computation costs none, waiting takes none
  --memory SIZE    memory of the guest (1G; --debug 2G)
  --timeout SEC    kill the guest after so many seconds of real time (600)
  --module KO      insmod it first; repeatable
  --append ARGS    add to the kernel command line; repeatable
  --out DIR        directory for results; the guest's kernel log is DIR/dmesg.txt; \$SSDCACHE_OUT in the guest
Exit status: the command's; 99 kernel error reports, 98 the guest died, 124 timeout.
USAGE
	exit 2
}

debug=() memory='' timeout=600 out='' append=()
while [ $# -gt 0 ]; do
	case $1 in
	--debug) debug=(--debug) ;;
	--time-travel) append+=(time-travel=inf-cpu) ;;
	--memory | --timeout | --module | --append | --out)
		[ $# -ge 2 ] || usage
		case $1 in
		--memory) memory=$2 ;;
		--timeout) timeout=$2 ;;
		--module) modules+=("$2") ;;
		--append) append+=("$2") ;;
		--out) out=$2 ;;
		esac
		shift
		;;
	--)
		shift
		break
		;;
	*) usage ;;
	esac
	shift
done
[ $# -gt 0 ] || usage
[ -n "$memory" ] || memory=$([ ${#debug[@]} -eq 0 ] && echo 1G || echo 2G)

need mount mount
need modinfo kmod
uml=$("$SSDCACHE_SCRIPTS/kernel.sh" uml "${debug[@]}")
guest_prepare uml "$@"
log=$out/dmesg.txt
: >"$log"

keep=
for dir in "$cwd" "$out" "$SSDCACHE_TREE" "$SSDCACHE_CACHE"; do
	case $dir in
	/tmp/* | /run/* | /dev/shm/*) keep+=:$dir ;;
	esac
done

# The guest's memory is a file, by default in /dev/shm. In containers that is often tiny and not executable.
memory_dir() {
	local free

	free=$(df --output=avail -B1 /dev/shm | tail -n 1)
	if [ "$free" -lt "$(numfmt --from=iec "$memory")" ] || grep -q '^[^ ]* /dev/shm .*noexec' /proc/mounts; then
		echo "$SSDCACHE_CACHE/run"
	else
		echo /dev/shm
	fi
}

# The guest's kernel and its processes take turns, several times for each system call. On one CPU that is several times
# as fast as on two, which would have to wake each other. Sets $pin, to a CPU with as few other guests as can be had.
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
	# One of these is free, unless another guest has just taken it: then nobody counts this one.
	for slot in 0 1 2 3; do
		exec {fd}>"$SSDCACHE_CACHE/.lock-cpu-$best-$slot"
		! flock -n "$fd" || return 0
		exec {fd}>&-
	done
}

# shellcheck disable=SC2317 # called by guest_run
start_uml() {
	# The kernel log and the two outputs go to plain files: those never block, so that they cost no virtual time.
	exec 3>>"$log" 4>>"$job/stdout" 5>>"$job/stderr"
	ulimit -c 0
	# shellcheck disable=SC2068 # the arguments may hold several words
	TMPDIR=$tmp exec "${pin[@]}" "$uml/linux" mem="$memory" root=root rootfstype=hostfs rootflags=/ rw init="$SSDCACHE_SCRIPTS/uml/init" \
		con=null con0=null,fd:3 con1=null,fd:4 con2=null,fd:5 ssl=null loglevel=8 panic=-1 \
		uml_dir="$SSDCACHE_CACHE/run/uml/" null_blk.nr_devices=0 \
		JOB="$job" UML="$uml" KEEP="${keep#:}" ${KMEMLEAK:+KMEMLEAK=1} ${append[@]}
}
mkdir -p "$SSDCACHE_CACHE/run/uml"
tmp=$(memory_dir)
claim_cpu
guest_run "$timeout" start_uml
if [ -s "$job/kmemleak" ]; then
	cp "$job/kmemleak" "$out/kmemleak.txt"
	head -n 60 "$job/kmemleak" >&2
fi
guest_finish "$log"
