#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Tests of "ssdcache-sim sweep": which cells a command line means, rows against single runs, kills and
# restarts, refusals.
#
#	sweep-tests.sh SSDCACHE-SIM
#
# Prints TAP; fails if any test does.

set -u -o pipefail

sim=$(realpath "${1:?usage: sweep-tests.sh SSDCACHE-SIM}") || exit 2
here=$(cd "$(dirname "$0")" && pwd -P)
trace=$here/../../traces/demo-ext4.csv.zst
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$here/tap.sh"

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
is "usual means those that are not on request" "$("$sim" --describe | jq -r '.replacement[] | select(.on_request | not) | .name' |
	paste -sd'|')" "$(cells --replacement usual)"
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

# A row has what a run prints, without histograms. The order of the keys may differ.
rows_are_runs() {
	rm -rf "$scratch/out"
	"$sim" sweep --limit 3000 --flush-at-end --output "$scratch/out" --dram 1m,2m --replacement cflru:window=30,req-block \
		--admission l-corw:seed=3 "$@" "$trace" >"$scratch/table" 2>"$scratch/messages" || return
	python3 - "$scratch/out/cells.jsonl" "$sim" <<'PYTHON'
import json, shlex, subprocess, sys

def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if k == "erase_histogram" or not k.endswith("_histogram")}
    return value

rows = [json.loads(line) for line in open(sys.argv[1])]
for row in rows:
    words = shlex.split(row["command"])
    assert words[0] == "ssdcache-sim", words
    run = json.loads(subprocess.run([sys.argv[2], "--json"] + words[1:], stdout=subprocess.PIPE, check=True).stdout)
    assert (run.pop("version"), run.pop("command")) == (row["version"], row["command"]), row["command"]
    assert plain(run) == row["result"], row["command"]
    assert row["cpu_s"] > 0 and row["memory_kib"] > 0
assert len({row["command"] for row in rows}) == len(rows) >= 4, rows
PYTHON
}
rows_are_runs
result $? "each row is what its command prints"
# The first device has more cells than processes; cells of one device are not next to each other.
rows_are_runs --jobs 2 --fold --idle_us 0,500 --flash s002:blocks=40,aged_valid=40,s001:blocks=40,aged=steady
result $? "cells that share a flash device find what each finds alone" "$(cat "$scratch/messages")"

# rows: lines, different commands
rows() {
	python3 -c 'import json, sys
rows = [json.loads(line)["command"] for line in open(sys.argv[1])]
print(len(rows), len(set(rows)))' "$scratch/out/cells.jsonl"
}

# The first cells of the long sweep, which does not end before it is stopped, are those of the short one.
short=("$sim" sweep --output "$scratch/out" --jobs 2 --limit 2000 --dram "1m..64m" --replacement "lru,fifo,lfu,cflru,vs-batch-plus" "$trace")
long=("$sim" sweep --idle_us "0,$(seq -s, 100000 101000)" "${short[@]:2}")
short=("$sim" sweep --idle_us 0 "${short[@]:2}")

lines() {
	if [ -e "$scratch/out/cells.jsonl" ]; then wc -l <"$scratch/out/cells.jsonl"; else echo 0; fi
}

# wait_rows N PID: until there are N rows
wait_rows() {
	until [ "$(lines)" -ge "$1" ]; do
		kill -0 "$2" 2>/dev/null || return
		sleep 0.01
	done
}

# start COMMAND...: in the background, with the signals of a terminal's processes
start() {
	rm -rf "$scratch/out"
	env --default-signal=INT,HUP,TERM,CHLD "$@" >/dev/null 2>"$scratch/messages" &
	pid=$!
}

