#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the KUnit suites (kunit/) for User-Mode Linux, runs them there and prints one line per case.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

usage() {
	cat >&2 <<USAGE
usage: ${0##*/} [--debug]
  --debug  the kernel with sanitizers and lock checks; looks for leaks, too
Exit status: 0 if all is well; 1 if a case failed or has no result, or the kernel reported errors.
USAGE
	exit 2
}

debug=()
case $#${1+ $1} in
0) ;;
'1 --debug') debug=(--debug) ;;
*) usage ;;
esac

need make make
kdir=$("$SSDCACHE_LAB/kernel.sh" uml "${debug[@]}")
build=$SSDCACHE_TREE/build/${kdir##*/}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

make --no-print-directory -s -C "$SSDCACHE_TREE" module-tree KDIR="$kdir"
cp -rsfu "$SSDCACHE_TREE/kunit" "$build/"
hint="the suites do not build" \
	step "build of the KUnit suites" make -j"$(nproc)" -C "$kdir" ARCH=um W=1 M="$build/kunit" modules

[ ${#debug[@]} -eq 0 ] || export KMEMLEAK=1
status=0
# A test needs a guest of no more memory.
"$SSDCACHE_LAB/uml.sh" "${debug[@]}" --memory 1G --timeout 300 --module "$build/kunit/ssdcache-kunit.ko" --out "$out" \
	-- rmmod ssdcache_kunit || status=$?

# The kernel log, without time stamps, from KTAP to one line per case; why one failed stands below it. Suites are
# indented by nothing, cases by four spaces, parameters of a case by eight.
mapfile -t suites < <(sed -n 's/^\t\.name = "\(ssdcache_[a-z_]*\)",$/\1/p' "$SSDCACHE_TREE"/kunit/*/*_kunit.c)
sed '1,/ssdcache: command starts/d; s/^\[ *[0-9.]*\] //; s/\r$//' "$out/dmesg.txt" |
	awk -v expected="${suites[*]}" -v guest="$status" '
		function result(line) {
			sub(/^ *(not )?ok [0-9]+ (- )?/, "", line)
			return line
		}
		/^    # Subtest: / { suite = $3; why = ""; next }
		/^ *KTAP version|^ *1\.\.|^        # Subtest: |^ *# .*: pass:|^# Totals/ { next }
		/^        not ok / { why = why "  with " result($0) "\n"; next }
		/^        ok / { parameters++; next }
		/^    (not )?ok / {
			name = suite "." result($0)
			if ($1 == "not") {
				print "not ok - " name
				printf "%s", why
				failed++
			} else if (sub(/ # SKIP/, " #", name)) {
				print "skip - " name
				skipped++
			} else {
				print "ok - " name
				passed++
			}
			why = ""
			next
		}
		/^(not )?ok / { ended[result($0)] = 1; next }
		{ why = why "  " $0 "\n" }
		END {
			count = split(expected, names)
			for (i = 1; i <= count; i++) {
				if (!(names[i] in ended)) {
					print "not ok - " names[i] ": no result"
					failed++
				}
			}
			if (guest) {
				print "not ok - the guest ended with status " guest
				failed++
			}
			printf "%d suites: %d passed, %d failed, %d skipped; %d runs with parameters\n",
				count, passed, failed, skipped, parameters
			exit failed > 0
		}'
