#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: the tracepoints of ssdflash fire and agree with the statistics
# lane: uml-debug
# long: vm-6.12

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

events="request complete gc erase stall"

# Two planes of 16 blocks of 4 pages: 102 pages for the host. Round times: a page takes 40960 ns over the channel.
tiny=(channels 2 chips 1 dies 1 planes 1 blocks 16 pages 4 page_bytes 4096 read_ns 50000 program_ns 500000 erase_ns 2000000
	transfer_ps 10000 over_provisioning 20 gc_threshold 0 gc_urgent 0 allocation static)

setup() {
	make_nullb 16 irqmode=0 discard=1
	make_flash f0 "$NULLB" $((102 * 8)) "${tiny[@]}"
	dm_dir f0
	read -r number <"$DM_DIR/dev"
}

# times REGEX: number of matching lines in the trace
times() {
	grep -cE "$1" "$scratch/trace" || :
}

exist() {
	local event

	for event in $events; do
		[ -e "$TRACING/events/ssdflash/ssdflash_$event/format" ] || fail "no event ssdflash_$event"
	done
}

# With nothing else in flight, a request takes the time of its pages. The kernel turns a durable write into a write with
# FUA followed by a FLUSH.
requests() {
	setup
	trace_start ssdflash
	blkio write /dev/mapper/f0 0 8k 1
	blkio check /dev/mapper/f0 4k 4k 1
	blkio fua /dev/mapper/f0 8k 4k 1
	blkio discard /dev/mapper/f0 4k 4k
	blkio flush /dev/mapper/f0
	wait_quiescent f0
	trace_stop >"$scratch/trace"
	diff <(sed -n "s/.*ssdflash_\(request\|complete\): device $number /\1 /p" "$scratch/trace") - <<-END
		request write 0 + 16
		complete write 0 + 16, $((40960 + 500000)) ns
		request read 8 + 8
		complete read 8 + 8, $((50000 + 40960)) ns
		request write fua 16 + 8
		complete write 16 + 8, $((40960 + 500000)) ns
		request flush 0 + 0
		complete flush 0 + 0, 0 ns
		request discard 8 + 8
		complete discard 8 + 8, 0 ns
		request flush 0 + 0
		complete flush 0 + 0, 0 ns
	END
	expect "other events" "$(times 'ssdflash_(gc|erase|stall)')" -eq 0
}

# sum FIELD EVENT: sum of the numbers in front of a word in the lines of an event
sum() {
	awk -v field="$1" -v event="ssdflash_$2:" '
		$0 ~ event { for (i = 1; i <= NF; i++) if ($i == field) sum += $(i - 1) }
		END { print sum + 0 }' "$scratch/trace"
}

# With no concurrent writes, each valid page of each victim is moved.
collection() {
	local i

	setup
	blkio write /dev/mapper/f0 0 408k 1
	wait_quiescent f0
	trace_start ssdflash
	for ((i = 0; i < 30; i++)); do
		blkio write /dev/mapper/f0 $((i * 7 % 102 * 4))k 4k 2
		wait_quiescent f0
	done
	trace_stop >"$scratch/trace"
	expect_stat f0 gc_runs -gt 2
	expect_stat f0 gc_programs -gt 2
	expect_stat f0 gc_runs -eq "$(times "ssdflash_gc: device $number plane [01] block ([0-9]|1[0-5]), [0-3] valid pages\$")"
	expect_stat f0 gc_runs -eq "$(times ssdflash_gc)"
	expect_stat f0 gc_programs -eq "$(sum valid gc)"
	expect_stat f0 erases -eq "$(times "ssdflash_erase: device $number plane [01] block ([0-9]|1[0-5]), erased [1-9] times\$")"
	# Blocks are erased in the order in which they were collected.
	diff <(sed -n 's/.*ssdflash_gc: \(.*\),.*/\1/p' "$scratch/trace") \
		<(sed -n 's/.*ssdflash_erase: \(.*\),.*/\1/p' "$scratch/trace")
	get f0 stats/max_erases
	traced "ssdflash_erase: .*, erased $VALUE times\$"
	expect "more erases than that" "$(times "erased $((VALUE + 1)) times")" -eq 0
}

