# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Helpers shared by the scripts of the test lab. Source it; it does not run by itself.
#
# Messages go to stderr, because stdout of several scripts is a result (a directory, the output of a guest).

set -euo pipefail
shopt -s inherit_errexit

say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

die() {
	say "$*"
	exit 1
}

SSDCACHE_SCRIPTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
SSDCACHE_TREE=$(cd "$SSDCACHE_SCRIPTS/../.." && pwd -P)
SSDCACHE_CACHE=${SSDCACHE_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/dm-ssdcache}
export SSDCACHE_CACHE

# kbuild and the kernel command line both split at white space.
case $SSDCACHE_CACHE$SSDCACHE_TREE in
*[[:space:]]*) die "no white space allowed in the path of the tree or of the cache: set SSDCACHE_CACHE or move the tree" ;;
esac
mkdir -p "$SSDCACHE_CACHE/log" || die "cannot write to $SSDCACHE_CACHE: set SSDCACHE_CACHE to a writable directory"

# need COMMAND PACKAGE: one clear line if a tool is missing.
need() {
	[ -n "$(type -P "$1")" ] || die "$1 is missing: install the package $2 (scripts/lab/deps.sh installs all that is needed)"
}

# as_root COMMAND...: directly or through sudo.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif [ -n "$(type -P sudo)" ]; then
		sudo -- "$@"
	else
		die "root is needed to run '$*': run this as root or install sudo"
	fi
}

# start_group COMMAND...: in the background, in a process group of its own: nothing of it outlives an interrupted script.
groups=()
start_group() {
	trap stop_groups INT TERM
	set -m
	"$@" &
	groups+=($!)
	set +m
}

stop_groups() {
	trap - INT TERM
	kill -TERM -- "${groups[@]/#/-}" 2>&- || :
	die "interrupted"
}

step_pid=
step_stop() {
	trap - INT TERM
	# A step runs in a process group of its own, so that a whole "make -j" dies with us.
	[ -z "$step_pid" ] || kill -TERM -- "-$step_pid"
	die "interrupted"
}

# try_step TEXT COMMAND...: run a long command; its output goes to a log file, a heartbeat to stderr. Returns its status.
# Behind "if" or "||", where bash does not stop a function at its first failure, COMMAND must not be a function.
try_step() {
	local text=$1 log start now next=20 rc=0

	shift
	log=$(mktemp "$SSDCACHE_CACHE/log/$(date +%Y%m%d-%H%M%S)-$(printf %s "${text,,}" | tr -cs a-z0-9. -).XXXX")
	start=$SECONDS
	trap step_stop INT TERM
	set -m
	("$@") >"$log" 2>&1 </dev/null &
	step_pid=$!
	set +m
	while kill -0 "$step_pid" 2>&-; do
		now=$((SECONDS - start))
		if [ -t 2 ]; then
			printf '\r%s: %s ... %d s ' "${0##*/}" "$text" "$now" >&2
		elif [ "$now" -ge "$next" ]; then
			say "$text ... $now s"
			next=$((now + 20))
		fi
		sleep 0.2
	done
	# The status of the list would be lost in an "if"; a failing "wait" must not end the script.
	wait "$step_pid" || rc=$?
	step_pid=
	trap - INT TERM
	now=$((SECONDS - start))
	[ ! -t 2 ] || printf '\r\033[K' >&2
	if [ "$rc" -ne 0 ]; then
		tail -n 20 "$log" >&2
		say "$text: failed after $now s; the whole log: $log"
		return "$rc"
	fi
	say "$text: done in $now s"
}

# [hint=TEXT] step TEXT COMMAND...: the same, but a failure ends the script, with the hint what to do about it.
# The trap makes that so without a condition around the command, which may thus be a function.
step() {
	local hint=${hint:-see the lines above}

	trap 'trap - ERR; die "$hint"' ERR
	try_step "$@"
	trap - ERR
}

