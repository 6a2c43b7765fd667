#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Tests of "ssdcache-sim sweep": which cells a command line means, rows against single runs, kills and
# restarts, refusals.
#
#	sweep-tests.sh SSDCACHE-SIM
#
# Prints TAP; fails if any test does.

set -u -o pipefail

sim=${1:?usage: sweep-tests.sh SSDCACHE-SIM}
here=$(cd "$(dirname "$0")" && pwd -P)
trace=$here/../../traces/demo-ext4.csv.zst
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$here/tap.sh"

# is NAME EXPECTED ACTUAL
is() {
	[ "$2" = "$3" ]
	result $? "$1" "expected: $2
found:    $3"
}

# cells WORD...: the values of the axes, one cell per line
cells() {
	rm -rf "$scratch/out"
	"$sim" sweep --limit 50 --output "$scratch/out" "$@" "$trace" >"$scratch/table" 2>"$scratch/messages" ||
		{ cat "$scratch/messages"; return; }
	python3 -c 'import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    print(" ".join(row[name] for name in sys.argv[2:]))' "$scratch/out/cells.csv" "${axes[@]}" | paste -sd'|'
}

axes=(dram replacement)
is "the product of two lists, the last option first" \
	"1m lru|1m fifo|2m lru|2m fifo" "$(cells --dram 1m,2m --replacement lru,fifo)"
is "an option that is given twice adds its values" \
	"1m lru|1m fifo|1m lfu" "$(cells --dram 1m --replacement lru --replacement fifo,lru,lfu)"
axes=(replacement)
is "parameters with commas stay with their policy" \
	"cflru:window=30|cflru-ef-sc:threshold=20,adapt=off|lru" \
	"$(cells --replacement cflru:window=30,cflru-ef-sc:threshold=20,adapt=off,lru)"
is "all means all policies" "$("$sim" --describe=names | awk '$1 == "replacement" { print $2 }' | paste -sd'|')" \
	"$(cells --replacement all)"
axes=(dram)
is "a range of sizes doubles" "1m|2m|4m|8m" "$(cells --dram 1m..8m)"
is "a range that does not end on a power of two" "3m|6m" "$(cells --dram 3m..11m)"
is "a range with a step" "1m|1536k|2m" "$(cells --dram 1m..2m+512k)"
is "ranges and sizes" "512k|1m|2m" "$(cells --dram 512k,1m..2m,1m)"
axes=(flash)
is "flash devices with parameters" "s002:blocks=40,aged_valid=30|s001:blocks=40" \
	"$(cells --fold --flash s002:blocks=40,aged_valid=30,s001:blocks=40)"
axes=(idle_us depth)
is "tunables and queue depths" "0 1|0 4|500 1|500 4" "$(cells --idle_us 0,500 --depth 1,4)"

# A row is what a run prints, but for histograms and the order of its keys.
rows_are_runs() {
	rm -rf "$scratch/out"
	"$sim" sweep --limit 3000 --flush-at-end --output "$scratch/out" --dram 1m,2m --replacement cflru:window=30,req-block \
		--admission l-corw:seed=3 "$trace" >"$scratch/table" || return
	python3 - "$scratch/out/cells.jsonl" "$sim" <<'PYTHON'
import json, shlex, subprocess, sys

def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if not k.endswith("_histogram")}
    return value

rows = [json.loads(line) for line in open(sys.argv[1])]
for row in rows:
    words = shlex.split(row["command"])
    assert words[0] == "ssdcache-sim", words
    run = json.loads(subprocess.run([sys.argv[2], "--json"] + words[1:], stdout=subprocess.PIPE, check=True).stdout)
    assert plain(run) == row["result"], row["command"]
    assert row["cpu_s"] > 0 and row["max_rss_kib"] > 0
assert len({row["command"] for row in rows}) == 4, rows
PYTHON
}
rows_are_runs
result $? "each row is what its command prints"

# rows: lines, different commands
rows() {
	python3 -c 'import json, sys
rows = [json.loads(line)["command"] for line in open(sys.argv[1])]
print(len(rows), len(set(rows)))' "$scratch/out/cells.jsonl"
}

sweep=("$sim" sweep --output "$scratch/out" --jobs 2 --limit 20000 --dram "1m..64m" --replacement "lru,fifo,lfu,cflru,vs-batch-plus" "$trace")

