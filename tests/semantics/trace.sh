#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: the tracepoints exist and fire with the right values; block events name both devices
# lane: uml-debug
# long: vm-6.1 vm-6.12 vm-newest

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

events="request complete io_start io_done switch"

exist() {
	local event

	for event in $events; do
		[ -e "$TRACING/events/ssdcache/ssdcache_$event/format" ] || fail "no event ssdcache_$event"
	done
}

fire() {
	local number

	make_nullb 16 discard=1
	read -r number <"/sys/block/${NULLB#/dev/}/dev"
	make_cache c0 "$NULLB" dram 64k admission read-write
	trace_start ssdcache block:block_bio_queue
	blkio write /dev/mapper/c0 0 64k 1
	blkio check /dev/mapper/c0 1m 8k 0
	message c0 flush
	blkio fua /dev/mapper/c0 4k 4k 2
	blkio discard /dev/mapper/c0 8k 4k
	message c0 replacement cflru:window=10
	put c0 admission write-buffer
	wait_quiescent c0
	trace_stop >"$scratch/trace"
	traced "ssdcache_request: origin $number write 0 \+ 128"
	traced "ssdcache_request: origin $number read 2048 \+ 16"
	traced "ssdcache_request: origin $number write fua 8 \+ 8"
	traced "ssdcache_request: origin $number discard 16 \+ 8"
	traced "ssdcache_complete: origin $number #[0-9]+ write 0 \+ 128, [0-9]+ ns, error 0"
	traced "ssdcache_complete: origin $number #[0-9]+ discard 16 \+ 8, [0-9]+ ns, error 0"
	traced "ssdcache_io_start: origin $number flush evict frame [0-9]+, [0-9]+ \+ 8, error 0"
	traced "ssdcache_io_done: origin $number flush evict frame [0-9]+, [0-9]+ \+ 8, error 0"
	traced "ssdcache_io_start: origin $number fill frame [0-9]+, 20(48|56) \+ 8, error 0"
	traced "ssdcache_io_done: origin $number flush forced frame [0-9]+, 8 \+ 8, error 0"
	traced "ssdcache_switch: origin $number replacement cflru:window=10"
	traced "ssdcache_switch: origin $number admission write-buffer"
	dm_dir c0
	traced "block_bio_queue: $(tr : , <"$DM_DIR/dev") WS? 0 \+ 128"
	traced "block_bio_queue: ${number/:/,} W[^ ]* "
}

# Each reason of a flush, and errors.
reasons() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 256k replacement cflru-ef:threshold=50,adapt=off retry_ms 1
	trace_start ssdcache
	blkio write /dev/mapper/c0 0 256k 1
	wait_stat c0 early_flushed -gt 0
	message c0 set threshold 100
	blkio write /dev/mapper/c0 0 4k 1
	message c0 set flush_interval_s 1
	wait_stat c0 periodic_flushed -gt 0
	message c0 set flush_interval_s 0
	nullb_set "$NULLB" badblocks=+0-100
	blkio write /dev/mapper/c0 0 4k 1
	expect_fail message c0 flush
	nullb_set "$NULLB" badblocks=-0-100
	wait_stat c0 retry_flushed -gt 0
	# One request, within one interval, makes nearly half of the pages dirty (null_blk takes no longer one). After an idle
	# interval, a single write is written through.
	message c0 admission corw-1:period_ms=20
	blkio write /dev/mapper/c0 1m 124k 1
	wait_stat c0 admission/quiet_writes -eq 1
	blkio write /dev/mapper/c0 2m 4k 1
	wait_stat c0 through_flushed -eq 1
	trace_stop >"$scratch/trace"
	traced "ssdcache_io_done: .* flush early .* error 0"
	traced "ssdcache_io_done: .* flush periodic .* error 0"
	traced "ssdcache_io_done: .* flush forced .* error -5"
	traced "ssdcache_io_done: .* flush retry .* error 0"
	traced "ssdcache_io_done: .* flush through .* 4096 \+ 8, error 0"
}

run_test "the tracepoints exist" exist
run_test "the tracepoints fire" fire
run_test "reasons of flushes and errors are traced" reasons