# What slow checks have passed is kept in the cache, so that they look only at what is new. CHECK is one line: the tool, its
# version and options, and what it looked at, with contents_of FILE....
contents_of() {
	sha256sum -- "$@" | sha256sum | cut -d' ' -f1
}

has_passed() { # has_passed CHECK
	grep -qsFx -- "$1" "$SSDCACHE_CACHE/passed"
}

set_passed() { # set_passed CHECK
	has_passed "$1" || printf '%s\n' "$1" >>"$SSDCACHE_CACHE/passed"
}

# lock NAME: wait until no other script holds NAME; held until "unlock NAME" or exit.
declare -A lock_fds
lock() {
	local fd

	need flock util-linux
	exec {fd}>"$SSDCACHE_CACHE/.lock-$1"
	lock_fds[$1]=$fd
	if ! flock -w 2 "$fd"; then
		say "waiting for another script to finish with '$1'"
		flock "$fd"
	fi
}

unlock() {
	local fd=${lock_fds[$1]}

	exec {fd}>&-
}

# True if there are package lists, less than a day old and younger than the apt sources.
apt_lists_fresh() {
	local dir=/var/lib/apt/lists stamp

	[ -n "$(find "$dir" -maxdepth 1 -name '*_Packages*' -print -quit)" ] || return 1
	# Of these two, "apt-get update" touches one or the other, depending on whether the archive has something new.
	stamp=$dir
	[ ! "$dir/partial" -nt "$dir" ] || stamp=$dir/partial
	[ -n "$(find "$stamp" -maxdepth 0 -mtime -1)" ] &&
		[ -z "$(find /etc/apt -name '*sources*' -newer "$stamp" -print -quit)" ]
}

apt_update() {
	need apt-get apt
	hint="apt-get update failed: check the network and the apt sources" \
		step "update of the package lists" as_root apt-get -q update
}

# The lists, less than a day old. Of two updates at a time, the second would fail.
apt_lists() {
	lock apt
	apt_lists_fresh || apt_update
	unlock apt
}

# What follows runs a command in a guest (vm.sh, uml.sh). The exit status is the command's own, or:
#   99   the guest's kernel panicked or reported an error, whatever the command returned
#   98   the guest ended before the command did
#   124  the guest had to be killed after --timeout seconds
guest_cleanup() {
	trap - INT TERM
	if [ -n "${guest_pid-}" ] && kill -0 "$guest_pid" 2>&-; then
		kill -KILL -- "-$guest_pid"
	fi
	rm -rf "$job"
}

# guest_prepare KIND COMMAND...: makes $out (results, writable for the guest) and $job (files of this run) from what
# the options set: $out (may be empty), $modules.
modules=()
guest_prepare() {
	local kind=$1 file given=/

	shift
	for file in "${modules[@]}"; do
		[ -r "$file" ] || die "no module $file: build it first"
	done
	own_out=
	if [ -z "$out" ]; then
		mkdir -p "$SSDCACHE_CACHE/run"
		find "$SSDCACHE_CACHE/run" -mindepth 1 -maxdepth 1 ! -name uml -mtime +0 -exec rm -rf {} +
		out=$(mktemp -d "$SSDCACHE_CACHE/run/$kind.XXXXXX")
		own_out=1
	fi
	mkdir -p "$out"
	out=$(cd "$out" && pwd -P)
	cwd=$(pwd -P)
	case $out$cwd in
	*[[:space:]]*) die "no white space allowed in the paths of --out and of the current directory" ;;
	esac
	job=$(mktemp -d "$out/.$kind.XXXXXX")
	trap guest_cleanup EXIT
	trap 'exit 130' INT TERM
	: >"$job/stdout"
	: >"$job/stderr"
	{
		# The caller's environment first: PATH and a few more then get what fits the guest.
		export -p
		cat <<-'SETUP'
			set -euo pipefail
			PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
			unset TMPDIR
			# Without udev, dmsetup would wait for it, or leave the device nodes to it.
			[ -S /run/udev/control ] || export DM_DISABLE_UDEV=1
		SETUP
		printf 'export SSDCACHE_OUT=%q\ncd %q\n' "$out" "$cwd"
		# Modules are copied, since the guest may have something else mounted where they are.
		for file in "${modules[@]}"; do
			# A module may depend on an earlier one, which modprobe does not know.
			modinfo -F depends "$file" | tr ',-' '\n_' | { grep -vxF "$given" || :; } | sed -n 's/..*/modprobe &/p'
			given+=$'\n'$(basename "$file" .ko | tr - _)
			cp "$file" "$job"
			printf 'insmod %q\n' "$job/${file##*/}"
		done
		printf 'exec'
		printf ' %q' "$@"
		echo
	} >"$job/command"
}

