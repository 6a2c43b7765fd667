#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A script of the lab, or tests/run.sh, that is interrupted says so, fails, and leaves neither a guest, nor a build, nor files behind. A
# process that sleeps stands in for the guest or the build. Prints a line for each case that went wrong.

set -u
tree=$(realpath "$(dirname "$0")/../../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
export WORK=$work SSDCACHE_CACHE=$work/cache TMPDIR=$work/tmp
mkdir -p "$work/tmp" "$work/bin" "$work/copy/scripts/lab" "$work/kernel/dm-ssdcache"
mkfifo "$work/begun"
(cd "$tree" && cp scripts/lab/{lib,tap,launcher,kunit,virtual-time}.sh "$work/copy/scripts/lab/")
mkdir -p "$work/copy/kunit/case" "$work/copy/build/kernel/kunit"
touch "$work/copy/kunit/case/case_kunit.c"
mkdir -p "$work/copy/tests/suite"
cp "$tree/tests/run.sh" "$work/copy/tests/"
printf '# lane: uml\n' >"$work/copy/tests/suite/name.sh"
lab=$work/copy/scripts/lab
# make itself has a child that sleeps.
cat >"$work/bin/make" <<'MAKE'
#!/bin/sh
[ -n "${MAKE_SLEEPS-}" ] || exit 0
sh -c 'echo $$ >"$WORK/guest"; echo >"$WORK/begun"; exec sleep 1000'
exit 1
MAKE
# shellcheck disable=SC2016 # for the program
printf '#!/bin/sh\necho "$WORK/kernel"\n' >"$lab/kernel.sh"
# A launcher of the lab, with this guest
cat >"$lab/uml.sh" <<'LAUNCHER'
#!/bin/bash
. "$(dirname "$0")/lib.sh"
. "$SSDCACHE_LAB/launcher.sh"
log_name=dmesg.txt
[ "${1-}" = -- ] || set -- -- "$@"
launcher_options "$@"
guest_prepare uml "${command[@]}"
: >"$log"
guest() {
	echo "$BASHPID" >"$WORK/guest"
	echo >"$WORK/begun"
	exec sleep 1000
}
guest_run guest
LAUNCHER
# shellcheck disable=SC2016 # for the program
printf '#!/bin/bash\n. "$(dirname "$0")/lib.sh"\nbuild() { echo $BASHPID >"$WORK/guest"; echo >"$WORK/begun"; exec sleep 1000; }\nstep build build\n' \
	>"$lab/step.sh"
chmod +x "$lab"/*.sh "$work/bin/make"

# lives PID: a dead process may stay until the first process of the system waits for it.
lives() {
	local state

	state=$(sed 's/.*) //' "/proc/$1/stat" 2>&-)
	[ -n "$state" ] && [[ $state != Z* ]]
}

# interrupt SIGNAL TO SCRIPT [WORD]...: the signal goes to the script, or, as that of a terminal, to its group
interrupt() {
	local pid guest end status=0 name="${*:3} after SIG$1 to ${2:+the group of }it"

	# A shell lets what it starts in the background ignore SIGINT, and nohup lets all it starts ignore SIGHUP.
	env --default-signal=HUP,INT "PATH=$work/bin:$PATH" setsid "$lab/$3" "${@:4}" </dev/null >"$work/said" 2>&1 &
	pid=$!
	read -rt 20 _ <>"$work/begun" || echo "$name: it did not start: $(<"$work/said")"
	guest=$(<"$work/guest")
	kill "-$1" -- "$2$pid"
	# A build in the foreground would keep the script waiting for its end.
	end=$((SECONDS + 20))
	while lives "$guest"; do
		sleep 0.1
		[ $SECONDS -gt $end ] || continue
		echo "$name: the guest or the build runs on"
		kill -KILL "$guest"
		failures=$((failures + 1))
		break
	done
	wait $pid || status=$?
	if [ $status = 0 ] || ! grep -qx "${3##*/}: interrupted" "$work/said"; then
		echo "$name: status $status: $(<"$work/said")"
		failures=$((failures + 1))
	fi
	[ -z "$(compgen -G "$work/tmp/*")$(compgen -G "$work/cache/run/*")$(compgen -G "$work/copy/build/tests/run.*")" ] || {
		echo "$name: files are left: $(find "$work/tmp" "$work/cache/run" "$work/copy/build/tests")"
		rm -rf "${work:?}"/{tmp,cache/run,copy/build/tests}/*
		failures=$((failures + 1))
	}
}

for to in '' -; do
	for signal in TERM INT HUP; do
		# A script alone gets no SIGINT from a terminal.
		[ "$to$signal" != INT ] || continue
		interrupt $signal "$to" uml.sh -- true
		interrupt $signal "$to" kunit.sh
		interrupt $signal "$to" virtual-time.sh --size 1m -- true
		interrupt $signal "$to" step.sh
		MAKE_SLEEPS=1 interrupt $signal "$to" ../../tests/run.sh --lane uml
	done
done
[ $failures = 0 ]
