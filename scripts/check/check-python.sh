#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Builds the wheel of the Python package, installs it in a directory of its own, and runs its tests and those of the studies
# there. Prints TAP.

# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lab/tap.sh
. "$SSDCACHE_LAB/tap.sh"
takes_no_words "$@"
cd "$SSDCACHE_TREE"

"$SSDCACHE_LAB/deps.sh" python
python=$SSDCACHE_CACHE/venv-python/bin/python3
log=$(mktemp)
trap 'rm -f "$log"' EXIT

status=0
"$SSDCACHE_LAB/wheel.sh" >"$log" 2>&1 || status=$?
tap_result "python: the wheel is built and installed" $status "$log"
[ $status = 0 ] || { tap_end; exit 1; }

# reason_of FILE::TEST: why tests of the file were skipped
reason_of() {
	local file=${1%%::*}

	sed -n "s,^SKIPPED .*${file##*/}:[0-9]*: ,,p" "$log" | head -n 1
}

# A line "test_ssdcache.py::NAME PASSED" for each test; the reasons of failures follow.
PYTHONPATH=$SSDCACHE_TREE/build/python/site "$python" -m pytest -v -rs --tb=short -p no:cacheprovider --color=no userspace/python/tests \
	scripts/studies/headlines scripts/studies/peers scripts/studies/many-cpus scripts/studies/champion scripts/studies/report >"$log" 2>&1 || status=$?
while read -r name verdict _; do
	case $verdict in
	PASSED) tap_ok "python: ${name#*::}" ;;
	SKIPPED) tap_skip "python: ${name#*::}" "$(reason_of "$name")" ;;
	FAILED | ERROR) tap_not_ok "python: ${name#*::}" ;;
	esac
done < <(grep -E '^[^ ]+::.* (PASSED|FAILED|ERROR|SKIPPED)' "$log" | sed 's/^\([^ ]*::[^[ ]*\)\[\(.*\)\] \(PASSED\|FAILED\|ERROR\|SKIPPED\)/\1[\2] \3/; s/ \(\S*\) \+\[ *[0-9]*%\]$/ \1/' |
	awk '{ verdict = $NF; $NF = ""; gsub(/ /, "_"); sub(/_$/, ""); print $0, verdict }')
if [ $status != 0 ]; then
	sed 's/^/#   /' "$log"
	[ "$tap_failed" -gt 0 ] || tap_not_ok "python: pytest ended with status $status" "$log"
fi
tap_end
