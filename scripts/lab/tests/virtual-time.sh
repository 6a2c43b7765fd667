#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of virtual-time.sh: the same input gives the same output, byte for byte; the counts equal the simulator's and those
# of a replay by io_uring; requests start at their times, to the nanosecond. Prints TAP.

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$SSDCACHE_LAB/tap.sh"

tool=$SSDCACHE_LAB/virtual-time.sh
sim=$SSDCACHE_TREE/userspace/build/bin/ssdcache-sim
trace=$SSDCACHE_TREE/traces/demo-ext4.csv.zst
work=$(mktemp -d "$SSDCACHE_CACHE/virtual-test.XXXXXX")
tmp=$(mktemp -d /tmp/virtual-test.XXXXXX)
trap 'rm -rf "$work" "$tmp"' EXIT
: >"$work/log"

# result TEXT STATUS
result() {
	tail -n 20 "$work/log" >"$work/log.end"
	tap_result "virtual: $1" "$2" "$work/log.end"
}

# run ARGUMENT...: virtual-time.sh, which builds the module and the tools the first time only
built=()
run() {
	local status=0

	start_group "$tool" "${built[@]}" "$@" </dev/null 2>"$work/log"
	wait $! || status=$?
	groups=()
	[ $status != 0 ] || built=(--no-build)
	return $status
}

stack=(--size 1g --flash "profile s002 blocks 40 aged_valid 30 aged_invalid 50" --cache "dram 2m page 8k replacement cflru-ef-sc")

status=0
run "${stack[@]}" --limit 3000 --output "$work/1" --replay "$trace" || status=$?
run "${stack[@]}" --limit 3000 --output "$work/2" --replay "$trace" || status=$?
[ $status != 0 ] || cmp "$work/1" "$work/2" >"$work/log" 2>&1 || status=1
result "a replay gives the same JSON twice" $status

# compare: the same replay in both; counts with the same names must be equal
compare() {
	"$sim" --json --closed --flush-at-end --limit 1500 --origin-sectors 2097152 --dram 2m --page 8k --replacement cflru-ef-sc \
		--flash s002:blocks=40,aged_valid=30,aged_invalid=50 "$trace" >"$work/sim" &&
		run "${stack[@]}" --closed --limit 1500 --output "$work/kernel" --replay "$trace" &&
		python3 - "$work/sim" "$work/kernel" >"$work/log" 2>&1 <<'PYTHON'
import json, sys

sim, kernel = (json.load(open(name)) for name in sys.argv[1:])
mine, its = sim["flash"]["stats"], kernel["flash"]["stats"]
names = ("host_reads", "host_programs", "merge_reads", "gc_runs", "gc_reads", "gc_programs", "erases", "trimmed_pages")
bad = [f"{name}: simulator {mine[name]}, kernel {its[name]}" for name in names if mine[name] != its[name]]
print("\n".join(bad))
sys.exit(bool(bad) or not mine["host_programs"])
PYTHON
}
status=0
compare || status=$?
result "kernel and simulator count the same in the flash" $status

# io_uring OUTPUT LIMIT [closed]: replays the same trace by io_uring; the targets must not see a difference. In open loop,
# the replay gets a real-time priority: like the feeder, it must run first when several events are due at the same time.
io_uring() {
	# shellcheck disable=SC2016 # expanded in the guest
	run "${stack[@]}" --output "$1" -- bash -ec '
		words=(--limit "$1")
		[ -n "$3" ] || words+=(--depth 1024)
		[ -z "$3" ] || words+=(--closed --settle /sys/block/dm-$(dmsetup info -c --noheadings -o minor cache)/ssdcache/quiescent)
		chrt -f 1 "$TOOLS/ssdcache-trace" replay "${words[@]}" --wrap --device "$DEV" "$2" >"$SSDCACHE_OUT/replay.json"
	' io_uring "$2" "$trace" "${3-}"
}

# same_targets RESULT RESULT
same_targets() {
	python3 - "$@" >"$work/log" 2>&1 <<'PYTHON'
import json, sys

def flat(name, value):
    if isinstance(value, dict):
        for key in value:
            yield from flat(f"{name}.{key}", value[key])
    else:
        yield name, value

def facts(name):
    report = json.load(open(name))
    # A replay by io_uring reads the clock a little later, so its latencies differ.
    replay = report.pop("replay")
    report["replay"] = {key: replay[key] for key in ("mode", "requests", "errors", "late")}
    report["replay"]["bytes"] = {op: (of["count"], of["bytes"]) for op, of in replay["latency"].items()}
    return dict(flat("", report))

one, two = (facts(name) for name in sys.argv[1:])
bad = [f"{name}: {one.get(name)}, by io_uring {two.get(name)}" for name in one | two if one.get(name) != two.get(name)]
print("\n".join(bad))
sys.exit(bool(bad) or not (one[".flash.stats.host_programs"] and one[".cache.stats.stats.evictions"]))
PYTHON
}
status=0
io_uring "$work/ring" 3000 && same_targets "$work/1" "$work/ring" || status=1
result "the targets see the same requests as from io_uring" $status
status=0
io_uring "$work/ring" 1500 closed && same_targets "$work/kernel" "$work/ring" || status=1
result "the targets see the same requests as from io_uring, closed loop" $status

