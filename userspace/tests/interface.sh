#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compares what programs read (JSON reports, the descriptor tables) byte for byte with the recorded files in interface/.
# Prose (source, status, doc) and versions are left out.
#
#	interface.sh [--update] SSDCACHE-SIM SSDCACHECTL
#
# --update records what the tools print now. A change of these files is a change of the interface or of results, and
# belongs into CHANGELOG.md.

# The functions below are called through same():
# shellcheck disable=SC2317
set -euo pipefail

update=
if [ "${1-}" = --update ]; then
	update=1
	shift
fi
[ $# -eq 2 ] || { echo "usage: ${0##*/} [--update] SSDCACHE-SIM SSDCACHECTL" >&2; exit 2; }
sim=$(realpath "$1")
ctl=$(realpath "$2")
cd "$(dirname "$0")/../.."
recorded=userspace/tests/interface
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# shellcheck source-path=SCRIPTDIR source=tap.sh
. userspace/tests/tap.sh

# same FILE COMMAND...: what the command prints is what FILE has recorded
same() {
	local file=$1 status=0

	shift
	"$@" >"$scratch/$file"
	[ -z "$update" ] || cp "$scratch/$file" "$recorded/$file"
	diff "$recorded/$file" "$scratch/$file" >"$scratch/diff" || status=1
	result $status "interface: $file" "$(head -n 20 "$scratch/diff")"
}

# run OPTION...: a report of the simulator
run() {
	"$sim" --json --limit 20000 "$@" traces/demo-ext4.csv.zst | sed '/^  "version": "[0-9.]*",$/d'
}

# tables FILE COMMAND...: what a command prints as JSON, without prose and without plug-ins that FILE has not recorded: adding
# one is no change of the interface
tables() {
	local names

	names=$(jq -c '[.. | objects | .name? // empty] | unique' "$recorded/$1")
	"${@:2}" | jq --argjson names "$names" --argjson all "${update:-0}" '
		walk(if type == "object" then del(.doc, .source, .status, .chosen) else . end) |
		walk(if type == "array" then
			map(select($all == 1 or (type != "object") or (has("tunables") and has("stats") | not) or
				   (.name as $name | $names | index($name))))
		     else . end)'
}

series_columns() {
	"$sim" --dram 4m --limit 2000 --series "$scratch/series" traces/demo-ext4.csv.zst >"$scratch/text"
	head -n 1 "$scratch/series"
}

same lru.json run --dram 4m
same cflru-ef-sc.json run --dram 4m --page 8k --replacement cflru-ef-sc:threshold=10 --admission read-write --flush-at-end
same plug-ins.json run --dram 8m --page 8k --replacement vs-batch-plus --admission l-corw --prefetch pattern-plus \
	--flash s002:blocks=64 --closed
same req-block.json run --dram 2m --replacement req-block --admission corw-3 --prefetch rop --dram_mode protected
same auto.json run --dram 4m --replacement auto:candidates=lru+mq-ssd+lru/read-write,period=1000,hysteresis=3 --shadow-pages 64
same shadow.json run --dram 4m --shadow lru,cflru:window=30 --shadow-sizes 50,100 --shadow-pages 64
same no-cache.json run --no-cache --flash s004:blocks=512
same describe.json tables describe.json "$sim" --describe
same policies.json tables policies.json "$ctl" policies --json
same series.csv series_columns
finish
