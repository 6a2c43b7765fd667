# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the launchers of guests (uml.sh, vm.sh) share, to be sourced after lib.sh: options, the files of a run, watching the
# guest, its result.
#
# A launcher calls, in this order, launcher_options, guest_prepare, guest_run and guest_finish.

# usage_common: the part of the usage text that the launchers share
usage_common() {
	# shellcheck disable=SC2154 # set by the launcher
	cat <<USAGE
  --memory SIZE    memory of the guest ($memory_text)
  --timeout SEC    kill the guest after this much real time ($timeout)
  --module KO      insmod KO first, after the modules it depends on; repeatable
  --append ARGS    add to the kernel command line; repeatable
  --out DIR        directory for results, \$SSDCACHE_OUT in the guest; the guest's kernel log is DIR/$log_name,
                   the errors found in it are in DIR/reports.txt, the process group of the guest is in DIR/pid
Exit status: that of COMMAND, or
   99  the guest's kernel panicked or reported an error, whatever COMMAND returned
   98  the guest ended before COMMAND did
  124  the guest was killed after --timeout seconds
USAGE
	exit
}

# need_number OPTION VALUE MAX, need_size OPTION VALUE: end the launcher with one line if VALUE is neither a number from 1 to MAX nor a size
need_number() {
	if [[ ! $2 =~ ^[1-9][0-9]{0,5}$ || $2 -gt $3 ]]; then
		say "$1: '$2' is no number from 1 to $3"
		exit 2
	fi
}

need_size() {
	if [[ ! $2 =~ ^[1-9][0-9]{0,5}[MG]$ ]]; then
		say "$1: '$2' is no size such as 512M or 2G"
		exit 2
	fi
}

# launcher_options "$@": sets the variables below, and $command to what follows "--". The launcher's function own_option
# handles its own options: it sets $taken to the number of words it used, or fails.
# shellcheck disable=SC2034 # some are for the launcher
memory='' timeout=600 out='' append=() modules=() command=()
# shellcheck disable=SC2034
launcher_options() {
	local taken

	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		case $1 in
		--memory | --timeout | --module | --append | --out)
			need_value "$@"
			case $1 in
			--memory)
				need_size --memory "$2"
				memory=$2
				;;
			--timeout)
				need_number --timeout "$2" 999999
				timeout=$2
				;;
			--module) modules+=("$2") ;;
			--append) append+=("$2") ;;
			--out) out=$2 ;;
			esac
			taken=2
			;;
		--help) usage ;;
		*)
			taken=1
			own_option "$@" || wrong "'$1': no such option"
			;;
		esac
		shift "$taken"
	done
	[ $# -gt 1 ] || wrong "no command: expected '--' and a command at the end"
	command=("${@:2}")
}

# guest_cleanup: ends the guest, and what watches it
guest_cleanup() {
	trap '' HUP INT TERM
	# An interrupt may come before guest_run has noted the guest.
	[ -z "${guest_pid:=${!-}}" ] || kill -KILL -- "-$guest_pid" 2>&- || :
	# Until the first process of the system has noticed that the guest is dead, they would wait for it.
	[ ${#watchers[@]} -eq 0 ] || kill "${watchers[@]}" 2>&- || :
	rm -rf "$job" "${guest_files[@]}"
	if [ -n "$interrupted" ] && [ -n "$own_out" ]; then
		rm -rf "$out"
	fi
}

# guest_prepare KIND COMMAND...: makes $out, which the guest can write to, $job, the directory of this run's files, and
# $log, the guest's kernel log. $own_out is set if $out is temporary. $guest_files is for what the launcher makes elsewhere.
interrupted='' guest_pid='' watchers=() guest_files=()
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
	# shellcheck disable=SC2154 # set by the launcher
	log=$out/$log_name
	job=$(mktemp -d "$out/.$kind.XXXXXX")
	trap guest_cleanup EXIT
	trap 'interrupted=1; say interrupted; exit 130' HUP INT TERM
	: >"$job/stdout"
	: >"$job/stderr"
	{
		# The caller's environment first: the lines after it adapt PATH and a few more variables to the guest.
		export -p
		cat <<-'SETUP'
			set -euo pipefail
			PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
			unset TMPDIR
			# Without udev, dmsetup would wait for it, or leave the device nodes to it.
			[ -S /run/udev/control ] || export DM_DISABLE_UDEV=1
		SETUP
		printf 'export SSDCACHE_OUT=%q\ncd %q\n' "$out" "$cwd"
		# Modules are copied: the guest may have mounted something over their directory.
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

# guest_run COMMAND...: runs COMMAND, which is the guest, and passes on the guest's output until it ends. Sets $timed_out.
guest_run() {
	local status=0

	timed_out='' guest_pid='' watchers=()
	set -m
	"$@" </dev/null >"$job/log" 2>&1 &
	guest_pid=$!
	set +m
	echo "$guest_pid" >"$out/pid"
	# The guest's log says how it ended; the shell's own line about a killed job would only confuse.
	disown "$guest_pid"
	tail -n +1 -s 0.1 -f --pid="$guest_pid" "$job/stdout" &
	watchers+=($!)
	tail -n +1 -s 0.1 -f --pid="$guest_pid" "$job/stderr" >&2 &
	watchers+=($!)
	# This waits without starting a process for each look.
	timeout "$timeout" tail -s 0.1 -f --pid="$guest_pid" /dev/null &
	watchers+=($!)
	wait $! || status=$?
	if [ "$status" != 0 ]; then
		timed_out=1
		kill -KILL -- "-$guest_pid" 2>&- || :
	fi
	wait "${watchers[@]}" || :
}

# guest_started: true if the guest got as far as starting the command
guest_started() {
	grep -aqF 'ssdcache: command starts' "$log"
}

# guest_reports: true if the kernel reported errors after the command started; they go to $job/reports. A guest may boot
# again. Lockups do not count: a busy host can cause a false one, and a real one ends in a timeout.
guest_reports() {
	sed '1,/ssdcache: command starts/d; /Linux version [0-9]/,/ssdcache: command starts/d' "$log" | tr -d '\r' >"$job/after"
	# "[#1]" counts what killed a task in the kernel; before Linux 6.10, the line of a BUG() or a division by zero has no "Oops".
	grep -aE 'BUG:|kernel BUG at |BUG [^ ]+ \(|WARNING: |Oops|: [0-9a-f]{4} \[#[0-9]+\]|Kernel panic|general protection fault|KASAN|UBSAN|ODEBUG:|INFO: task |INFO: trying to register non-static key|cannot create duplicate filename|new suspected memory leaks|possible circular locking|inconsistent lock state|possible recursive locking|bad unlock balance|held lock freed|list_(add|del) corruption' \
		"$job/after" | grep -avE 'BUG: (soft|workqueue) lockup' >"$job/reports"
}

# guest_finish: ends the script with the exit status of the run
guest_finish() {
	local status

	if guest_reports; then
		# The first report tells the cause: show it with the lines after it.
		grep -aF -A 50 -m 1 -- "$(head -n 1 "$job/reports")" "$job/after" >&2
		say "all reports of the guest's kernel:"
		head -n 40 "$job/reports" >&2
		cp "$job/reports" "$out/reports.txt"
		[ -z "$timed_out" ] || say "the guest did not end after that and was killed"
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
		# The cause of a panic is printed before it; a long stack trace follows it.
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
