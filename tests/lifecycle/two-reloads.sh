#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: two processes reload a device at the same time while its origin fails: dirty pages stay
# lane: vm-6.12
# timeout: 420

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SSDC_LONG:+100}
seconds=${seconds:-25}

# A table is destroyed after the resume of the next one, without a lock. A process of low priority may be stopped in between, and
# the other process then resumes a further table.
two_processes() {
	local i pids=() hogs=()

	make_nullb 16
	blkio write "$NULLB" 0 2m 9
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 1m retry_ms 1
	blkio write /dev/mapper/c0 0 512k 1
	swap_table origin "0 32768 error"
	table /dev/mapper/origin dram 1m retry_ms 1
	for ((i = 0; i < 3000; i++)); do
		printf 'reload c0 %s\nresume c0\n' "$TABLE"
	done >"$scratch/lines"
	for ((i = 0; i < 4; i++)); do
		(while :; do :; done) &
		hogs+=($!)
	done
	log_mark
	chrt -i 0 dm-batch <"$scratch/lines" >"$scratch/answers.1" &
	pids+=($!)
	dm-batch <"$scratch/lines" >"$scratch/answers.2" &
	pids+=($!)
	for ((i = 0; i < seconds; i++)); do
		pause 1
		! dmesg | grep -q "are lost" || break
	done
	kill "${hogs[@]}" "${pids[@]}" || :
	wait || :
	expect "reloads and resumes" "$(cat "$scratch"/answers.* | grep -c ^ok)" -ge 20
	! dmesg | grep "are lost" || fail "a reload has lost dirty pages"
	# A process that was killed may have left the device suspended.
	dmsetup resume c0
	expect_stat c0 dirty -eq 128
	blkio check /dev/mapper/c0 0 512k 1
	swap_table origin "0 32768 linear $NULLB 0"
	message c0 flush
	dmsetup remove c0
	blkio check "$NULLB" 0 512k 1 1536k 9
}

run_test "two processes reload a device whose origin fails" two_processes
