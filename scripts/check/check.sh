#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs the test suites and collects their results in results/check.log (TAP; see scripts/lab/tap.sh). A suite that fails
# without naming a failed test, prints fewer or more results than it planned, or never ends, counts as one failure. Progress goes to stderr; stdout gets the failed tests (with V=1 all
# results) and, as its last line, "N passed, N failed, N skipped".

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lab/tap.sh
. "$SSDCACHE_LAB/tap.sh"
cd "$SSDCACHE_TREE"

suites=(tools source build userspace python kunit kunit-debug kunit-newest virtual guest races)

usage() {
	cat <<USAGE
usage: ${0##*/} [SUITE]...
       ${0##*/} --quick
  --quick  before a commit, in a minute and a half: the tools, the source, the unit tests in user space
Suites:
  tools        the user-space tools build
  source       style and layering of the source (check-source.sh)
  build        the module builds without warnings for each kernel (check-build.sh)
  userspace    tests of the engine, the flash model and the tools
  python       tests of the Python package
  kunit        KUnit suites in User-Mode Linux
  kunit-debug  the same with sanitizers and lock checks
  kunit-newest the same suites in QEMU, with the newest kernel
  virtual      tests of virtual-time.sh
  guest        tests of the loaded module (tests/run.sh)
  races        those in the lane vm-kcsan
All but kunit, kunit-newest and races run if none is named; with SSDC_LONG=1, the first two and the long lanes (vm-kcsan is
one) run, too. V=1 prints every result.
USAGE
	exit
}

run_suite() {
	case $1 in
	tools) make -s -j"$(nproc)" userspace && printf '%s\n' "ok - the tools build" 1..1 ;;
	source) scripts/check/check-source.sh ${quick:+--cached} ;;
	build) scripts/check/check-build.sh ;;
	userspace) make -s -C userspace check ;;
	python) scripts/check/check-python.sh ;;
	unit) make -s -C userspace quick ;;
	kunit) scripts/lab/kunit.sh ;;
	kunit-debug) scripts/lab/kunit.sh --debug ;;
	kunit-newest) scripts/lab/kunit.sh --newest ;;
	virtual) scripts/lab/tests/virtual-time.sh ;;
	# Guests wait a lot: run more of them than there are CPUs.
	guest) tests/run.sh --jobs $(($(nproc) + 2)) ;;
	races) tests/run.sh --lane vm-kcsan ;;
	esac
}

# run_one SUITE: shows failures and skipped tests at once; everything goes to $log.SUITE
run_one() {
	local suite=$1 start=$SECONDS status=0 passed failed skipped pid fault='' cpu

	say "== $suite"
	: >"$log.$suite"
	# A suite that fails must not end this shell before the times of its processes are written.
	{
		set +e
		(set -e; run_suite "$suite") >>"$log.$suite" 2>&1
		status=$?
		times >"$log.$suite.cpu"
		exit $status
	} &
	pid=$!
	tail --pid=$pid -n +1 -f "$log.$suite" |
		grep --line-buffered -E '^(not ok|skip|ok .* # SKIP|#? {3,}|[ \t]+#)|: (error|warning):' >&2 || :
	wait $pid || status=$?
	read -r passed failed skipped < <(tap_merge 1 <"$log.$suite" | tap_counts)
	if [ "$status" -ne 0 ]; then
		[ "$failed" -gt 0 ] || fault="ended with status $status"
	elif grep -q '^Bail out!' "$log.$suite"; then
		fault=$(grep -m 1 '^Bail out!' "$log.$suite")
	elif [ $((passed + failed + skipped)) -ne "$(tap_planned <"$log.$suite")" ]; then
		fault="$((passed + failed + skipped)) results, but $(tap_planned <"$log.$suite") planned"
	elif [ $((passed + failed + skipped)) -eq 0 ]; then
		fault="no results"
	fi
	if [ -n "$fault" ]; then
		echo "not ok - $suite: $fault" >>"$log.$suite"
		tail -n 20 "$log.$suite" >&2
		failed=$((failed + 1))
	fi
	: >"$log.$suite.ended"
	# The second line is that of the child processes: user and system time, as 1m2.345s.
	cpu=$(awk -F '[ms ]+' 'NR == 2 { printf "%.1f + %.1f", 60 * $1 + $2, 60 * $3 + $4 }' "$log.$suite.cpu")
	say "   $suite: $passed passed, $failed failed, $skipped skipped, $((SECONDS - start)) s, CPU $cpu s"
}

