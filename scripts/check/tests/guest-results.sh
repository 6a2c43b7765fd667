#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# tests/run.sh: a script that ran no test, or did not end as it should, is a failure; a module that is built again while guests run
# stays the same for them; programs of tests follow their headers; values out of range are refused; an interrupt leaves nothing
# behind. Its scripts run on the host here. Prints a line for each case that went wrong.

set -u
tree=$(realpath "$(dirname "$0")/../../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
(cd "$tree" && cp -r --parents tests/run.sh scripts/lab/tap.sh "$work")
mkdir "$work/tests/case"
printf '#include "tool.h"\nint main(void) { return STATUS; }\n' >"$work/tests/case/tool.c"
echo '#define STATUS 3' >"$work/tests/case/tool.h"
export MODULE=$work/kernel/dm-ssdcache/dm-ssdcache.ko
mkdir -p "${MODULE%/*}"
echo built >"$MODULE"
end='ok - all devices are removed and the module is unloaded'

# case_is NAME PASSED FAILED SKIPPED <SCRIPT: the results of a script
case_is() {
	local name=$1 wanted="# $2 passed, $3 failed, $4 skipped"

	{
		printf '# lane: host\n# guests: uml\n# timeout: 2\n'
		cat
	} >"$work/tests/case/$name.sh"
	"$work/tests/run.sh" --lane host --module "$MODULE" "case/$name" </dev/null >"$work/said" 2>&1
	grep -qFx "$wanted" "$work/said" || {
		echo "$name: $(tail -n 1 "$work/said") instead of $wanted"
		failures=$((failures + 1))
	}
}

case_is good 2 0 0 <<<"echo 'ok - a test'; echo '$end'; echo '# done'"
case_is skipped 1 0 1 <<<"echo 'skip - a test # no tool'; echo '$end'; echo '# done'"
case_is bad 1 1 0 <<<"echo 'not ok - a test'; echo '$end'; echo '# done'; exit 1"
case_is no-test 1 1 0 <<<"echo '$end'; echo '# done'"
case_is no-result 0 1 0 <<<"echo '# done'"
case_is early 1 1 0 <<<"echo 'ok - a test'; exit 0"
case_is status 2 1 0 <<<"echo 'ok - a test'; echo '$end'; echo '# done'; exit 3"
case_is killed 1 1 0 <<<"echo 'ok - a test'; kill -KILL \$\$"
case_is late 2 1 0 <<<"echo 'ok - a test'; trap 'echo \"$end\"; echo \"# done\"; exit 1' TERM; sleep 10 & wait"
# shellcheck disable=SC2016 # the script expands them
case_is module 2 0 0 <<<'echo "built again" >"$MODULE"
read -r copy <<<"${SSDCACHE_KOS#uml=}"
[ "$(<"$copy")" = built ] && echo "ok - the copy has not changed"
'"echo '$end'; echo '# done'"
case_is program 2 0 0 <<<"tool; [ \$? = 3 ] && echo 'ok - the program'; echo '$end'; echo '# done'"
# The header is newer, by a full second: not all file systems have finer times.
touch -d '1 second ago' "$work/build/tests/tool"
echo '#define STATUS 4' >"$work/tests/case/tool.h"
case_is header 2 0 0 <<<"tool; [ \$? = 4 ] && echo 'ok - the program of the new header'; echo '$end'; echo '# done'"
# interrupt NAME SIGNAL TO: the signal goes to the process, or, as that of a terminal, to its group. A launcher of guests is still ending
# its guest after the script has died, and run.sh waits for it.
mkfifo "$work/begun"
export WORK=$work
interrupt() {
	local pid status=0

	rm -rf "$work/build/tests"/run.*
	# A shell lets what it starts in the background ignore SIGINT, and nohup lets all it starts ignore SIGHUP.
	env --default-signal=HUP,INT setsid "$work/tests/run.sh" --lane host --module "$MODULE" case/guest </dev/null >"$work/said" 2>&1 &
	pid=$!
	read -rt 60 _ <>"$work/begun" || echo "$1: the script did not start: $(<"$work/said")"
	kill "-$2" -- "$3$pid"
	wait $pid || status=$?
	[ "$status $(<"$work/said")" = "130 run.sh: interrupted" ] || {
		echo "$1: status $status: $(<"$work/said")"
		failures=$((failures + 1))
	}
	[ ! -e "$work/guest" ] || {
		echo "$1: the guest runs on"
		kill "$(<"$work/guest")"
		failures=$((failures + 1))
	}
	[ -z "$(compgen -G "$work/build/tests/run.*")" ] || {
		echo "$1: files are left: $(cd "$work/build/tests" && find run.*)"
		failures=$((failures + 1))
	}
}
cat >"$work/tests/case/guest.sh" <<'SCRIPT'
# lane: host
# guests: uml
bash -c 'trap "sleep 0.3; rm \"$WORK/guest\"; exit" TERM; echo $$ >"$WORK/guest"; echo >"$WORK/begun"; sleep 1000 & wait'
SCRIPT
interrupt "SIGTERM" TERM ''
interrupt "SIGTERM to the group" TERM -
interrupt "Ctrl-C" INT -
interrupt "a terminal that is closed" HUP -
case_is again 2 0 0 <<<"echo 'ok - a test'; echo '$end'; echo '# done'"
for words in "--jobs 0" "--jobs x" "--jobs -1" "--jobs 1000" "--jobs " "--cpus 0" "--cpus 1.5"; do
	"$work/tests/run.sh" "${words% *}" "${words#* }" --lane host --module "$MODULE" case/good </dev/null >"$work/said" 2>&1
	[ "$? $(<"$work/said")" = "2 run.sh: ${words% *}: '${words#* }' is no number from 1 to 999" ] || {
		echo "$words: $(head -n 1 "$work/said")"
		failures=$((failures + 1))
	}
done
# refuses LAUNCHER OPTION VALUE RANGE
refuses() {
	"$tree/scripts/lab/$1" "$2" "$3" -- true </dev/null >"$work/said" 2>&1
	[ "$? $(<"$work/said")" = "2 $1: $2: '$3' is no $4" ] || {
		echo "$1 $2 $3: $(head -n 1 "$work/said")"
		failures=$((failures + 1))
	}
}

for value in 0 x -1 1.5 256 ""; do
	refuses vm.sh --cpus "$value" "number from 1 to 255"
done
refuses vm.sh --nodes 65 "number from 1 to 64"
for launcher in vm.sh uml.sh; do
	refuses $launcher --timeout 1h "number from 1 to 999999"
	refuses $launcher --memory 2X "size such as 512M or 2G"
	refuses $launcher --memory 0 "size such as 512M or 2G"
done
[ $failures = 0 ]
