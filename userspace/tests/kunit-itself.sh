#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Does the program that runs the KUnit suites find what is wrong? Prints TAP.
#
#	kunit-itself.sh PROGRAM		PROGRAM: tests/kunit.c with the suites of kunit-itself.c

program=$1
tests=0
failures=0
is() { # is NAME WANTED GOT
	tests=$((tests + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $tests - kunit itself: $1"
	else
		echo "not ok $tests - kunit itself: $1"
		diff <(echo "$2") <(echo "$3") | sed 's/^/#   /'
		failures=$((failures + 1))
	fi
}

# run WORD...: output and exit code, without numbers of tests and lines
run() {
	local out status

	out=$("$program" "$@" 2>&1)
	status=$?
	sed -E 's/^((not )?ok) [0-9]+ - /\1 /; s/[a-z-]+\.c:[0-9]+: //; s/ +$//' <<<"$out"
	echo "exit code $status"
}

is "each macro, parameters, and cases that are skipped" "$(cat <<'WANTED'
ok various.passes
not ok various.fails
#   expected one == 2: 1 and 2.
#   expected one == 2: 1 and 2. message 3
#   expected one != 1: 1 and 1.
#   expected one < 1: 1 and 1.
#   expected one <= 0: 1 and 0.
#   expected one > 1: 1 and 1.
#   expected one >= 2: 1 and 2.
#   expected one == 2 to be true: is false
#   expected one == 1 to be false: is true
#   expected text to be NULL: is not NULL
#   expected no_text not to be NULL: is NULL
#   expected text == "b": 'a' and 'b'.
#   expected no_text == "b": 'NULL' and 'b'.
#   expected success: message
not ok various.assertion_ends_the_case
#   expected one == 2: 1 and 2.
ok various.is_skipped # SKIP reason
not ok various.failure_is_not_skipped
#   expected one == 2: 1 and 2.
not ok various.one_parameter_fails
#   with number 2:
#   expected number_of(test) != 2: 2 and 2.
not ok various.failure_then_skip
#   with number 1:
#   expected number_of(test) != 1: 1 and 1.
not ok various.skip_then_failure
#   with number 3:
#   expected number_of(test) != 3: 3 and 3.
ok various.one_parameter_is_skipped
1..9
exit code 1
WANTED
)" "$(run various)"

is "init() and exit() that fail" "$(cat <<'WANTED'
not ok bad_exit.passes
#   expected one == 2: 1 and 2.
not ok bad_exit.is_skipped
#   expected one == 2: 1 and 2.
not ok bad_init.passes
#   expected success of init(): of suite bad_init
not ok bad_init.is_skipped
#   expected success of init(): of suite bad_init
1..4
exit code 1
WANTED
)" "$(run bad-exit bad_init)"

crash=$(run crash)
is "results before a crash are shown" "ok crash.is_skipped # SKIP reason" "${crash%%$'\n'*}"
is "the exit code of a crash" "exit code 1" "${crash##*$'\n'}"
# A sanitizer says more instead.
[[ $crash == *Sanitizer* ]] || is "a crash names its case" 1 "$(grep -c '^Bail out! crash.crashes: signal 8 ' <<<"$crash")"

is "a word that no suite has" \
	"kunit-itself: no suite has 's5-fifo' in its name: expected words such as 'evict' for ssdcache_evict
exit code 2" "$(run various s5-fifo)"

echo "1..$tests"
[ $failures = 0 ]