for signal in INT TERM KILL; do
	start "${long[@]}"
	wait_rows 3 $pid
	kill -$signal $pid
	wait $pid 2>/dev/null
	status=$?
	if [ $signal != KILL ]; then
		is "a sweep that SIG$signal interrupts ends with status 1" 1 $status
		is "after SIG$signal, it says how to go on" 1 "$(grep -c 'the same command goes on' "$scratch/messages")"
		is "after SIG$signal, a table has what is done" $(($(lines) + 1)) "$(wc -l <"$scratch/out/cells.csv")"
	fi
	before=$(grep -c -- '"options":"[^"]*--idle_us=0[ "]' "$scratch/out/cells.jsonl")
	others=$(($(lines) - before))
	# A row that was cut.
	printf '{"version":"' >>"$scratch/out/cells.jsonl"
	"${short[@]}" >"$scratch/table" 2>"$scratch/messages"
	is "after SIG$signal, it goes on to the end" 0 $?
	is "after SIG$signal, no cell is lost or run twice" "$((35 + others)) $((35 + others))" "$(rows)"
	is "after SIG$signal, it says what was there" "$before of them from before" \
		"$(grep -o '[0-9]* of them from before' "$scratch/messages")"
	is "after SIG$signal, the table has all cells" 36 "$(wc -l <"$scratch/table")"
done
before=$(md5sum <"$scratch/out/cells.jsonl")
"${short[@]}" >/dev/null 2>&1
is "a sweep that is done runs nothing" "$before" "$(md5sum <"$scratch/out/cells.jsonl")"
before=$(lines)
"$sim" sweep --replacement "vs-batch-plus,cflru,lfu,fifo,lru" --jobs 1 --limit 2000 --dram 1024k,2097152 --idle_us=0 \
	--output "$scratch/out" "$trace" >/dev/null 2>&1
is "the order of options and the form of sizes make no new cell" "$before" "$(lines)"
"${short[@]}" --limit 100 >/dev/null 2>&1
is "another workload is another sweep" "$((before + 35)) $((before + 35))" "$(rows)"
# summary WORD...: what a sweep into the same folder says at the end
summary() {
	"$sim" sweep --limit 50 --output "$scratch/out" "$@" "$trace" 2>&1 >/dev/null | tail -n 1
}
rm -rf "$scratch/out"
is "a first sweep keeps no other rows" "ssdcache-sim: 2 of 2 cells in $scratch/out/cells.csv" "$(summary --dram 1m,2m)"
is "a smaller sweep says that cells.jsonl keeps others" \
	"ssdcache-sim: 1 of 1 cell in $scratch/out/cells.csv, 1 of them from before; cells.jsonl keeps 1 row of other cells" "$(summary --dram 1m)"
is "another sweep says that cells.jsonl keeps others" \
	"ssdcache-sim: 1 of 1 cell in $scratch/out/cells.csv; cells.jsonl keeps 2 rows of other cells" "$(summary --dram 4m)"
is "rows of other requests are of other cells" \
	"ssdcache-sim: 3 of 3 cells in $scratch/out/cells.csv; cells.jsonl keeps 3 rows of other cells" "$(summary --dram 1m,2m,4m --limit 40)"

# The same requests, and the end of the device that they are for: a trace that ends there, and one that goes on beyond.
printf '# ssdcache-trace 1\n0,W,0,8,\n1000000,R,8,8,\n' >"$scratch/short.csv"
{ cat "$scratch/short.csv"; echo "9000000000,W,4194304,8,"; } >"$scratch/grown.csv"
# device WORD...: sectors of the origins in the table of a sweep into the same folder, and what it says at the end
device() {
	local said
	said=$("$sim" sweep --dram 64k --flash lin22:blocks=0,gc_threshold=8 --output "$scratch/out" "$@" 2>&1 >/dev/null | tail -n 1)
	python3 -c 'import csv, sys; print([row["config.origin_sectors"] for row in csv.DictReader(open(sys.argv[1]))], end=" ")' "$scratch/out/cells.csv"
	echo "${said#*cells.csv}"
}
rm -rf "$scratch/out"
is "the requests of a short trace" "['2048'] " "$(device "$scratch/short.csv")"
is "the same requests on a larger device are another workload" "['4196352'] ; cells.jsonl keeps 1 row of other cells" \
	"$(device --before 5 "$scratch/grown.csv")"
is "the same requests of another file on the same device are the same workload" \
	"['2048'] , 1 of them from before; cells.jsonl keeps 1 row of other cells" "$(device --limit 2 "$scratch/grown.csv")"

# A terminal's SIGINT is followed by the SIGTERM of a caller that was interrupted, too.
start "${long[@]}"
wait_rows 3 $pid
kill -STOP $pid
kill -INT $pid
kill -TERM $pid
kill -CONT $pid
wait $pid
status=$?
is "two signals end a sweep in order" "1 $(($(lines) + 1))" "$status $(wc -l <"$scratch/out/cells.csv")"

