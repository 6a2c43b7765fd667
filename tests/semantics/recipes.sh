#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: the recipes of Documentation/watching.md for bpftrace, perf and blktrace, as they are printed there
# long: vm-6.1
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
PATH=$tree/userspace/build/bin:$PATH
recipes=$tree/Documentation/watching.md

# What each recipe prints, in their order; the first word names the program that it needs.
wanted=(
	'bpftrace @us\[1\]:'
	'bpftrace @pages\[0\]: [0-9]+'
	'bpftrace op [01], sector [0-9]+ \+ 8: [0-9]+ us'
	'perf [0-9,]+ +ssdcache:ssdcache_complete'
	'perf ssdcache:ssdcache_complete: origin .* 0x1 [0-9]+ \+ 8, [0-9]+ ns, error 0'
	'perf [0-9.]+% .*\[k\]'
	'blktrace write +[0-9]+'
	'blktrace nullb[0-9]*: [0-9]+ requests, [0-9.]+ MiB'
)

recipe() {
	local number=$1 program=${wanted[$1]%% *} pattern=${wanted[$1]#* } loader status=0

	[ -n "$(type -P "$program")" ] || skip "no $program: scripts/lab/deps.sh recipes"
	awk -v number="$number" '/^```sh$/ { inside = n++ == number; next } /^```$/ { inside = 0 } inside' "$recipes" >"$scratch/recipe"
	make_nullb 16 irqmode=2 completion_nsec=200000
	make_cache fast "$NULLB" dram 1m admission read-write
	# A request each millisecond or so while the recipe runs. A thread, as a process of its own would outlive its parent.
	fio --thread --name=load --filename=/dev/mapper/fast --rw=randrw --bs=4k --size=8m --direct=1 --ioengine=psync --thinktime=1ms \
		--runtime=600 --time_based --norandommap >/dev/null &
	loader=$!
	bash -eu "$scratch/recipe" >"$scratch/printed" 2>&1 || status=$?
	kill "$loader"
	wait "$loader" || :
	wait_quiescent fast
	[ "$status" = 0 ] || fail "exit status $status: $(tail -n 20 "$scratch/printed")"
	grep -qE -- "$pattern" "$scratch/printed" || fail "no line matches '$pattern' in: $(head -n 40 "$scratch/printed")"
}

every() {
	expect_eq "recipes that are tested" "${#wanted[@]}" "$(grep -c '^```sh$' "$recipes")"
}

run_test "each recipe is tested" every
for number in "${!wanted[@]}"; do
	run_test "recipe $((number + 1)): ${wanted[number]%% *}" recipe "$number"
done
