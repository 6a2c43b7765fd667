#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every test, in the order in which failures are cheapest to understand. Each
# suite prints lines "ok - …", "not ok - …" and "skip - … # reason"; a suite that
# fails without such a line counts as one failure. Ends with one line
# "N passed, N failed, N skipped".

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

cd "$(dirname "$0")/.."
mkdir -p results
log=results/check.log
: > "$log"

usage() {
	echo "usage: ${0##*/} [SUITE]...   suites: ${suites[*]}" >&2
	exit 2
}

suites=(source build userspace kunit kunit-debug guest)

run_suite() {
	case $1 in
	source) scripts/check-source.sh ;;
	build) scripts/check-build.sh ;;
	userspace) make --no-print-directory -s -C userspace check ;;
	kunit) scripts/kunit.sh ;;
	kunit-debug) scripts/kunit.sh --debug ;;
	guest) tests/run.sh --jobs "$(nproc)" ;;
	esac
}

wanted=("$@")
[ $# -gt 0 ] || wanted=("${suites[@]}")
for suite in "${wanted[@]}"; do
	[[ " ${suites[*]} " == *" $suite "* ]] || usage
done

scripts/deps.sh build vm uml
for suite in "${wanted[@]}"; do
	start=$SECONDS
	say "== $suite"
	status=0
	run_suite "$suite" > "$log.$suite" 2>&1 &
	pid=$!
	tail --pid=$pid -n +1 -f "$log.$suite" | grep --line-buffered -E '^(not ok|skip|[ \t]+#|  )|: (error|warning):' || :
	wait $pid || status=$?
	failed=$(grep -c '^not ok' "$log.$suite" || :)
	if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
		echo "not ok - $suite: ended with status $status" >> "$log.$suite"
		tail -n 20 "$log.$suite"
	fi
	cat "$log.$suite" >> "$log"
	say "   $suite: $(grep -c '^ok' "$log.$suite" || :) passed, $failed failed, $((SECONDS - start)) s"
done

passed=$(grep -c '^ok' "$log" || :)
failed=$(grep -c '^not ok' "$log" || :)
skipped=$(grep -c '^skip' "$log" || :)
if [ "$failed" -gt 0 ]; then
	say "failed (whole log: $log):"
	grep '^not ok' "$log"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
