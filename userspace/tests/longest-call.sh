#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# No call into the engine, for which the kernel driver holds the cache's lock, is longer than 2000 basic blocks: every policy,
# admission scheme and prefetcher, on a capture with FLUSH and discards, on pages of 64 KiB, on requests of 1 MiB, also for pages that
# return, and on FLUSHes of thousands of pages. Counts of blocks depend on the compiler a little, and on nothing else.
#
#	longest-call.sh SSDCACHE-SIM-CALLS

set -uo pipefail
sim=$(realpath "$1")
cd "$(dirname "$0")/../.." || exit 2
# shellcheck source-path=SCRIPTDIR source=tap.sh
. userspace/tests/tap.sh
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

most=2000
demo=traces/demo-ext4.csv.zst

# Long requests, which overlap; long requests for pages that were evicted or discarded and return, beside others that stayed; pages in
# random frames, of which a FLUSH finds all dirty; neighbours that are hit again and again, so that a page sees all of them; writes of
# all pages of a small device, which must collect garbage; and reads of a few blocks, all of which occur together often, or in sets that
# contain each other.
python3 - "$scratch" <<'PYTHON'
import random, sys

def trace(name, requests):
    with open(f"{sys.argv[1]}/{name}", "w", encoding="ascii") as out:
        out.write("# ssdcache-trace 1\n")
        for i, (op, page, pages) in enumerate(requests):
            out.write(f"{i * 100000},{op},{page * 8},{pages * 8},\n")

def long_requests(rng):
    for _ in range(1500):
        yield rng.choice("RRW"), int(30000 * rng.random() ** 3), 256

def returning(rng):
    for page in range(0, 7000, 2):
        yield "W", page, 1
    for _ in range(600):
        yield rng.choice("RRW"), rng.randrange(7500), 256
    for _ in range(2500):
        yield rng.choice("RWWD"), rng.randrange(9000), 256

def synced(rng):
    for _ in range(3):
        for page in rng.sample(range(8000), 8000):
            yield "W", page, 1
        yield "F", 0, 0

def neighbours(rng):
    for i in range(9000):
        yield "W", i % 2200, 1
    for _ in range(2000):
        page = rng.randrange(2048)
        for _ in range(rng.randrange(1, 5)):
            yield "W", page, 1
            yield "R", page, 1

def collected(rng):
    for _ in range(3000):
        if rng.random() < 0.3:
            yield "R", rng.randrange(3000), 64
        else:
            yield "W", rng.randrange(3000), rng.choice((1, 1, 1, 30))

def mined(rng, sixteen_blocks):
    for _ in range(6):
        for transaction in range(16):
            for block in sixteen_blocks(rng, transaction):
                yield "R", 64 * block, 8
        for page in range(768):
            yield "W", 9000 + page, 1

def nested(_, transaction):
    return [block if block < 16 - transaction else 0 for block in range(16)]

trace("dense", mined(random.Random(1), lambda rng, _: rng.sample(range(24), 16)))
trace("scattered", mined(random.Random(1), lambda rng, _: rng.choices(range(128), k=16)))
trace("nested", mined(random.Random(1), nested))
trace("collected", collected(random.Random(1)))
trace("long", long_requests(random.Random(1)))
trace("returning", returning(random.Random(5)))
trace("synced", synced(random.Random(3)))
trace("neighbours", neighbours(random.Random(2)))
PYTHON

# longest OPTION...: prints "BLOCKS FUNCTION" of the longest call
longest() {
	"$sim" "$@" 2>&1 >/dev/null | awk '$1 == "longest-call" && $4 > most { most = $4; name = $2 } END { print most + 0, name }'
}

# bound NAME RUN OPTION...: checks a run, and notes its longest call
bound() {
	local name=$1 run=$2 blocks function
	shift 2

	read -r blocks function < <(longest "$@")
	[ "$blocks" -gt "$longest_blocks" ] && longest_blocks=$blocks
	[ "$blocks" -gt 0 ] || { status=1; why+="$name: the run on $run counted nothing"$'\n'; }
	[ "$blocks" -lt "$most" ] || { status=1; why+="$name: $blocks blocks in $function, $run"$'\n'; }
}

# plug_in NAME OPTION...: all runs
plug_in() {
	local name=$1 status=0 why="" longest_blocks=0
	shift

	bound "$name" "the demo's capture" --dram 8m "$@" $demo
	bound "$name" "pages of 64 KiB" --dram 8m --page 64k "$@" $demo
	bound "$name" "requests of 1 MiB" --dram 32m "$@" "$scratch/long"
	bound "$name" "pages that return" --dram 16m "$@" "$scratch/returning"
	bound "$name" "FLUSHes of 8000 pages" --dram 64m --write-us 500 "$@" "$scratch/synced"
	bound "$name" "the same on busy flash" --dram 64m --flash lin22 "$@" "$scratch/synced"
	result $status "longest call: $name: $longest_blocks of $most basic blocks" "$why"
}

while read -r kind name _; do
	case $kind in
	replacement)
		[ "$name" = opt ] || plug_in "$name" --admission read-write --replacement "$name"
		;;
	admission) plug_in "$name" --admission "$name" ;;
	prefetch) plug_in "$name" --admission read-write --prefetch "$name" ;;
	esac
done < <("$sim" --describe=names)

# The chips of nearly all pages collect garbage, so a policy that asks for the chips looks at many pages.
flash=lin22:channels=2,chips=1,dies=1,planes=4,blocks=32,pages=64,allocation=static
for name in gcar ecr lcr co-active freeboard; do
	status=0 why="" longest_blocks=0
	bound "$name" "a device that collects garbage" --dram 1m --fold --flash $flash --admission read-write --replacement "$name" \
		"$scratch/collected"
	result $status "longest call: $name on a device that collects garbage: $longest_blocks of $most basic blocks" "$why"
done

# Mining with many sets, in trees with many branches and in long paths; reads of pages of many patterns, all of which fire.
for name in pattern pattern-plus c-miner rop; do
	status=0 why="" longest_blocks=0
	for run in dense scattered nested; do
		bound "$name" "$run reads" --dram 4m --prefetch "$name" "$scratch/$run"
		case $name in
		pattern*)
			bound "$name" "$run reads, sets of two" --dram 4m --prefetch "$name:max_elements=2" "$scratch/$run"
			bound "$name" "$run reads, rare sets" --dram 4m --prefetch "$name:max_elements=3,min_support=2" "$scratch/$run"
			;;
		esac
	done
	result $status "longest call: $name on reads with many patterns: $longest_blocks of $most basic blocks" "$why"
done

# A hit that moves all 128 pages that the page can see.
status=0 why="" longest_blocks=0
for spec in vs-batch-plus:gap=64 vs-batch-plus:gap=64,move=always vs-batch-plus:gap=64,move=literal vs-batch:gap=64,move=always,rebuild=5; do
	bound "$spec" "neighbours" --dram 8m --admission read-write --replacement "$spec" "$scratch/neighbours"
done
result $status "longest call: hits that move 128 pages: $longest_blocks of $most basic blocks" "$why"
finish
