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

# refuses TEXT COMMAND...: run-all.sh says so in one line, and starts no job
refuses() {
	local text=$1

	shift
	expect_fail "$@"
	expect_eq "what is said of $1 $2" "$OUTPUT" "run-all.sh: $text"
}

all_jobs_have_a_device() {
	make_nullb 64
	refuses "$NULLB has 64 MiB: the jobs need 512 MiB" "$jobs/run-all.sh" "$NULLB" 1
	make_cache c0 "$NULLB" dram 1m
	refuses "$NULLB is in use, by a mount or by another device: the jobs would overwrite it" "$jobs/run-all.sh" "$NULLB" 1
	dmsetup remove c0
	blockdev --setro "$NULLB"
	refuses "$NULLB is read-only" "$jobs/run-all.sh" "$NULLB" 1
	blockdev --setrw "$NULLB"
}

# A part of a job that has moved nothing is no result: here its first block is beyond the end of the device.
all_parts_have_results() {
	make_nullb 64
	DEV=$NULLB RUNTIME=1 fio --output-format=json --output="$scratch/json" "$jobs/mixed-sizes.fio"
	expect_fail python3 "$jobs/summary.py" mixed-sizes "$scratch/json"
	expect_eq "the last line" "${OUTPUT##*$'\n'}" "summary.py: mixed-sizes: stream: no requests"
}

# fio ends with a status of its own, so the shell alone would start the next job.
interrupt_ends_all() {
	local pid status=0

	make_nullb 512
	# Where the shell runs it in the background, the signal would be ignored.
	env --default-signal=INT setsid "$jobs/run-all.sh" "$NULLB" 9 >"$scratch/table" 2>&1 &
	pid=$!
	# Before that, fio may not yet catch the signal.
	# shellcheck disable=SC2016 # for awk
	poll 60 "fio writes" awk '$5 == 0 { exit 1 }' "/sys/block/${NULLB##*/}/stat"
	kill -INT -- "-$pid"
	wait "$pid" || status=$?
	expect_eq "exit status" "$status" 130
	expect_fail grep '^fsync ' "$scratch/table"
	expect_fail pgrep -g "$pid"
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
run_test "run-all.sh refuses a device that is small, in use or read-only" all_jobs_have_a_device
run_test "a part of a job without requests is an error" all_parts_have_results
run_test "Ctrl-C ends run-all.sh" interrupt_ends_all