# One CPU of those that are online. On a busy machine a sweep may be over before one of its processes is seen: look at another sweep.
cpu=$(taskset -cp $$) cpu=${cpu##*: }
most=0 status=0
for ((try = 0; try < 20 && !most && !status; try++)); do
	start taskset -c "${cpu%%[-,]*}" "$sim" sweep --output "$scratch/out" --replacement lru,fifo,lfu,cflru --dram 1m..64m "$trace"
	while kill -0 $pid 2>/dev/null; do
		now=$(pgrep -c -P $pid)
		most=$((now > most ? now : most))
	done
	wait $pid
	status=$?
done
is "a sweep that may use one CPU runs one cell at a time" "0 1" "$status $most"

# Each process needs two open files. The first limit may be raised, the second one may not.
for limit in -S -SH; do
	rm -rf "$scratch/out"
	(ulimit $limit -n 64 && exec "$sim" sweep --jobs 60 --limit 50 --dram 64k..1m+16k --output "$scratch/out" "$trace") \
		>"$scratch/table" 2>"$scratch/messages"
	is "more jobs than open files allow, ulimit $limit" "0 61 $([ $limit = -S ] || echo "ssdcache-sim: --jobs: 16 at a time, not 60: the limit of open files is 64 (ulimit -n)")" \
		"$? $(lines) $(grep -e --jobs "$scratch/messages")"
done

# nohup, and a parent that ignores SIGCHLD
rm -rf "$scratch/out"
env --default-signal=TERM --ignore-signal=HUP,INT,CHLD "${long[@]}" >/dev/null 2>"$scratch/messages" &
pid=$!
wait_rows 3 $pid
kill -HUP $pid
kill -INT $pid
wait_rows $(($(lines) + 5)) $pid
kill -TERM $pid
wait $pid
is "signals that are ignored do not end a sweep" "1 1" \
	"$? $([ "$(lines)" -ge 8 ] && grep -c 'the same command goes on' "$scratch/messages")"

# Its lock would outlive the sweep. Look at cells until one has come so far as to have its own standard error. On a busy machine all of
# a sweep's cells may be over before that: look at another sweep.
held=
for ((try = 0; try < 5 && ${#held} == 0; try++)); do
	start "${long[@]}"
	while [ -z "$held" ] && kill -0 $pid 2>/dev/null; do
		cells=()
		read -ra cells 2>/dev/null <"/proc/$pid/task/$pid/children"
		for cell in "${cells[@]}"; do
			[[ $(readlink "/proc/$cell/fd/2" 2>/dev/null) == */memfd:* ]] || continue
			names=$(readlink /proc/"$cell"/fd/* 2>/dev/null) || continue
			held=none
			[[ $names == */cells.jsonl* ]] || continue
			held=open
			break
		done
	done
	kill $pid 2>/dev/null
	wait $pid
done
is "cells do not hold the journal open" none "$held"

# Who holds the lock lets go as soon as the sweep has opened the journal, as the cells of a sweep that was killed do.
rm -rf "$scratch/out"
mkdir "$scratch/out"
python3 - "$scratch/out/cells.jsonl" "$sim" sweep --dram 1m --limit 50 --output "$scratch/out" "$trace" 2>"$scratch/messages" <<'PYTHON'
import fcntl, os, subprocess, sys

def has_open(pid):
    folder = f"/proc/{pid}/fd"
    for fd in os.listdir(folder):
        try:
            if os.path.samefile(f"{folder}/{fd}", sys.argv[1]):
                return True
        except OSError:
            continue
    return False

with open(sys.argv[1], "w") as held:
    fcntl.flock(held, fcntl.LOCK_EX)
    sweep = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL)
    while sweep.poll() is None and not has_open(sweep.pid):
        pass
sys.exit(sweep.wait())
PYTHON
is "a sweep waits a moment for the cells of one that was killed" "0 1" "$? $(lines)"

# A plug-in of the same name, rebuilt from other code.
mkdir "$scratch/policy"
cp "$here"/../../samples/policy/{Makefile,ssdcache-mru.c,ssdcache-slru.c} "$scratch/policy"
build() {
	make -s -C "$scratch/policy" SSDCACHE="$here/../.." >"$scratch/messages" 2>&1 || cat "$scratch/messages"
}
with_plugins() {
	"$sim" sweep --plugin "$scratch/policy/ssdcache-mru.so" --plugin "$scratch/policy/ssdcache-slru.so" \
		--replacement mru,slru --limit 50 --output "$scratch/out" "$trace" >"$scratch/table" 2>"$scratch/messages" ||
		cat "$scratch/messages"
	lines
}
build
rm -rf "$scratch/out"
is "plug-ins in shared objects are swept, and not run again" "2 2" "$(with_plugins) $(with_plugins)"
sed -i 's/\.def = 0/.def = 1/' "$scratch/policy/ssdcache-mru.c"
build
is "cells of a plug-in that was rebuilt with other code are run again" 4 "$(with_plugins)"
sed -i 's/"code":"/&0/' "$scratch/out/cells.jsonl"
is "cells of another build of the simulator are run again" 6 "$(with_plugins)"

cp "$trace" "$scratch/-trace.csv.zst"
rm -rf "$scratch/out"
is "a trace whose name looks like an option" "ssdcache-sim --dram=1m --limit=50 -- -trace.csv.zst" \
	"$(cd "$scratch" && "$sim" sweep --dram 1m --limit 50 --output out -- -trace.csv.zst >/dev/null 2>&1
	python3 -c 'import json; print(json.loads(open("out/cells.jsonl").readline())["command"])')"

# Python's shlex, and readers of CSV, take a carriage return for an end.
cp "$trace" "$scratch/"$'a\rb.csv.zst'
rm -rf "$scratch/out"
"$sim" sweep --dram 1m --limit 50 --output "$scratch/out" "$scratch/"$'a\rb.csv.zst' >"$scratch/table" 2>"$scratch/messages"
python3 - "$scratch/out/cells.csv" "$scratch/"$'a\rb.csv.zst' <<'PYTHON'
import csv, shlex, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert [shlex.split(row["command"])[-1] for row in rows] == [sys.argv[2]], rows
PYTHON
result $? "a trace whose name has a carriage return" ""

# The first cells and the last ones differ only in a tunable that has no effect on memory.
rm -rf "$scratch/out"
"$sim" sweep --limit 200 --output "$scratch/out" --dram 1m --idle_us "$(seq -s, 100000 100099)" "$trace" >/dev/null 2>&1
python3 - "$scratch/out/cells.jsonl" <<'PYTHON'
import json, sys
kib = [json.loads(line)["memory_kib"] for line in open(sys.argv[1])]
assert len(kib) == 100
assert min(kib) > 0 and max(kib) - min(kib) <= max(64, min(kib) / 4), (min(kib), max(kib))
PYTHON
result $? "equal cells take equal memory, early or late" ""

rm -rf "$scratch/out"
"$sim" sweep --fold --no-cache --flash s002:blocks=40,s001:blocks=40 --limit 50 --output "$scratch/out" "$trace" \
	>"$scratch/table" 2>"$scratch/messages"
is "without a cache, the table has the latencies of the flash" "flash read mean us write mean us|0" \
	"$(head -1 "$scratch/table" | xargs)|$(awk 'NR > 1 && $2 <= 0' "$scratch/table" | wc -l)"
rm -rf "$scratch/out"
"$sim" sweep --fold --flash s002:blocks=40 --dram 1m,2m,3m --limit 50 --output "$scratch/out" "$trace" >"$scratch/table" 2>"$scratch/messages"
is "a warning of several cells is shown once" 1 "$(grep -c 'gc_threshold' "$scratch/messages")"
rm -rf "$scratch/out"
"$sim" sweep --flash s002:blocks=2,s002:blocks=0 --dram 1m,2m --limit 50 --output "$scratch/out" "$trace" \
	>"$scratch/table" 2>"$scratch/messages"
is "cells on a flash device that is too small fail, the others do not" "1 2 2" \
	"$? $(wc -l <"$scratch/out/cells.jsonl") $(grep -c -- '--flash=s002:blocks=2$' "$scratch/messages")"
python3 -c 'import csv, json, sys
numbers = [json.loads(line)["result"]["latency"]["read"]["mean_ns"] for line in open(sys.argv[1] + ".jsonl")]
assert sorted(numbers) == sorted(float(row["latency.read.mean_ns"]) for row in csv.DictReader(open(sys.argv[1] + ".csv")))
' "$scratch/out/cells"
result $? "numbers in the table are exact" ""

is "the help of a sweep names the numbers that take several values" "--shards --depth" \
	"$("$sim" sweep --help | tr -s ' \n' ' ' | grep -o 'that take SPEC, SIZE or VALUE, .* take several,' | grep -o -- '--[a-z]*' | xargs)"
is "sweep --version prints the version" "0 $("$sim" --version)" "$("$sim" sweep --version >"$scratch/table"; echo $? "$(cat "$scratch/table")")"

# One cell that cannot be run: DRAM of less frames than the policy needs.
rm -rf "$scratch/out"
"$sim" sweep --limit 50 --output "$scratch/out" --page 4k,64k --dram 1m,64k --replacement lru,lfu "$trace" \
	>"$scratch/table" 2>"$scratch/messages"
is "a sweep with cells that fail ends with status 1" 1 $?
is "the cells that fail are named, with the reason" "2 2" \
	"$(grep -c 'a cell failed: --dram=64k --page=64k' "$scratch/messages") $(grep -c 'dram' <(grep -v 'a cell failed' "$scratch/messages"))"
is "the others are there" 7 "$(wc -l <"$scratch/out/cells.csv")"
is "the table has all cells, and '-' for the figures of those that failed" "9 6 64k 64k lfu - - - -" \
	"$(wc -l <"$scratch/table") $(grep -c '[0-9]\.[0-9]' "$scratch/table") $(tail -n 1 "$scratch/table" | xargs)"
rm -rf "$scratch/out"
"$sim" sweep --limit 50 --output "$scratch/out" --page 64k,4k --dram 64k --replacement lru,lfu "$trace" >"$scratch/table" 2>"$scratch/messages"
is "a table whose first cell has failed" "1 page replacement hit ratio read mean us write mean us flushed/written|64k lru - - - -" \
	"$? $(head -n 2 "$scratch/table" | tr -s ' ' | paste -sd'|')"
rm -rf "$scratch/out"
printf '# ssdcache-trace 1\n0,R,0,8,\n' >"$scratch/reads.csv"
for cache in "--dram 1m" --no-cache; do
	# shellcheck disable=SC2086 # an option and its value
	"$sim" sweep $cache --flash s002:blocks=40,s001:blocks=40 --output "$scratch/out" "$scratch/reads.csv" >"$scratch/table" 2>"$scratch/messages"
	is "$cache: the mean of no requests is '-'" "0 0 2" \
		"$? $(grep -cw '0\.000' "$scratch/table") $(tail -n +2 "$scratch/table" | grep -c '[0-9] *-\( *-\)\?$')"
	rm -rf "$scratch/out"
done
"$sim" sweep --limit 50 --output "$scratch/out" --page 64k --dram 64k --replacement lru,lfu "$trace" >"$scratch/table" 2>"$scratch/messages"
is "no table if all cells fail" "1 0" "$? $(wc -l <"$scratch/table")"
for nr in 100 101; do
	rm -rf "$scratch/out"
	"$sim" sweep --limit 50 --output "$scratch/out" --dram 1m --idle_us "$(seq -s, 100001 $((100000 + nr)))" "$trace" \
		>"$scratch/table" 2>"$scratch/messages"
	is "a table of $nr cells is $([ $nr = 100 ] && echo "printed" || echo "left out, and a line says so")" \
		"0 $([ $nr = 100 ] && echo "101" || echo "0 ssdcache-sim: table left out: 101 cells; see $scratch/out/cells.csv")" \
		"$? $(wc -l <"$scratch/table")$(sed -n 's/.*: table left out/ &/p' "$scratch/messages")"
done

# Devices have no end, and FIFOs no rows of former runs.
for file in /dev/full /dev/zero /dev/null "$scratch/fifo"; do
	rm -rf "$scratch/out"
	mkdir "$scratch/out"
	[ -e "$file" ] || mkfifo "$file"
	ln -s "$file" "$scratch/out/cells.jsonl"
	timeout 20 "$sim" sweep --output "$scratch/out" --dram 1m,2m --limit 50 "$trace" >"$scratch/table" 2>"$scratch/messages"
	is "refused: cells.jsonl is ${file#"$scratch/"}" "1 ssdcache-sim: $scratch/out/cells.jsonl: not a regular file" "$? $(<"$scratch/messages")"
done
mkdir "$scratch/elsewhere"
ln -sf "$scratch/elsewhere/rows" "$scratch/out/cells.jsonl"
"$sim" sweep --output "$scratch/out" --dram 1m,2m --limit 50 "$trace" >"$scratch/table" 2>"$scratch/messages"
is "cells.jsonl is a link to a file" "0 2" "$? $(wc -l <"$scratch/elsewhere/rows")"

# names_in FOLDER: what is in it
names_in() {
	find "$1" -mindepth 1 -printf '%f\n' | sort | paste -sd' '
}

# A table that cannot be written: the old one stays, and nothing else. XFSZ ignored, a file that grows too large is an error.
rm -rf "$scratch/out"
"$sim" sweep --output "$scratch/out" --dram 1m,2m --limit 50 "$trace" >/dev/null 2>&1
before=$(md5sum <"$scratch/out/cells.csv")
(trap '' XFSZ; ulimit -f 1; exec "$sim" sweep --output "$scratch/out" --dram 1m,2m --limit 50 "$trace") >/dev/null 2>"$scratch/messages"
is "a table that cannot be written leaves the old one, and no part of a new one" \
	"1 ssdcache-sim: $scratch/out/cells.csv: File too large|$before|cells.csv cells.jsonl" \
	"$? $(<"$scratch/messages")|$(md5sum <"$scratch/out/cells.csv")|$(names_in "$scratch/out")"
rm "$scratch/out/cells.csv"
echo old >"$scratch/elsewhere/table"
chmod 640 "$scratch/elsewhere/table"
ln -s ../link "$scratch/out/cells.csv"
ln -s elsewhere/table "$scratch/link"
"$sim" sweep --output "$scratch/out" --dram 1m,2m --limit 50 "$trace" >/dev/null 2>"$scratch/messages"
is "a table that is a link stays one, and what the link leads to is replaced" "0 ../link elsewhere/table $before 640 rows table" \
	"$? $(readlink "$scratch/out/cells.csv" "$scratch/link" | xargs) $(md5sum <"$scratch/elsewhere/table") $(stat -c %a "$scratch/elsewhere/table"
	) $(names_in "$scratch/elsewhere")"