# guest_run TIMEOUT COMMAND...: starts the guest with COMMAND, passes on what it prints, until it ends; sets $timed_out.
guest_run() {
	local limit=$1 status=0 tails=()

	shift
	timed_out=
	set -m
	"$@" </dev/null >"$job/log" 2>&1 &
	guest_pid=$!
	set +m
	# How the guest ended is told by its log; the shell's own line about a killed job would only confuse.
	disown "$guest_pid"
	tail -n +1 -s 0.1 -f --pid="$guest_pid" "$job/stdout" &
	tails+=($!)
	tail -n +1 -s 0.1 -f --pid="$guest_pid" "$job/stderr" >&2 &
	tails+=($!)
	# This waits without starting a process for each look.
	timeout "$limit" tail -s 0.1 -f --pid="$guest_pid" /dev/null &
	wait $! || status=$?
	if [ "$status" != 0 ]; then
		timed_out=1
		kill -KILL -- "-$guest_pid" 2>&- || :
	fi
	wait "${tails[@]}"
}

# guest_started LOG: true if the guest got as far as the command
guest_started() {
	grep -aqF 'ssdcache: command starts' "$1"
}

# guest_reports LOG: true if the kernel reported errors after the command started; they go to $job/reports. Not among
# them: a lockup, which a busy host can feign, and which shows as a timeout if it is real; what fault injection says of
# its own doings.
guest_reports() {
	sed '1,/ssdcache: command starts/d' "$1" | tr -d '\r' >"$job/after"
	grep -aE 'BUG:|WARNING: |Oops|Kernel panic|general protection fault|KASAN|UBSAN|ODEBUG:|INFO: task |new suspected memory leaks|possible circular locking|inconsistent lock state|possible recursive locking|bad unlock balance|held lock freed|list_(add|del) corruption' \
		"$job/after" | grep -avE 'BUG: (soft|workqueue) lockup' >"$job/reports"
}

# guest_finish LOG: exits with the status of the run.
guest_finish() {
	local log=$1 status

	if guest_reports "$log"; then
		# The first report tells the cause, with the lines after it.
		grep -aF -A 50 -m 1 -- "$(head -n 1 "$job/reports")" "$job/after" >&2
		say "all the reports of the guest's kernel:"
		head -n 40 "$job/reports" >&2
		[ -z "$timed_out" ] || say "the guest did not end after that, and was killed"
		say "the guest's kernel reported errors; its log: $log"
		exit 99
	fi
	if [ -n "$timed_out" ]; then
		tail -n 20 "$log" >&2
		say "the guest did not end in time and was killed; its kernel log: $log"
		exit 124
	fi
	if [ ! -s "$job/status" ]; then
		tail -n 20 "$job/log" >&2
		# What leads to a panic stands before it; after it comes a long stack trace.
		grep -aF -m 1 -B 20 'Kernel panic' "$log" >&2 || tail -n 20 "$log" >&2
		say "the guest ended before the command did; its kernel log: $log"
		exit 98
	fi
	status=$(<"$job/status")
	if [ "$status" -ne 0 ]; then
		say "the command ended with status $status; the guest's kernel log: $log"
	elif [ -n "$own_out" ]; then
		rm -rf "$out"
	fi
	exit "$status"
}
