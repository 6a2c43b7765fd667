#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: the device tests of ssdcachectl: create, show, change, flush, resize and remove
# lane: uml
# long: vm-6.12

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

here=$(cd "$(dirname "$0")" && pwd -P)
tree=$(cd "$here/../.." && pwd -P)
ctl=$tree/userspace/build/bin/ssdcachectl
suite=$tree/userspace/ssdcachectl/tests/run.sh

[ -x "$ctl" ] || fail "$ctl is missing: make userspace"

# The suite prints TAP: turn each result into one of this script.
status=0
VERBOSE='' MODULE=$SSDCACHE_KO "$suite" --device "$ctl" >"$scratch/results" 2>"$scratch/errors" || status=$?
bad=0
awk '
	function name() {
		sub(/^(not )?ok [0-9]+ - (device: )?/, "")
		return $0
	}
	/^ok [0-9]+ - .* # SKIP / { results++; sub(/ # SKIP /, " # "); print "skip - " name(); next }
	/^ok [0-9]+ - / { results++; print "ok - " name(); next }
	/^not ok [0-9]+ - / { results++; print "not ok - " name(); bad = 1; next }
	/^# / { sub(/^# /, "    "); print; next }
	/^1\.\.[0-9]+$/ { planned = substr($0, 4); next }
	{ print "    " $0 }
	END {
		if (results < 60 || planned != results) {
			print "not ok - the suite ended early: " results + 0 " results"
			bad = 1
		}
		exit bad
	}' "$scratch/results" || bad=1
if [ "$bad" != 0 ] || [ "$status" != 0 ]; then
	[ "$bad" != 0 ] || echo "not ok - the suite ended with status $status"
	tail -n 20 "$scratch/errors" | sed 's/^/    /'
	failed_tests=$((failed_tests + 1))
fi

# The suite leaves nothing but the loaded module, which the end of this script unloads.
nothing_left() {
	local left=(/sys/block/dm-* "$NULLB_CONFIG"/*/ /sys/block/loop*/loop)

	expect_eq "devices" "${left[*]}" "/sys/block/dm-* $NULLB_CONFIG/*/ /sys/block/loop*/loop"
}
run_test "nothing is left behind" nothing_left