mkfifo "$scratch/out/cells.csv.new"
timeout -k 1 20 "$sim" sweep --output "$scratch/out" --dram 1m,2m --limit 50 "$trace" >/dev/null 2>"$scratch/messages"
is "a file beside the table is not touched" "0 fifo" "$? $(stat -c %F "$scratch/out/cells.csv.new")"
# Said before traces are read: there is none.
for file in "$scratch/fifo" "$scratch/elsewhere" /dev/full; do
	rm -rf "$scratch/out"
	mkdir "$scratch/out"
	ln -s "$file" "$scratch/out/cells.csv"
	timeout -k 1 20 "$sim" sweep --output "$scratch/out" --dram 1m,2m "$scratch/none" >"$scratch/table" 2>"$scratch/messages"
	is "refused: cells.csv is ${file#"$scratch/"}" "1 ssdcache-sim: $scratch/out/cells.csv: not a regular file" "$? $(<"$scratch/messages")"
done
ln -sfn ../none/table "$scratch/out/cells.csv"
"$sim" sweep --output "$scratch/out" --dram 1m,2m "$scratch/none" >"$scratch/table" 2>"$scratch/messages"
is "refused: cells.csv leads to a folder that is not there" "1 ssdcache-sim: $scratch/out/cells.csv: No such file or directory" \
	"$? $(<"$scratch/messages")"
