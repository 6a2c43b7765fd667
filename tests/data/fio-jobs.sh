#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: every job in fio-jobs/ runs on a cache; bursts.fio shows early flush
# lane: uml

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

jobs=$(cd "$(dirname "$0")/../../fio-jobs" && pwd -P)

setup() {
	make_nullb 512
	make_cache c0 "$NULLB" dram 4m admission read-write "$@"
}

job() {
	DEV=/dev/mapper/c0 RUNTIME=${2-1} fio --output="$scratch/fio" "$jobs/$1.fio" || { cat "$scratch/fio"; fail "fio fails"; }
	wait_quiescent c0 20
	expect_stat c0 failed_requests -eq 0
}

moves_data() {
	setup replacement "$2"
	job "$1"
	get c0 stats/reads
	reads=$VALUE
	get c0 stats/writes
	expect "requests" $((reads + VALUE)) -gt 50
}

# Early flush happens in the gaps between bursts: most pages are flushed there.
early_flush_shows() {
	setup replacement cflru-ef-sc:threshold=10,adapt=off
	job bursts 3
	get c0 stats/early_flushed
	expect "pages flushed early" "$VALUE" -gt 100
	early=$VALUE
	get c0 stats/batch_flushed
	expect "pages flushed early" "$early" -gt "$VALUE"
	dmsetup remove c0
	make_cache c0 "$NULLB" dram 4m admission read-write replacement lru
	job bursts 3
	expect_stat c0 early_flushed -eq 0
}

# Every job once, each with another policy; with SSDC_LONG, every policy, too.
setup
names_of c0 replacement
remove_all
files=("$jobs"/*.fio)
for ((i = 0; i < ${#files[@]} || i < ${SSDC_LONG:+${#NAMES[@]}}+0; i++)); do
	name=$(basename "${files[i % ${#files[@]}]}" .fio)
	policy=${NAMES[i % ${#NAMES[@]}]}
	run_test "$name.fio, $policy" moves_data "$name" "$policy"
done
run_test "bursts.fio shows early flush" early_flush_shows
