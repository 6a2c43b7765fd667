# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Results as TAP (Test Anything Protocol), for the test scripts of user space to source.

tap_number=0
tap_failed=0

# result STATUS NAME [DETAIL]: passed if STATUS is 0; DETAIL is shown if it failed.
result() {
	tap_number=$((tap_number + 1))
	if [ "$1" = 0 ]; then
		printf 'ok %d - %s\n' "$tap_number" "$2"
	else
		tap_failed=$((tap_failed + 1))
		printf 'not ok %d - %s\n' "$tap_number" "$2"
		[ -z "${3-}" ] || printf '# %s\n' "${3//$'\n'/$'\n# '}"
	fi
}

# is NAME EXPECTED ACTUAL: passed if both are the same.
is() {
	[ "$2" = "$3" ]
	result $? "$1" "expected: $2
found:    $3"
}

# skip NAME REASON: a test that cannot be run here.
skip() {
	tap_number=$((tap_number + 1))
	printf 'ok %d - %s # SKIP %s\n' "$tap_number" "$1" "$2"
}

# release: the version of the release, as in dm-ssdcache/version.h
release() {
	awk '/^#define SSDC_VERSION_[MP]/ && $3 ~ /^[0-9]+$/ { printf "%s%s", dot, $3; dot = "." }' \
		"$(dirname "${BASH_SOURCE[0]}")/../../dm-ssdcache/version.h"
}

# finish: prints the plan; fails if any test did.
finish() {
	printf '1..%d\n' "$tap_number"
	[ "$tap_failed" = 0 ]
}