rm -f "$scratch/out/cells.csv"
ln -sfn ../none/rows "$scratch/out/cells.jsonl"
"$sim" sweep --output "$scratch/out" --dram 1m,2m "$scratch/none" >"$scratch/table" 2>"$scratch/messages"
is "refused: cells.jsonl leads to a folder that is not there" "1 ssdcache-sim: $scratch/out/cells.jsonl: No such file or directory" \
	"$? $(<"$scratch/messages")"
rm -rf "$scratch/out"
mkdir "$scratch/out" && touch "$scratch/out/cells.jsonl" && chmod 400 "$scratch/out/cells.jsonl"
if [ -w "$scratch/out/cells.jsonl" ]; then
	skip "refused: cells.jsonl cannot be written" "root writes to all files"
else
	"$sim" sweep --output "$scratch/out" --dram 1m,2m "$scratch/none" >"$scratch/table" 2>"$scratch/messages"
	is "refused: cells.jsonl cannot be written" "1 ssdcache-sim: $scratch/out/cells.jsonl: Permission denied" "$? $(<"$scratch/messages")"
fi
rm -rf "$scratch/out"
"$sim" sweep --output "$scratch/out/b//c/" --dram 1m,2m --limit 50 "$trace" >/dev/null 2>"$scratch/messages"
is "the folders of the results are made" "0 cells.csv cells.jsonl" "$? $(names_in "$scratch/out/b/c")"
ln -s nowhere "$scratch/dangling"
for place in table table/a/b dangling/a; do
	(cd "$scratch" && exec "$sim" sweep --output "$place" --dram 1m,2m none) >/dev/null 2>"$scratch/messages"
	is "refused before traces are read: --output '$place'" "2 ssdcache-sim: --output: $place: Not a directory" "$? $(<"$scratch/messages")"
