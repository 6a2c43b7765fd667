#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Every job says what it shows, can be parsed, and runs. On a file, or on DEVICE.
# usage: test.sh [DEVICE]

set -euo pipefail
shopt -s inherit_errexit

here=$(cd "$(dirname "$0")" && pwd)
if [ -z "$(type -P fio)" ]; then
	echo "skip - fio-jobs # fio is missing: install the package fio"
	exit 0
fi
device=${1-}
if [ -z "$device" ]; then
	# Not below /tmp, which may be in memory and then cannot do direct I/O.
	device=$here/.test-device
	trap 'rm -f "$device" "$log"' EXIT
	truncate -s 512M "$device"
else
	trap 'rm -f "$log"' EXIT
fi
log=$(mktemp)
failed=0

# check NAME COMMAND...
check() {
	local name=$1

	shift
	if "$@" >"$log" 2>&1; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		sed 's/^/    /' "$log"
		failed=$((failed + 1))
	fi
}

has_comment() {
	head -n 1 "$1" | grep -q '^# [A-Z]' && grep -qFx "filename=\${DEV}" "$1"
}

no_device() {
	[ "$("$here/run-all.sh" /nowhere 2>&1 || echo "status $?")" = "run-all.sh: no device /nowhere"$'\n'"status 1" ]
}

for job in "$here"/*.fio; do
	name=$(basename "$job")
	check "fio-jobs: $name starts with what it shows" has_comment "$job"
	check "fio-jobs: $name can be parsed" env DEV="$device" RUNTIME=1 fio --parse-only "$job"
done
check "fio-jobs: all run" "$here/run-all.sh" "$device" 1
check "fio-jobs: a missing device is one line" no_device
[ "$failed" = 0 ]