# some_done: wait until a few rows are there
some_done() {
	until [ -e "$scratch/out/cells.jsonl" ] && [ "$(wc -l <"$scratch/out/cells.jsonl")" -ge 3 ]; do
		kill -0 "$1" || return
		sleep 0.01
	done
}

for signal in INT KILL; do
	rm -rf "$scratch/out"
	"${sweep[@]}" >/dev/null 2>"$scratch/messages" &
	pid=$!
	some_done $pid
	# Background processes of a script ignore SIGINT; TERM takes the same way.
	kill -${signal/INT/TERM} $pid
	wait $pid
	status=$?
	lines=$(wc -l <"$scratch/out/cells.jsonl")
	if [ $signal = INT ]; then
		is "an interrupted sweep ends with status 1" 1 $status
		is "it says how to go on" 1 "$(grep -c 'the same command goes on' "$scratch/messages")"
		is "it leaves a table of what is done" $((lines + 1)) "$(wc -l <"$scratch/out/cells.csv")"
	fi
	[ "$lines" -ge 3 ] && [ "$lines" -lt 35 ]
	result $? "SIG$signal ends the sweep early" "$lines rows"
	# A row that was cut.
	printf '{"version":"' >>"$scratch/out/cells.jsonl"
	"${sweep[@]}" >"$scratch/table" 2>"$scratch/messages"
	is "after SIG$signal, it goes on to the end" 0 $?
	is "no cell is lost or run twice" "35 35" "$(rows)"
	is "it says what was there" "$lines of them from before" "$(grep -o '[0-9]* of them from before' "$scratch/messages")"
	is "the table has all cells" 36 "$(wc -l <"$scratch/table")"
done
before=$(md5sum <"$scratch/out/cells.jsonl")
"${sweep[@]}" >/dev/null 2>&1
is "a sweep that is done runs nothing" "$before" "$(md5sum <"$scratch/out/cells.jsonl")"
"${sweep[@]}" --limit 100 >/dev/null 2>&1
is "another workload is another sweep" "70 70" "$(rows)"

# One cell that cannot be run: DRAM of less frames than the policy needs.
rm -rf "$scratch/out"
"$sim" sweep --limit 50 --output "$scratch/out" --page 4k,64k --dram 1m,64k --replacement lru,lfu "$trace" \
	>"$scratch/table" 2>"$scratch/messages"
is "a sweep with cells that fail ends with status 1" 1 $?
is "the cells that fail are named, with the reason" "2 2" \
	"$(grep -c 'a cell failed: .*--page=64k --dram=64k' "$scratch/messages") $(grep -c 'dram' <(grep -v 'a cell failed' "$scratch/messages"))"
is "the others are there" 7 "$(wc -l <"$scratch/out/cells.csv")"

# refused "MESSAGE" WORD...
refused() {
	local want=$1 status
	shift
	rm -rf "$scratch/out"
	"$sim" sweep --output "$scratch/out" "$@" >"$scratch/table" 2>"$scratch/messages"
	status=$?
	[ $status = 2 ] && grep -qF -- "$want" "$scratch/messages" && [ "$(wc -l <"$scratch/messages")" = 1 ] &&
		[ ! -e "$scratch/out" ]
	result $? "refused: $want" "status $status: $(cat "$scratch/messages")"
}
refused "no trace given" --dram 1m
refused "no option with several values" "$trace"
refused "an empty value in the list" --replacement lru,,fifo "$trace"
refused "the range '8m..1m' ends before its start" --dram 8m..1m "$trace"
refused "'1x' is not a size" --dram 1x..2m "$trace"
refused "more than 4096 values" --dram 4k..1g+4k "$trace"
refused '"windw=30" is not key=value' --replacement lru,cflru:windw=30 "$trace"
refused "nonsense" --replacement lru,nonsense "$trace"
refused "is not a number from" --idle_us 0,many "$trace"
refused "series" --series file --dram 1m,2m "$trace"
refused "--no-cache" --no-cache --dram 1m,2m --flash s002 "$trace"

rm -rf "$scratch/out"
"${sweep[@]}" >/dev/null 2>&1 &
pid=$!
some_done $pid
"${sweep[@]}" >/dev/null 2>"$scratch/messages"
is "two sweeps do not share a directory" "1 1" "$? $(grep -c 'another sweep is writing' "$scratch/messages")"
kill $pid
wait $pid

finish