done
rm -rf "$scratch/out"
"$sim" sweep --output "$scratch/out/a" --dram 1m,2m "$scratch/none" >/dev/null 2>"$scratch/messages"
is "a trace that is not there makes no folder" "2 no" "$? $([ -e "$scratch/out" ] && echo yes || echo no)"

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
refused "--output: '-' is no directory, and standard output is for the table; './-' is a directory of that name" --output - --dram 1m,2m "$trace"
refused "no option that takes several values is given" "$trace"
refused "--replacement: 'lru,,fifo' has an empty value" --replacement lru,,fifo "$trace"
refused "the range '8m..1m' ends before its start" --dram 8m..1m "$trace"
refused "the range '1m..128' ends before its start: a size without a suffix is in bytes" --dram 1m..128 "$trace"
refused "'1x' is not a size" --dram 1x..2m "$trace"
refused "more than 4096 values" --dram 4k..1g+4k "$trace"
refused '"windw=30" is not key=value' --replacement lru,cflru:windw=30 "$trace"
refused "nonsense" --replacement lru,nonsense "$trace"
refused "is not a number from" --idle_us 0,many "$trace"
refused "is not UTF-8" --dram 1m $'nowhere\xff.csv'
refused "series" --series file --dram 1m,2m "$trace"
refused "--no-cache" --no-cache --dram 1m,2m --flash s002 "$trace"

