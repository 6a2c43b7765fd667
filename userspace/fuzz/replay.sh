#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Runs all fuzz targets on the inputs kept in corpus/ and regress/.
#
#	replay.sh FOLDER	with the programs: build/sanitized/fuzz/bin after "make fuzz-replay-bin"
#
# Prints TAP; fails if any input does.

set -u -o pipefail

programs=${1:?usage: replay.sh FOLDER}
here=$(cd "$(dirname "$0")" && pwd -P)
output=$(mktemp) || exit 2
trap 'rm -f "$output"' EXIT

# shellcheck source-path=SCRIPTDIR source=../tests/tap.sh
. "$here/../tests/tap.sh"

# replay NAME TARGET FILE...: the program names each input before it runs.
replay() {
	local name=$1 target=$2

	shift 2
	"$programs/$target" "$@" >"$output" 2>&1
	result $? "$name" "$(tail -n 40 "$output")"
}

for target in ctl flash readers sim tables traces; do
	# "readers" takes the inputs of "traces".
	folder=${target/readers/traces}
	inputs=("$here/corpus/$folder"/*)
	replay "fuzz: $target: ${#inputs[@]} inputs of the corpus" "$target" "${inputs[@]}"
	for input in "$here/regress/$folder"/*; do
		[ ! -f "$input" ] || replay "fuzz: $target: ${input##*/}" "$target" "$input"
	done
done
finish
