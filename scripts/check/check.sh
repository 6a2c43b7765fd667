#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every test: once the tools are built, those of user space and of virtual time
# beside all others. Each suite prints lines "ok - …", "not ok - …" and
# "skip - … # reason"; a suite that fails without such a line counts as one
# failure. Ends with one line "N passed, N failed, N skipped".

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

cd "$SSDCACHE_TREE"
mkdir -p results
log=results/check.log

usage() {
	echo "usage: ${0##*/} [SUITE]...   suites: ${suites[*]}" >&2
	exit 2
}

suites=(tools source build userspace kunit kunit-debug virtual guest)

run_suite() {
	case $1 in
	tools) make --no-print-directory -s -j"$(nproc)" userspace && echo "ok - the tools build" ;;
	source) scripts/check/check-source.sh ;;
	build) scripts/check/check-build.sh ;;
	userspace) make --no-print-directory -s -C userspace check ;;
	kunit) scripts/lab/kunit.sh ;;
	kunit-debug) scripts/lab/kunit.sh --debug ;;
	virtual) scripts/lab/tests/virtual-time.sh ;;
	guest) tests/run.sh --jobs $(($(nproc) + 2)) ;; # they wait a lot
	esac
}

# run_one SUITE: what fails is shown at once, the rest goes to the log
run_one() {
	local suite=$1 start=$SECONDS status=0 failed pid

	say "== $suite"
	: > "$log.$suite"
	run_suite "$suite" >> "$log.$suite" 2>&1 &
	pid=$!
	tail --pid=$pid -n +1 -f "$log.$suite" | grep --line-buffered -E '^(not ok|skip|[ \t]+#|  )|: (error|warning):' || :
	wait $pid || status=$?
	failed=$(grep -c '^not ok' "$log.$suite" || :)
	if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then
		echo "not ok - $suite: ended with status $status" >> "$log.$suite"
		tail -n 20 "$log.$suite"
	fi
	say "   $suite: $(grep -c '^ok' "$log.$suite" || :) passed, $failed failed, $((SECONDS - start)) s"
}

# chain SUITE...: those that are wanted, one after the other
chain() {
	local suite

	for suite; do
		[[ " ${wanted[*]} " != *" $suite "* ]] || run_one "$suite"
	done
}

# What will be needed later comes over the network while processors have other work. That it fails is told by who needs it.
fetch() {
	local words

	for words in "headers 6.1" "headers 6.12" "image 6.12" "headers newest" "image 6.1"; do
		# shellcheck disable=SC2086 # split on purpose
		scripts/lab/kernel.sh $words >/dev/null 2>&1 || :
	done
}

wanted=("$@")
# The suites of "kunit" are those of "kunit-debug", which sees more.
[ $# -gt 0 ] || for suite in "${suites[@]}"; do
	[ "$suite" = kunit ] && [ -z "${SSDC_LONG-}" ] || wanted+=("$suite")
done
for suite in "${wanted[@]}"; do
	[[ " ${suites[*]} " == *" $suite "* ]] || usage
done

: > "$log"
scripts/lab/deps.sh build vm uml
start_group chain tools
wait
[ $# -gt 0 ] || start_group fetch
start_group chain userspace
start_group chain virtual
before=($!)
start_group chain source build kunit-debug kunit
before+=($!)
# It builds the module where "virtual" does.
wait "${before[@]}"
start_group chain guest
wait
for suite in "${wanted[@]}"; do
	cat "$log.$suite" || echo "not ok - $suite: no log"
done >> "$log"

passed=$(grep -c '^ok' "$log" || :)
failed=$(grep -c '^not ok' "$log" || :)
skipped=$(grep -c '^skip' "$log" || :)
if [ "$failed" -gt 0 ]; then
	say "failed (whole log: $log):"
	grep '^not ok' "$log"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
