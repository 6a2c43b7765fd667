#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: every replacement policy with every admission scheme and every prefetcher, while fio verifies its data
# lane: uml
# long: vm-6.1 vm-6.12 uml-debug
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

enough=${SSDC_LONG:+400}
enough=${enough:-25}

# requests_done NUMBER
requests_done() {
	local reads

	get c0 stats/reads
	reads=$VALUE
	get c0 stats/writes
	[ $((reads + VALUE)) -ge "$1" ]
}

# Wait for some requests with the current pair.
some_requests() {
	local reads

	get c0 stats/reads
	reads=$VALUE
	get c0 stats/writes
	poll 30 "requests" requests_done $((reads + VALUE + enough))
}

# Make learning schemes learn often.
spec_of() {
	SPEC=$1
	[[ $1 != *corw* ]] || SPEC+=:period_ms=10,rar_window=20,cold=1000
	[[ $1 != l-corw ]] || SPEC+=,tt_low=1,tt_high=2,rt_low=1,rt_high=1,epsilon=200
}

# Make mining prefetchers mine often.
prefetch_spec_of() {
	SPEC=$1
	[[ $1 != pattern* ]] || SPEC+=:window=64,mined=32,transaction=4,min_support=2
	[[ $1 != pattern-plus ]] || SPEC+=,tau_max=100000
	[[ $1 != c-miner ]] || SPEC+=:window=64,segment=8
}

# all_pairs RUNNING: every pair, one after the other; removes the file RUNNING at the end
all_pairs() {
	local policies admissions prefetchers policy admission prefetcher

	mapfile -t policies < <(show c0 available_replacement | cut -f1)
	mapfile -t admissions < <(show c0 available_admission | cut -f1)
	mapfile -t prefetchers < <(show c0 available_prefetch | cut -f1)
	for policy in "${policies[@]}"; do
		message c0 replacement "$policy"
		for admission in "${admissions[@]}"; do
			spec_of "$admission"
			message c0 admission "$SPEC"
			some_requests
			expect_value c0 replacement "$policy"
			expect_value c0 admission "$SPEC"
			echo "$policy $admission" >>"$1.pairs"
		done
		for prefetcher in "${prefetchers[@]}"; do
			prefetch_spec_of "$prefetcher"
			message c0 prefetch "$SPEC"
			some_requests
			expect_value c0 replacement "$policy"
			expect_value c0 prefetch "$SPEC"
			echo "$policy $prefetcher" >>"$1.pairs"
		done
	done
	expect "pairs" "$(sort -u "$1.pairs" | wc -l)" -eq $((${#policies[@]} * (${#admissions[@]} + ${#prefetchers[@]})))
	rm "$1"
}

pairs() {
	local running=$scratch/running changer

	make_nullb 64
	make_cache c0 "$NULLB" dram 1m admission read-write "$@"
	: >"$running"
	: >"$running.pairs"
	all_pairs "$running" &
	changer=$!
	while [ -e "$running" ] && kill -0 $changer 2>/dev/null; do
		fio_verify 10 4 \
			--name=small --filename=/dev/mapper/c0 --offset=0 --size=24m --rw=randrw --bsrange=512-64k --bs_unaligned=0 \
			--name=hot --filename=/dev/mapper/c0 --offset=24m --size=2m --rw=randrw --rwmixread=70 --bs=4k \
			--name=sync --filename=/dev/mapper/c0 --offset=32m --size=8m --rw=randwrite --bs=8k --fsync=16 ||
			{ cat "$scratch/fio.txt"; fail "fio found wrong data"; }
	done
	wait $changer
	wait_quiescent c0 20
	expect_value c0 state ok
	expect_stat c0 failed_requests -eq 0
	expect_stat c0 through_flushed -gt 0
	expect_stat c0 admitted_reads -gt 0
	expect_stat c0 prefetched_pages -gt 0
	remove_dm
}

run_test "every policy with every admission scheme and every prefetcher, under fio verify" pairs