# A stand-in for ssdcache-page, which says what it was called with.
cat >"$scratch/page" <<'TOOL'
#!/bin/sh
[ "$1" != --check ] || { [ -z "$PAGE_BROKEN" ] || echo "page: broken" >&2; exit ${PAGE_BROKEN:-0}; }
echo "$2: $4: $(wc -l <"$6")" >>"$PAGE_LOG"
exit ${PAGE_FAILS:-0}
TOOL
chmod +x "$scratch/page"
export SSDCACHE_PAGE=$scratch/page PAGE_LOG=$scratch/page.log
rm -rf "$scratch/out"
"$sim" sweep --limit 50 --dram 1m,2m --output "$scratch/out" --plot "$scratch/p.html" "$trace" >/dev/null 2>"$scratch/messages"
is "--plot makes a page of all cells" \
	"0 $scratch/p.html: ssdcache-sim sweep --limit 50 --dram 1m,2m --output $scratch/out --plot $scratch/p.html $trace: 3" \
	"$? $(cat "$scratch/page.log")"
PAGE_FAILS=1 "$sim" sweep --limit 50 --dram 1m,2m --output "$scratch/out" --plot "$scratch/p.html" "$trace" >/dev/null 2>"$scratch/messages"
is "a page that cannot be made is an error, and the results stay" "1 1 3" \
	"$? $(grep -c 'no page was made of .*cells.csv' "$scratch/messages") $(wc -l <"$scratch/out/cells.csv")"