# More concurrent writes than the device has room for.
stalls() {
	local op max

	setup
	trace_start ssdflash
	fio --name=j --filename=/dev/mapper/f0 --rw=randwrite --bs=4k --size=408k --io_size=1m --direct=1 --ioengine=libaio \
		--iodepth=64 --randrepeat=1 >"$scratch/fio"
	wait_quiescent f0
	trace_stop >"$scratch/trace"
	expect_stat f0 stalled_writes -gt 0
	expect_stat f0 stalled_writes -eq "$(times "ssdflash_stall: device $number page at [0-9]+\$")"
	expect_stat f0 erases -eq "$(times ssdflash_erase)"
	expect_stat f0 host_programs -eq "$(times ssdflash_request:.*write)"
	expect "ends" "$(times ssdflash_complete)" -eq "$(times ssdflash_request)"
	for op in read write; do
		max=$(sed -n "s/.*ssdflash_complete: .* $op .* \([0-9]*\) ns\$/\1/p" "$scratch/trace" | sort -n | tail -n 1)
		flash_latency f0 $op max_ns
		expect "longest $op" "${max:-0}" -eq "$VALUE"
	done
}

# With real garbage collection and erases: a quiescent device has finished them on the medium, too. 30 zones of 256 pages
# hold the host's 4096 pages; writing twice as much at random makes victims with valid pages.
zoned() {
	make_nullb 32 zoned=1 zone_size=1 irqmode=0
	make_flash f0 "$NULLB" 32768 channels 1 chips 1 dies 1 planes 2 page_bytes 4096 read_ns 2000 program_ns 10000 \
		erase_ns 50000 transfer_ps 100 over_provisioning 35 gc_threshold 20
	dm_dir f0
	read -r number <"$DM_DIR/dev"
	trace_start ssdflash:ssdflash_gc ssdflash:ssdflash_erase
	fio --name=j --filename=/dev/mapper/f0 --rw=randwrite --bs=32k --size=16m --io_size=32m --norandommap --direct=1 \
		--ioengine=libaio --iodepth=4 --randrepeat=1 >"$scratch/fio"
	wait_quiescent f0
	trace_stop >"$scratch/trace"
	expect_stat f0 gc_programs -gt 0
	# Pages that are overwritten during collection are not moved.
	expect_stat f0 gc_programs -le "$(sum valid gc)"
	expect_stat f0 gc_runs -eq "$(times "ssdflash_gc: device $number ")"
	expect_stat f0 erases -eq "$(times "ssdflash_erase: device $number ")"
	diff <(sed -n 's/.*ssdflash_gc: \(.*\),.*/\1/p' "$scratch/trace" | sort) \
		<(sed -n 's/.*ssdflash_erase: \(.*\),.*/\1/p' "$scratch/trace" | sort)
}

# Events name their device; disabled events are not traced.
two_devices() {
	local first

	setup
	first=$number
	make_nullb 16 irqmode=0
	make_flash f1 "$NULLB" 800 "${tiny[@]}"
	dm_dir f1
	read -r number <"$DM_DIR/dev"
	trace_start ssdflash:ssdflash_request
	blkio write /dev/mapper/f0 0 4k 1
	blkio write /dev/mapper/f1 8k 4k 1
	trace_stop >"$scratch/trace"
	traced "ssdflash_request: device $first write 0 \+ 8\$"
	traced "ssdflash_request: device $number write 16 \+ 8\$"
	expect "events" "$(wc -l <"$scratch/trace")" -eq 2
}

run_test "the tracepoints exist" exist
run_test "requests and their times" requests
run_test "garbage collection" collection
run_test "stalled writes" stalls
run_test "a zoned origin" zoned
run_test "two devices" two_devices