# Each request takes 75 us; the last one is due after three days and a nanosecond.
printf '# ssdcache-trace 1\n0,W,0,8,\n1,R,8,8,\n75001,W,8,8,\n259200000000001,R,16,8,\n' >"$work/exact.csv"
status=0
run --latency-us 75 --output "$work/exact" --replay "$work/exact.csv" || status=$?
[ $status != 0 ] || python3 - "$work/exact" >"$work/log" 2>&1 <<'PYTHON' || status=1
import json, sys

replay = json.load(open(sys.argv[1]))["replay"]
print(replay)
good = replay["late"] == 0 and replay["errors"] == 0
for op in "read", "write":
    latency = replay["latency"][op]
    good &= latency.pop("count") == 2 and latency.pop("bytes") == 8192 and set(latency.values()) == {75000}
# The first one is due 10 ms after the start.
good &= replay["elapsed_ns"] == 10_000_000 + 259_200_000_000_001 + 75_000
sys.exit(not good)
PYTHON
result "requests start at their times, to the nanosecond, even days later" $status

# A null_blk that keeps no data supports no discards.
status=0
run --limit 100 --output "$work/errors" --replay "$trace" || status=$?
[ $status = 1 ] && grep -qx 'ssdcache-trace: request 77: a discard of 32 sectors at sector 33936: Operation not supported' "$work/log" &&
	python3 - "$work/errors" <<'PYTHON' >>"$work/log" 2>&1
import json, sys

replay = json.load(open(sys.argv[1]))["replay"]
print(replay)
done = sum(of["count"] for of in replay["latency"].values())
sys.exit(not (replay["errors"] > 0 and done + replay["errors"] == replay["requests"] == 100))
PYTHON
result "requests that fail are counted and reported" $?

printf '# ssdcache-trace 1\n0,W,0,8,\n1,W,0,x,\n' >"$work/bad.csv"
status=0
run --output "$work/none" --replay "$work/bad.csv" || status=$?
[ $status = 2 ] && [ ! -e "$work/none" ] &&
	[ "$(grep -vE 'build of the module|waiting for another script' "$work/log")" = "ssdcache-trace: $work/bad.csv:3: expected a number of sectors from 1 to 4294967295 (0 for F), found \"x,\"" ]
result "a bad trace: one line says what is wrong" $?

cat >"$work/job.fio" <<'FIO'
[job]
filename=${DEV}
rw=randwrite
bs=8k
size=16m
direct=1
ioengine=psync
FIO
status=0
run --size 64m --flash "profile s002 blocks 0" --output "$work/fio" --fio "$work/job.fio" || status=$?
[ $status != 0 ] || python3 - "$work/fio" >"$work/log" 2>&1 <<'PYTHON' || status=1
import json, sys

write = json.load(open(sys.argv[1]))["flash"]["latency"]["write"]
print(write)
# A transfer of 8192 bytes at 25 ns each, and a program of 700 us.
sys.exit(write["count"] != 2048 or write["mean_ns"] != 904800 or write["max_ns"] != 904800)
PYTHON
result "the requests of a fio job take the time of the flash" $status

status=0
cp "$work/job.fio" "$tmp/"
run --size 64m --flash "profile s002 blocks 0" --output "$work/fio-of-tmp" --fio "$tmp/job.fio" || status=$?
[ $status != 0 ] || cmp "$work/fio" "$work/fio-of-tmp" >"$work/log" 2>&1 || status=1
result "files in /tmp are read, too" $status

status=0
run --flash "channels 0" -- true && status=1
grep -q 'channels: "0" is not a number from 1 to 64' "$work/log" || status=1
result "the kernel's reason for refusing a table is shown" $status

status=0
for words in "--size 1x -- true" "--size" "--replay" "--" "--replay /nothing" "trace.csv" "--latency-us 1s -- true" "--flsh x" ""; do
	code=0
	# shellcheck disable=SC2086
	run $words >/dev/null || code=$?
	[ "$code $(wc -l <"$work/log")" = "2 1" ] || { echo "$words: status $code" >>"$work/log"; status=1; break; }
done
[ $status != 0 ] || grep -q "^usage: virtual-time.sh" <<<"$(run --help)" || status=1
result "bad usage is refused" $status

tap_end
