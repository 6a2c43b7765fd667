#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the KUnit suites (kunit/) for User-Mode Linux or for the newest kernel, runs them in a guest and prints a result for
# each case (TAP).

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$SSDCACHE_LAB/tap.sh"

usage() {
	cat <<USAGE
usage: ${0##*/} [--debug|--newest]
  --debug   the kernel with sanitizers and lock checks; looks for leaks, too
  --newest  the newest kernel, in QEMU (kernel.sh: kcsan; Debian's own has no KUnit); takes many minutes without KVM
Exit status: 0 if all cases passed; 1 if a case failed, a suite has no result, or the kernel reported errors.
USAGE
	exit
}

debug=() newest=
case $#${1+ $1} in
0) ;;
'1 --debug') debug=(--debug) ;;
'1 --newest') newest=1 ;;
'1 --help') usage ;;
*) wrong "'$*': expected one of --debug --newest, or nothing" ;;
esac

need make make
# One test expects the guest to have 1G of memory, no more.
if [ -n "$newest" ]; then
	status=0
	kdir=$("$SSDCACHE_LAB/kernel.sh" headers kcsan) || status=$?
	if [ "$status" = 3 ]; then
		tap_skip "the newest kernel" "no newer suite of the Debian archive can be reached"
		tap_end
		exit
	fi
	[ "$status" = 0 ] || exit 1
	# The suites have one thread: no instrumentation for data races, which takes much time.
	arch=(KCSAN_SANITIZE=n) log=console.txt
	guest=("$SSDCACHE_LAB/vm.sh" --kernel kcsan --cpus 1 --append kunit.autorun=1 --memory 1G --timeout 3600)
else
	kdir=$("$SSDCACHE_LAB/kernel.sh" uml "${debug[@]}")
	arch=(ARCH=um) log=dmesg.txt
	guest=("$SSDCACHE_LAB/uml.sh" "${debug[@]}" --memory 1G --timeout 300)
fi
build=$SSDCACHE_TREE/build/${kdir##*/}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

make --no-print-directory -s -C "$SSDCACHE_TREE" module-tree KDIR="$kdir"
cp -rsfu "$SSDCACHE_TREE/kunit" "$build/"
hint="the suites do not build" \
	step "build of the KUnit suites" make -j"$(nproc)" -C "$kdir" "${arch[@]}" W=1 M="$build/kunit" modules

[ ${#debug[@]} -eq 0 ] || export KMEMLEAK=1
status=0
in_group "${guest[@]}" --module "$build/kunit/ssdcache-kunit.ko" --out "$out" -- rmmod ssdcache_kunit || status=$?

# The kernel log has KTAP: suites are not indented, cases by four spaces, parameters of a case by eight. One line per case
# is left, and the reasons of a failure below it.
mapfile -t suites < <(sed -n 's/^\t\.name = "\(ssdcache_[a-z0-9_]*\)",$/\1/p' "$SSDCACHE_TREE"/kunit/*/*_kunit.c)
sed '1,/ssdcache: command starts/d; s/^\[ *[0-9.]*\] //; s/\r$//' "$out/$log" |
	awk -v expected="${suites[*]}" -v guest="$status" -v reports="$out/reports.txt" '
		function result(line) {
			sub(/^ *(not )?ok [0-9]+ (- )?/, "", line)
			return line
		}
		function emit(ok, name) {
			print (ok ? "ok " : "not ok ") ++number " - " name
			failed += !ok
		}
		/^    # Subtest: / { suite = $3; why = ""; next }
		/^ *KTAP version|^ *1\.\.|^        # Subtest: |^ *# .*: pass:|^# Totals/ { next }
		/^        not ok / { why = why "#   with " result($0) "\n"; next }
		/^        ok / { parameters++; next }
		/^    (not )?ok / {
			emit($1 == "ok", suite "." result($0))
			if ($1 == "not")
				printf "%s", why
			why = ""
			next
		}
		/^(not )?ok / { ended[result($0)] = 1; next }
		{ why = why "#   " $0 "\n" }
		END {
			count = split(expected, names)
			for (i = 1; i <= count; i++)
				if (!(names[i] in ended))
					emit(0, names[i] ": no result")
			if (guest) {
				emit(0, "the guest ended with status " guest)
				while ((getline line <reports) > 0)
					print "#   " line
			}
			printf "1..%d\n# %d suites, %d runs with parameters\n", number, count, parameters
			exit failed > 0
		}' | tee "$out/results" || status=1
read -r passed failed skipped < <(tap_counts <"$out/results")
echo "# $passed passed, $failed failed, $skipped skipped"
[ "$status" = 0 ]
