#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests of virtual-time.sh: the same input gives the same output, to the byte, and that is what the simulator counts.

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

tool=$SSDCACHE_SCRIPTS/virtual-time.sh
sim=$SSDCACHE_TREE/userspace/build/bin/ssdcache-sim
trace=$SSDCACHE_TREE/traces/demo-ext4.csv.zst
work=$(mktemp -d "$SSDCACHE_CACHE/virtual-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0

# result TEXT STATUS
result() {
	if [ "$2" = 0 ]; then
		echo "ok - virtual: $1"
	else
		echo "not ok - virtual: $1"
		tail -n 20 "$work/log" | sed 's/^/  /'
		failed=1
	fi
}

run() {
	"$tool" "$@" 2>"$work/log"
}

stack=(--size 1g --flash "profile s002 blocks 40 aged_valid 30 aged_invalid 50" --cache "dram 2m page 8k replacement cflru-ef-sc")

status=0
run "${stack[@]}" --limit 3000 --output "$work/1" --replay "$trace" || status=$?
run "${stack[@]}" --limit 3000 --output "$work/2" --replay "$trace" || status=$?
[ $status != 0 ] || cmp "$work/1" "$work/2" >"$work/log" 2>&1 || status=1
result "a replay gives the same JSON twice" $status

# What both count, with the same names.
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
result "a fio job takes what the flash takes" $status

status=0
run --flash "channels 0" -- true && status=1
grep -q 'channels: "0" is not a number from 1 to 64' "$work/log" || status=1
result "what the kernel refuses is shown" $status

status=0
for words in "--size 1x -- true" "--size" "--replay" "--replay /nothing" "trace.csv" "--latency-us 1s -- true"; do
	code=0
	# shellcheck disable=SC2086
	run $words >/dev/null || code=$?
	[ $code = 2 ] || { echo "$words: status $code" >>"$work/log"; status=1; }
done
result "bad usage is refused" $status

exit $failed
