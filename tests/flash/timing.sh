#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: ssdflash in virtual time: times of requests, to the nanosecond; the device view of ssdcache
# lane: uml-time

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Round numbers: a page of 4096 bytes takes 40960 ns over its channel.
read_ns=50000 program_ns=500000 move_ns=40960
geometry=(channels 4 chips 1 dies 1 planes 1 blocks 128 pages 16 page_bytes 4096 read_ns "$read_ns" program_ns "$program_ns"
	erase_ns 2000000 transfer_ps 10000 over_provisioning 10 gc_threshold 0 gc_urgent 0 allocation static)

setup() {
	make_nullb 16 irqmode=0
	make_flash f0 "$NULLB" 32768 "${geometry[@]}" "$@"
}

# takes OP NS OFFSET LENGTH: time of one request in the model
takes() {
	dmsetup message f0 0 reset_stats
	case $1 in
	read) dd if=/dev/mapper/f0 of=/dev/null iflag=direct,skip_bytes skip="$3" bs="$4" count=1 status=none ;;
	write) dd if=/dev/zero of=/dev/mapper/f0 oflag=direct,seek_bytes seek="$3" bs="$4" count=1 status=none ;;
	esac
	flash_latency f0 "$1" max_ns
	expect "$1 of $4 bytes at $3" "$VALUE" -eq "$2"
}

closed_form() {
	setup
	takes write $((move_ns + program_ns)) 0 4096
	takes read $((read_ns + move_ns)) 0 4096
	takes read $((read_ns + move_ns / 8)) 512 512
	# One page on each of four channels in parallel; then four pages on each.
	takes write $((move_ns + program_ns)) 0 16384
	takes read $((read_ns + move_ns)) 0 16384
	takes write $((4 * (move_ns + program_ns))) 0 65536
	takes read $((4 * (read_ns + move_ns))) 0 65536
	# A partial page write reads the rest of the page first.
	takes write $((read_ns + move_ns / 2 + move_ns + program_ns)) 2048 2048
	# With a cache register.
	dmsetup remove f0
	make_flash f0 "$NULLB" 32768 "${geometry[@]}" cache_program on
	takes write $((move_ns + 4 * program_ns)) 0 65536
}

# The host sees the model's time plus the cost of clock reads and system calls.
the_host_sees_it() {
	setup
	blkio write /dev/mapper/f0 0 16k 1
	fio --name=j --filename=/dev/mapper/f0 --rw=read --bs=4k --size=64k --direct=1 --ioengine=psync \
		--clocksource=clock_gettime --output-format=json --output="$scratch/fio"
	mean=$(jq '.jobs[0].read.clat_ns.mean | floor' "$scratch/fio")
	expect "mean of fio" "$mean" -ge $((read_ns + move_ns))
	expect "mean of fio" "$mean" -le $((read_ns + move_ns + 3000))
}

us() {
	VALUE=${EPOCHREALTIME/./}
}

# start_writes BYTES [SPAN]: 128 writes of so many bytes at once, in the background as $writes; with SPAN, in random places
start_writes() {
	burst /dev/mapper/f0 128 "$@" &
	writes=$!
	wait_stat f0 inflight -eq 128
}

# A suspend completes the requests in flight as soon as the origin has done its part. In the model each takes its time: 32
# pages of 1 s on each of four channels. After a resume the device is as slow as before.
suspend_is_short() {
	local page=$((move_ns + 1000000000)) start

	if [ "$1" = zoned ]; then
		make_nullb 64 zoned=1 zone_size=1 irqmode=0
		make_flash f0 "$NULLB" 32768 channels 4 chips 1 dies 1 planes 1 page_bytes 4096 transfer_ps 10000 \
			program_ns 1000000000 allocation static over_provisioning 40
	else
		setup program_ns 1000000000
	fi
	start_writes 4096
	us
	start=$VALUE
	dmsetup suspend f0
	us
	expect "us for a suspend" $((VALUE - start)) -lt 100000
	wait $writes
	expect_value f0 state suspended
	expect_stat f0 inflight -eq 0
	flash_latency f0 write max_ns
	expect "latency in the model" "$VALUE" -eq $((32 * page))
	dmsetup resume f0
	us
	start=$VALUE
	takes write $page 0 4096
	us
	expect "us for a write" $((VALUE - start)) -ge $((page / 1000))
	expect "us for a write" $((VALUE - start)) -lt $((page / 1000 + 100000))
	# Reloads and removals are suspends, too.
	start_writes 4096
	us
	start=$VALUE
	dmsetup reload f0 --table "$(dmsetup table f0)"
	dmsetup resume f0
	us
	expect "us for a reload" $((VALUE - start)) -lt 100000
	wait $writes
}