SSDCACHE_PAGE=$scratch/none refused "$scratch/none: No such file or directory; install the package python3-ssdcache" --plot "$scratch/p.html" --dram 1m "$trace"
PAGE_BROKEN=1 refused "page: broken" --plot "$scratch/p.html" --dram 1m "$trace"
refused "--plot: $scratch/none/p.html: No such file or directory" --plot "$scratch/none/p.html" --dram 1m "$trace"
refused "--plot: $scratch: Is a directory" --plot "$scratch" --dram 1m "$trace"
rm -rf "$scratch/out" "$scratch/page.log"
"$sim" sweep --limit 50 --dram 1m --output "$scratch/out/new" --plot "$scratch/out/new/p.html" "$trace" >/dev/null 2>"$scratch/messages"
is "the page may be in the new directory of the results" "0 1" "$? $(grep -c "$scratch/out/new/p.html" "$scratch/page.log")"
# At most 128 KiB fit in a word of a command line.
mapfile -t many < <(yes -- --idle_us=100000 | head -n 8000)
"$sim" sweep --limit 50 --dram 1m "${many[@]}" --output "$scratch/out" --plot "$scratch/p.html" "$trace" >/dev/null 2>"$scratch/messages"
is "a long command does not stop the page" "0 1" "$? $(grep -c ' \.\.\.: 2$' "$scratch/page.log")"
# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\nrm "$0"\n' >"$scratch/going"
chmod +x "$scratch/going"
SSDCACHE_PAGE=$scratch/going "$sim" sweep --limit 50 --dram 1m --output "$scratch/out" --plot "$scratch/p.html" "$trace" \
	>/dev/null 2>"$scratch/messages"
is "a page tool that has gone is named, with the reason" 1 \
	"$(grep -c "no page was made of .*cells.csv: $scratch/going: No such file" "$scratch/messages")"
# shellcheck disable=SC2016 # for the script
printf '#!/bin/sh\n[ "$1" = "$NOT_KILLED" ] || kill -KILL $$\n' >"$scratch/killed"
chmod +x "$scratch/killed"
for check in "" --check; do
	NOT_KILLED=$check SSDCACHE_PAGE=$scratch/killed "$sim" sweep --limit 50 --dram 1m --output "$scratch/out" --plot "$scratch/p.html" "$trace" \
		>/dev/null 2>"$scratch/messages"
	is "a page tool that a signal ends is named, with the signal${check:+, after the sweep}" "1 1" \
		"$? $(grep -c "^ssdcache-sim: --plot: .*$scratch/killed.*: ended by signal 9 (Killed)\$" "$scratch/messages")"
done
# Beside the program, then in PATH.
unset SSDCACHE_PAGE
mkdir "$scratch/bin" "$scratch/path"
cp "$sim" "$scratch/bin/ssdcache-sim"
cp "$scratch/page" "$scratch/path/ssdcache-page"
PATH=$scratch/path:$PATH "$scratch/bin/ssdcache-sim" sweep --limit 50 --dram 1m --output "$scratch/out" --plot path.html "$trace" >/dev/null 2>&1
cp "$scratch/page" "$scratch/bin/ssdcache-page"
PATH=$scratch/path:$PATH PAGE_LOG=$scratch/beside.log \
	"$scratch/bin/ssdcache-sim" sweep --limit 50 --dram 1m --output "$scratch/out" --plot beside.html "$trace" >/dev/null 2>&1
is "ssdcache-page is looked for beside the program, then in PATH" "1 1" \
	"$(grep -c path.html "$scratch/page.log") $(grep -c beside.html "$scratch/beside.log")"

# A value that cannot go with the first of another option is one failed cell, not the end.
rm -rf "$scratch/out"
"$sim" sweep --limit 50 --output "$scratch/out" --dram 64k,1m --page 64k,4k "$trace" >/dev/null 2>"$scratch/messages"
is "values that exclude each other do not stop the others" "1 4" "$? $(wc -l <"$scratch/out/cells.csv")"

start "${long[@]}"
wait_rows 3 $pid
"${long[@]}" >/dev/null 2>"$scratch/messages"
is "two sweeps do not share a directory" "1 1" "$? $(grep -c 'another sweep is writing' "$scratch/messages")"
kill $pid
wait $pid

if [ "${SSDC_LONG:-}" = 1 ]; then
	rm -rf "$scratch/out"
	is "a sweep of 20000 cells takes at most 100 MB" yes "$(python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
print("yes" if resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= 100 << 10 else "no")' "$sim" sweep --limit 50 \
		--output "$scratch/out" --dram 1m --depth 1,2,3,4,5 --idle_us "$(seq -s, 0 3999)" "$trace")"
fi

finish
