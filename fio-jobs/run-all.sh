#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs every job of this folder on a device, for a few seconds each, and prints a table of results. Overwrites the device.

set -euo pipefail
shopt -s inherit_errexit

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
	echo "usage: ${0##*/} DEVICE [SECONDS]   (3 seconds for each part of a job; the device needs 512 MiB)" >&2
	exit 2
fi
[[ ${2-3} =~ ^[1-9][0-9]{0,5}$ ]] || {
	echo "${0##*/}: '$2' is not a number of seconds from 1 to 999999" >&2
	exit 2
}
# fio would make or overwrite a file of any name.
[ -e "$1" ] || {
	echo "${0##*/}: no device $1" >&2
	exit 1
}
[ -b "$1" ] || {
	echo "${0##*/}: $1 is not a block device" >&2
	exit 1
}
here=$(cd "$(dirname "$0")" && pwd)
for tool in fio python3; do
	[ -n "$(type -P "$tool")" ] || {
		echo "${0##*/}: $tool is missing: install the package $tool" >&2
		exit 1
	}
done

python3 "$here/device.py" "${0##*/}" "$1"
export DEV=$1 RUNTIME=${2-3}
output=$(mktemp)
trap 'rm -f "$output"' EXIT
# fio ends upon a signal with a status of its own, as if only this job had failed.
trap 'exit 130' INT
trap 'exit 143' TERM
status=0
python3 "$here/summary.py" --heads
for job in "$here"/*.fio; do
	name=$(basename "$job" .fio)
	# fio prints messages before the JSON, and nothing after it.
	if fio --output-format=json --output="$output" "$job" && python3 "$here/summary.py" "$name" "$output"; then
		continue
	fi
	echo "${0##*/}: $name failed" >&2
	status=1
done
exit "$status"
