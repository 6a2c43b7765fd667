#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Tests of what ssdcache-sim makes of its command line: what it refuses and how it says so, and that it destroys no
# file.
#
#	usage-tests.sh SSDCACHE-SIM
#
# Prints TAP; fails if any test does.
set -u -o pipefail

sim=$(realpath "${1:?usage: usage-tests.sh SSDCACHE-SIM}")
here=$(cd "$(dirname "$0")" && pwd -P)
demo=$here/../../traces/demo-ext4.csv.zst
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$here/tap.sh"

# refuses NAME MESSAGE ARGUMENT...: exit code 2, one line that has the message, no output, no new file.
refuses() {
	local name=$1 message=$2 before status

	shift 2
	before=$(find . -type f ! -name 'std*' -exec cksum {} + | sort)
	"$sim" "$@" >stdout 2>stderr </dev/null
	status=$?
	[ $status = 2 ] && [ ! -s stdout ] && [ "$(wc -l <stderr)" = 1 ] && grep -qF -- "$message" stderr &&
		[ "$before" = "$(find . -type f ! -name 'std*' -exec cksum {} + | sort)" ]
	result $? "$name" "expected: exit 2 and a line with: $message
found:    exit $status and: $(cat stderr)
files:    $(find . -type f ! -name 'std*' | sort | paste -sd' ')"
}

# completions WORD...: candidates for the last word
completions() {
	"$sim" --complete "$@" | sort | paste -sd' '
}

head -n 1 <(zstdcat "$demo") >t.csv
zstdcat "$demo" | sed -n '2,400p' >>t.csv

# ---- opt is no candidate ----

no_shadow="opt has no shadow: it knows the whole run, not a sample"
for candidates in opt opt+lru lru+opt lru+opt/read-write lru+opt:next=any; do
	for verb in "" sweep advise; do
		# shellcheck disable=SC2086 # no word if there is no verb
		refuses "auto: ${verb:-run}: no candidate $candidates" "auto: candidates: $no_shadow" \
			$verb --replacement "auto:candidates=$candidates" --dram 1m t.csv
	done
done
refuses "auto: a wrong candidate: the error does not offer opt" 'replacement: "nosuch" is not one of' \
	--replacement auto:candidates=lru+nosuch t.csv
is "auto: a wrong candidate: the error does not offer opt" 0 "$(grep -cw opt stderr)"
refuses "shadows: a wrong policy: the error does not offer opt" 'replacement: "nosuch" is not one of' --shadow nosuch t.csv
is "shadows: a wrong policy: the error does not offer opt" 0 "$(grep -cw opt stderr)"
refuses "shadows: opt among others" "--shadow: $no_shadow" --shadow lru,opt t.csv
refuses "shadows: opt with a setting" "--shadow: $no_shadow" --shadow opt:next=any t.csv
is "shadows: all and usual leave opt out" "0 0" "$(for word in all usual; do
	"$sim" --json --dram 1m --shadow $word --shadow-sizes 100 t.csv | jq '[.shadow.candidates[] | select(.replacement == "opt")] | length'
done | paste -sd' ')"
is "usual: a sweep has what an advice compares" "$("$sim" advise --json --read-us 75 --dram 1m --prefetch none --admission read-write t.csv |
	jq -r '.cells[].replacement' | sort -u | paste -sd' ')" \
	"$("$sim" sweep --replacement usual --dram 1m --output usual t.csv >stdout 2>stderr
	jq -r .result.replacement.name usual/cells.jsonl | sort -u | paste -sd' ')"

finish