# Writes that wait for garbage collection: a suspend does not wait for the pages to be moved and the blocks to be erased.
suspend_while_collecting() {
	local geometry=(channels 4 chips 1 dies 1 planes 1 page_bytes 65536 over_provisioning 40) start

	make_nullb 64 zoned=1 zone_size=1 irqmode=0
	make_flash f0 "$NULLB" 65536 "${geometry[@]}"
	fio --name=j --filename=/dev/mapper/f0 --rw=randwrite --bs=64k --size=32m --loops=4 --direct=1 --ioengine=libaio --iodepth=16 \
		--clocksource=clock_gettime >"$scratch/fio"
	dmsetup remove f0
	make_flash f0 "$NULLB" 65536 "${geometry[@]}" program_ns 1000000000 erase_ns 1000000000
	start_writes 65536 $((32 << 20))
	us
	start=$VALUE
	dmsetup suspend f0
	us
	expect "us for a suspend" $((VALUE - start)) -lt 100000
	wait $writes
	expect_value f0 state suspended
	expect_stat f0 erases -ge 4
	flash_latency f0 write max_ns
	expect "latency in the model" "$VALUE" -gt 20000000000
}

# Two equal runs give equal statistics.
repeats() {
	for run in 1 2; do
		setup allocation dynamic gc_threshold 5 channels 2 dies 2 planes 2 blocks 40
		fio --name=j --filename=/dev/mapper/f0 --rw=randrw --bs=4k-32k --io_size=24m --direct=1 --ioengine=libaio --iodepth=8 \
			--randrepeat=1 --clocksource=clock_gettime >"$scratch/fio"
		sleep 2
		{
			dmsetup status f0 | sed 's/ utilisation [0-9]*//'
			dmsetup message f0 0 channels
		} >"$scratch/run$run"
		remove_all
	done
	cat "$scratch/run1"
	diff "$scratch/run1" "$scratch/run2"
	grep -q 'gc_runs [1-9]' "$scratch/run1" || fail "no garbage collection"
}

# The early flush of cflru-ef may write one page per die; the flash device says how many dies there are.
cache_asks_the_flash() {
	setup
	make_cache c0 /dev/mapper/f0 dram 1m replacement cflru-ef:threshold=10,adapt=off,ef_dies=device
	blkio write /dev/mapper/c0 0 512k 1
	wait_quiescent c0 20
	get c0 stats/early_flushed
	early=$VALUE
	get c0 stats/early_flushes
	# Not 8, the estimate for an origin other than ssdflash: 4 channels with 2 dies.
	expect "pages of a batch" $(((early + VALUE - 1) / VALUE)) -eq 4
	blkio check /dev/mapper/c0 0 512k 1
}

need_tool jq
run_test "closed-form times" closed_form
run_test "the host sees the model's time" the_host_sees_it
run_test "the same input gives the same statistics" repeats
run_test "a suspend under load waits for the origin, not for the flash" suspend_is_short plain
run_test "a suspend under load waits for the origin, not for the flash: zones" suspend_is_short zoned
run_test "a suspend during garbage collection waits for the origin, not for the flash" suspend_while_collecting
run_test "ssdcache asks its flash device" cache_asks_the_flash