# chain SUITE...: runs the wanted ones of these, one after the other
chain() {
	local suite

	for suite; do
		[[ " ${wanted[*]} " != *" $suite "* ]] || run_one "$suite"
	done
}

# Downloads what later suites need while earlier ones keep the CPUs busy. Those suites report a failure to download.
fetch() {
	local words

	for words in "headers 6.1" "headers 6.12" "image 6.12" "headers newest" "image 6.1" "image newest"; do
		# shellcheck disable=SC2086 # split on purpose
		scripts/lab/kernel.sh $words >/dev/null 2>&1 || :
	done
}

# install_packages: for the wanted suites
install_packages() {
	local needed=(build)

	[[ " ${wanted[*]} " != *" "@(userspace|kunit|kunit-debug|virtual)" "* ]] || needed+=(uml)
	[[ " ${wanted[*]} " != *" "@(kunit-newest|guest|races)" "* ]] || needed+=(uml vm)
	[[ " ${wanted[*]} " != *" python "* ]] || needed+=(python)
	[[ -z ${SSDC_LONG-} || " ${wanted[*]} " != *" userspace "* ]] || needed+=(fuzz)
	scripts/lab/deps.sh "${needed[@]}"
}

wanted=("$@") quick='' log=results/check.log
case ${1-} in
--quick)
	[ $# -eq 1 ] || wrong "'$2': --quick stands alone"
	quick=1 log=results/quick.log wanted=(tools source unit)
	;;
--help) usage ;;
'')
	# kunit-debug runs the cases of kunit, and sees more.
	for suite in "${suites[@]}"; do
		case ${SSDC_LONG:+long-}$suite in
		*races | kunit | kunit-newest) ;;
		*) wanted+=("$suite") ;;
		esac
	done
	;;
*)
	for suite in "${wanted[@]}"; do
		[[ " ${suites[*]} " == *" $suite "* ]] || wrong "'$suite' is not one of ${suites[*]}"
	done
	;;
esac

# A version manager's python3 is a script that takes ten times as long as the interpreter that it starts.
if python=$(type -P python3) && [ "$(head -c 2 "$python")" = '#!' ] &&
   python=$(python3 -c 'import sys; print(sys.executable)'); then
	PATH=${python%/*}:$PATH
fi

mkdir -p results
# Two runs would report each other's results.
exec {running}>"results/.lock-${log##*/}"
if ! flock -n "$running"; then
	say "waiting for another run in this tree, which writes $log, too"
	flock "$running"
fi
rm -f "$log" "$log".*
[ -n "$quick" ] || install_packages
# The others use the tools.
start_group chain tools
wait
[ $# -gt 0 ] || start_group fetch
start_group chain userspace python unit
start_group chain virtual
before_guest=($!)
start_group chain source build kunit-debug kunit kunit-newest
before_guest+=($!)
# "guest" builds the module in the same place as these.
wait "${before_guest[@]}"
start_group chain guest races
wait
for suite in "${wanted[@]}"; do
	echo "# == $suite"
	cat "$log.$suite" || :
	[ -e "$log.$suite.ended" ] || echo "not ok - $suite: did not end"
done | tap_merge 1 >"$log"
read -r passed failed skipped < <(tap_counts <"$log")
echo "1..$((passed + failed + skipped))" >>"$log"
if [ -n "${V-}" ] && [ "$V" != 0 ]; then
	cat "$log"
elif [ "$failed" -gt 0 ]; then
	grep '^not ok' "$log"
fi
[ "$failed" -eq 0 ] || say "failed; the whole log: $log"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
