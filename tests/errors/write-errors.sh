#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: a page that fails to flush stays dirty and is retried; the first error is kept; FLUSH fails
# lane: uml-debug
# long: vm-6.1

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

EIO=5

setup() {
	make_nullb 16
	blkio write "$NULLB" 0 2m 9
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 64k retry_ms 20 "$@"
}

# break_origin all|writes: from now on all requests of the origin fail, or only writes.
break_origin() {
	case $1 in
	all) swap_table origin "0 32768 error" ;;
	writes)
		need_driver flakey
		swap_table origin "0 32768 flakey $NULLB 0 0 60 1 error_writes"
		;;
	esac
}

mend_origin() {
	swap_table origin "0 32768 linear $NULLB 0"
}

expect_state() {
	local status words

	expect_value c0 state "$1"
	status=$(dmsetup status c0)
	read -ra words <<<"$status"
	expect_eq "state in '$status'" "${words[6]}" "$1"
	expect_eq "failed in '$status'" "${words[13]} ${words[14]}" "failed $2"
}

stays_dirty() {
	setup
	blkio write /dev/mapper/c0 0 32k 1
	break_origin "$1"
	expect_state ok 0
	expect_value c0 first_error 0
	expect_fail message c0 flush
	expect_stat c0 dirty -eq 8
	expect_stat c0 failed -eq 8
	expect_state error:$EIO 8
	expect_value c0 first_error -$EIO
	expect_fail blkio flush /dev/mapper/c0
	blkio check /dev/mapper/c0 0 32k 1
	mend_origin
	wait_stat c0 dirty -eq 0
	expect_stat c0 retry_flushed -eq 8
	expect_stat c0 failed -eq 0
	blkio check "$NULLB" 0 32k 1
	blkio flush /dev/mapper/c0
	# The state keeps the first error.
	expect_value c0 first_error -$EIO
	expect_state error:$EIO 0
	message c0 reset_stats
	expect_value c0 first_error -$EIO
}

# Pauses between failed retries of a page, in ms.
pauses() {
	awk '/ssdcache_io_start: .* retry / { sub(":", "", $4); t = $4 * 1000; if (n++) print int(t - last + 0.5); last = t }' "$1"
}

# The first failed write of a page is logged once, with its sector, and raises an event; those that follow do not.
first_error_is_reported() {
	local wait

	setup
	blkio write /dev/mapper/c0 1m 32k 1
	log_mark
	dmsetup wait c0 &
	wait=$!
	expect_eq "events" "$(dmsetup info -c --noheadings -o events c0)" 0
	break_origin writes
	expect_fail message c0 flush
	wait_stat c0 write_errors -ge 17
	expect_eq "lines of the log" "$(log_since | grep -c 'ssdcache: .*: write error')" 1
	expect_log 'write error of the origin at sector 2048 \(-5\): dirty pages stay in DRAM, repair the origin'
	expect_eq "events" "$(dmsetup info -c --noheadings -o events c0)" 1
	wait "$wait"
	mend_origin
	wait_stat c0 dirty -eq 0
}

# The pause between two retries doubles from one to the next. A busy host makes a pause longer, never shorter.
back_off() {
	local pause least=40 count=0

	setup
	blkio write /dev/mapper/c0 0 4k 1
	break_origin all
	echo mono >"$TRACING/trace_clock"
	trace_start ssdcache:ssdcache_io_start
	expect_fail blkio flush /dev/mapper/c0
	wait_stat c0 write_errors -ge 6
	trace_stop >"$scratch/trace"
	pauses "$scratch/trace" >"$scratch/pauses"
	while read -r pause; do
		expect "pause in ms before retry $count" "$pause" -ge $((least - 1))
		least=$((2 * least))
		count=$((count + 1))
	done <"$scratch/pauses"
	expect "pauses" "$count" -ge 4
	mend_origin
	wait_stat c0 dirty -eq 0
}

# Early flush of failing pages pauses between retries.
no_busy_loop() {
	local before

	setup replacement cflru-ef-sc:threshold=10,adapt=off retry_ms 500
	break_origin all
	blkio write /dev/mapper/c0 0 64k 1
	wait_stat c0 write_errors -ge 1
	pause 0.2
	get c0 stats/write_errors
	before=$VALUE
	pause 0.2
	get c0 stats/write_errors
	expect "failed writes in 0.2 s" $((VALUE - before)) -le 32
	mend_origin
	wait_stat c0 failed -eq 0
	blkio check /dev/mapper/c0 0 64k 1
}

# All frames are dirty and fail to flush: new writes fail, earlier ones are not lost.
no_evictable_frame() {
	local pids=() i

	setup
	blkio write /dev/mapper/c0 0 64k 1
	break_origin "$1"
	# The reserve has 16 frames: so many more pages are taken, and stay.
	blkio write /dev/mapper/c0 4m 64k 5
	expect_stat c0 dirty -eq 32
	expect_match "status" "$(dmsetup status c0)" ' frames 16 used 16 dirty 32 '
	for i in 1 2 3 4; do
		expect_fail timeout 20 blkio write /dev/mapper/c0 8m 4k 2
		expect_match "failure" "$OUTPUT" "Input/output error"
	done
	# Concurrent writes of several pages.
	for i in 1 2 3 4; do
		timeout 20 blkio write /dev/mapper/c0 "$((8 + i))m" 32k 2 &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		if wait "$i"; then
			fail "a write succeeds"
		else
			expect_eq "status of a write that fails" $? 1
		fi
	done
	expect_stat c0 dirty -eq 32
	expect_stat c0 failed_requests -ge 8
	expect_stat c0 waiting -eq 0
	blkio check /dev/mapper/c0 0 64k 1
	blkio check /dev/mapper/c0 4m 64k 5
	# A hit needs no frame.
	blkio write /dev/mapper/c0 8k 4k 3
	mend_origin
	wait_stat c0 failed -eq 0
	blkio write /dev/mapper/c0 3m 32k 4
	blkio flush /dev/mapper/c0
	blkio check /dev/mapper/c0 0 8k 1 4k 3 52k 1
	blkio check "$NULLB" 0 8k 1 4k 3 52k 1
	blkio check "$NULLB" 3m 32k 4
	blkio check "$NULLB" 4m 64k 5
	# Pages that are too many for the tier leave again.
	blkio write /dev/mapper/c0 8m 64k 6
	blkio flush /dev/mapper/c0
	expect_stat c0 used -eq 16
}

# Some pages fail to flush, others do not.
bad_blocks() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 256k retry_ms 20 "$@"
	blkio write /dev/mapper/c0 0 128k 1
	nullb_set "$NULLB" badblocks=+64-71 badblocks=+130-130
	expect_fail blkio flush /dev/mapper/c0
	expect_match "failure" "$OUTPUT" "Input/output error"
	# Adjacent pages are written by one bio, and fail together; retries must flush the good ones.
	wait_stat c0 dirty -eq 2
	expect_stat c0 failed -eq 2
	nullb_set "$NULLB" badblocks=-64-71 badblocks=-130-130
	wait_stat c0 dirty -eq 0
	blkio flush /dev/mapper/c0
	blkio check "$NULLB" 0 128k 1
}

# A FUA write fails if its page is not on the origin. The page stays in DRAM.
fua_fails() {
	setup
	break_origin "$1"
	expect_fail blkio fua /dev/mapper/c0 0 4k 1
	expect_match "failure" "$OUTPUT" "Input/output error"
	expect_stat c0 dirty -eq 1
	blkio check /dev/mapper/c0 0 4k 1
	mend_origin
	wait_stat c0 dirty -eq 0
	blkio check "$NULLB" 0 4k 1
	blkio fua /dev/mapper/c0 0 4k 2
	blkio check "$NULLB" 0 4k 2
}

# All pages are flushed, but then the FLUSH of the origin fails.
origin_flush_fails() {
	need_driver flakey
	make_nullb 16 cache_size=1
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 64k
	hold origin
	blkio flush /dev/mapper/c0 2>"$scratch/flush" &
	wait_stat c0 device_inflight -eq 1
	dmsetup reload origin --table "0 32768 flakey $NULLB 0 0 60 1 error_writes"
	release origin
	if wait $!; then
		fail "the FLUSH succeeds"
	fi
	expect_match "failure" "$(<"$scratch/flush")" "Input/output error"
	mend_origin
	blkio flush /dev/mapper/c0
}

# logged_pages WORDS: the number before the WORDS in the kernel log, as $PAGES
logged_pages() {
	PAGES=$(log_since | sed -n "s/.* \([0-9]*\) $1.*/\1/p")
}

# Only FLUSHes of the origin fail: the second half of the origin fails writes, and is not written. All pages become dirty again.
# The log counts all of them, although the failed FLUSH ends before the pages have been found.
origin_flush_leaves_pages() {
	need_driver flakey
	make_nullb 64 cache_size=1
	printf '%s\n' "0 65536 linear $NULLB 0" "65536 65536 linear $NULLB 65536" | dmsetup create origin
	make_cache c0 /dev/mapper/origin dram 32m retry_ms 60000 "$@"
	blkio write /dev/mapper/c0 0 28m 1
	dmsetup reload origin <<-TABLE
		0 65536 linear $NULLB 0
		65536 65536 flakey $NULLB 65536 0 60 1 error_writes
	TABLE
	hold origin
	release origin
	log_mark
	expect_fail message c0 flush
	logged_pages "dirty pages are left"
	expect_stat c0 dirty -eq "${PAGES:-0}"
	log_mark
	dmsetup suspend c0
	logged_pages "pages are still dirty"
	expect_stat c0 dirty -eq "${PAGES:-0}"
	expect "dirty pages" "$PAGES" -ge 4096
	dmsetup resume c0
	dmsetup reload origin <<-TABLE
		0 131072 linear $NULLB 0
	TABLE
	hold origin
	release origin
	message c0 flush
	expect_stat c0 dirty -eq 0
	blkio check "$NULLB" 0 28m 1
	dmsetup remove c0
}

# Dirty sectors are flushed even if the rest of their page cannot be read.
unreadable_rest_of_page() {
	make_nullb 16
	blkio write "$NULLB" 0 64k 9
	nullb_set "$NULLB" badblocks=+4-5
	make_cache c0 "$NULLB" dram 64k retry_ms 20
	blkio write /dev/mapper/c0 0 1k 1
	blkio write /dev/mapper/c0 3584 512 2
	blkio flush /dev/mapper/c0
	expect_stat c0 dirty -eq 0
	expect_stat c0 read_errors -ge 1
	nullb_set "$NULLB" badblocks=-4-5
	blkio check "$NULLB" 0 1k 1 2560 9 512 2
	blkio check /dev/mapper/c0 0 1k 1 2560 9 512 2 4k 9
}

# dm-dust fails reads of a block until it is written.
dust() {
	need_driver dust
	make_nullb 16
	dmsetup create origin --table "0 32768 dust $NULLB 0 4096"
	make_cache c0 /dev/mapper/origin dram 64k admission read-write
	dmsetup message origin 0 addbadblock 1
	dmsetup message origin 0 enable
	expect_fail blkio check /dev/mapper/c0 4k 4k 0
	blkio check /dev/mapper/c0 0 4k 0
	blkio write /dev/mapper/c0 4k 4k 1
	blkio check /dev/mapper/c0 0 4k 0 4k 1
	blkio flush /dev/mapper/c0
	blkio check "$NULLB" 0 4k 0 4k 1
}

# With a failing origin, suspend and remove end in bounded time and log what is lost.
suspend_and_remove() {
	setup
	blkio write /dev/mapper/c0 0 32k 1
	break_origin all
	log_mark
	timeout 20 dmsetup suspend c0
	expect_log "suspend: 8 pages are still dirty"
	expect_stat c0 dirty -eq 8
	dmsetup resume c0
	blkio check /dev/mapper/c0 0 32k 1
	log_mark
	timeout 20 dmsetup remove c0
	expect_log "8 dirty pages could not be written and are lost"
}

# A suspend fails to flush; after the origin is repaired and the device resumed, all data reach the origin.
suspend_and_mend() {
	setup
	blkio write /dev/mapper/c0 0 32k 1
	break_origin all
	dmsetup suspend c0
	mend_origin
	dmsetup resume c0
	wait_stat c0 dirty -eq 0
	blkio check "$NULLB" 0 32k 1
}

# A bad sector that the host never wrote does not stop dirty sectors of its page.
bad_sector_of_others() {
	make_nullb 16
	blkio write "$NULLB" 0 64k 9
	make_cache c0 "$NULLB" dram 1m page 64k admission read-write retry_ms 20
	blkio check /dev/mapper/c0 0 64k 9
	wait_stat c0 used -eq 1
	nullb_set "$NULLB" badblocks=+64-71
	blkio write /dev/mapper/c0 60k 4k 1
	message c0 flush
	expect_stat c0 dirty -eq 0
	expect_value c0 state ok
	blkio check "$NULLB" 60k 4k 1
}

# start_flush: send a FLUSH whose page writes the origin holds up
start_flush() {
	get c0 stats/dirty
	hold origin
	blkio flush /dev/mapper/c0 2>"$scratch/flush" &
	flush=$!
	wait_stat c0 device_inflight -eq "$VALUE"
}

# Likewise if the page is written while that flush is in flight: neither the older nor the newer data need the bad sector.
bad_sector_of_others_in_flight() {
	make_nullb 16
	blkio write "$NULLB" 0 64k 9
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 1m page 64k admission read-write retry_ms 20
	blkio check /dev/mapper/c0 0 64k 9
	wait_stat c0 used -eq 1
	nullb_set "$NULLB" badblocks=+64-71
	blkio write /dev/mapper/c0 60k 4k 1
	start_flush
	blkio write /dev/mapper/c0 52k 4k 2
	expect_stat c0 moved_writes -eq 1
	release origin
	wait "$flush" || fail "FLUSH: $(<"$scratch/flush")"
	message c0 flush
	expect_stat c0 dirty -eq 0
	expect_value c0 state ok
	blkio check "$NULLB" 52k 4k 2 4k 9 4k 1
}

# Pages are written while their flush is in flight, which fails. One I/O of the origin has 16 pages, each is retried alone.
fails_in_flight() {
	make_nullb 16
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 1m retry_ms 20 "$@"
	blkio write /dev/mapper/c0 0 64k 1
	start_flush
	blkio write /dev/mapper/c0 2k 59k 2
	expect_stat c0 moved_writes -ge 1
	nullb_set "$NULLB" badblocks=+66-67
	release origin
	if wait "$flush"; then
		fail "the FLUSH succeeds"
	fi
	expect_match "failure" "$(<"$scratch/flush")" "Input/output error"
	blkio check /dev/mapper/c0 0 2k 1 59k 2 3k 1
	# The FLUSH ends without the newer data; the next one fails, too.
	expect_fail blkio flush /dev/mapper/c0
	wait_stat c0 failed -eq 1
	expect_stat c0 dirty -eq 1
	reload_cache c0 /dev/mapper/origin dram 2m
	expect_stat c0 dirty -eq 1
	blkio check /dev/mapper/c0 0 2k 1 59k 2 3k 1
	nullb_set "$NULLB" badblocks=-66-67
	wait_stat c0 dirty -eq 0
	blkio flush /dev/mapper/c0
	blkio check "$NULLB" 0 2k 1 59k 2 3k 1
}

# Pages of the sequential region that could not be flushed return to the random region, which then holds more than its part. A pass
# evicts such a surplus at its end. FLUSH must end all the same: the victims cannot be flushed and return, too.
surplus_stays() {
	local i

	setup replacement vbbms
	blkio write /dev/mapper/c0 0 28k 1
	blkio write /dev/mapper/c0 1m 36k 1 12k
	expect_stat c0 dirty -eq 16
	break_origin all
	for i in 1 2 3; do
		expect_fail timeout 20 blkio flush /dev/mapper/c0
		expect_match "failure" "$OUTPUT" "Input/output error"
	done
	expect_stat c0 replacement/random_pages -gt 9
	expect_stat c0 dirty -eq 16
	mend_origin
	wait_stat c0 failed -eq 0
	blkio flush /dev/mapper/c0
	blkio check "$NULLB" 0 28k 1 996k 9 36k 1
}

# An SSD at the end of its life fails all writes. Its data can be read, though all frames are dirty.
reads_go_on() {
	setup admission read-write
	blkio write /dev/mapper/c0 0 64k 1
	break_origin writes
	expect_fail message c0 flush
	blkio check /dev/mapper/c0 0 64k 1 1984k 9
	expect_stat c0 failed_requests -eq 0
	mend_origin
	wait_stat c0 dirty -eq 0
	blkio check "$NULLB" 0 64k 1
}

# ext4 commits with a write that has PREFLUSH and FUA. Device-mapper splits such a write, and forgets an error of its FLUSH. The file system is
# on DEVICE: the cache, or a volume of two pieces on top of it. The journal is in the second piece.
journal_commit_fails() {
	local device=$1 page sector status=0

	shift
	make_nullb 64
	make_cache c0 "$NULLB" dram 2m "$@"
	[ "$device" = c0 ] || dmsetup create "$device" <<-PIECES
		0 64 linear /dev/mapper/c0 131008
		64 131008 linear /dev/mapper/c0 0
	PIECES
	mkfs.ext4 -q -b 4096 "/dev/mapper/$device"
	mkdir -p "$scratch/mnt"
	mount "/dev/mapper/$device" "$scratch/mnt"
	dd if=/dev/zero of="$scratch/mnt/file" bs=4k count=1 conv=fsync status=none
	page=$(filefrag -v "$scratch/mnt/file" | awk '$1 == "0:" { sub(/\.\./, "", $4); print $4 }')
	sector=$((page * 8))
	[ "$device" = c0 ] || sector=$((sector - 64))
	nullb_set "$NULLB" "badblocks=+$sector-$((sector + 7))"
	dd if=/dev/urandom of="$scratch/mnt/file" bs=4k count=1 conv=notrunc,fsync || status=$?
	nullb_set "$NULLB" "badblocks=-$sector-$((sector + 7))"
	umount "$scratch/mnt"
	expect_ne "exit status of dd" "$status" 0
	expect_stat c0 write_errors -gt 0
}

run_test "writes and reads fail: pages stay dirty, state and first_error show it, FLUSH fails" stays_dirty all
run_test "writes fail: pages stay dirty, state and first_error show it, FLUSH fails" stays_dirty writes
run_test "the first failed write is logged and raises an event" first_error_is_reported
run_test "retries back off" back_off
run_test "early flush pauses while the origin fails" no_busy_loop
run_test "no frame becomes free: new writes fail, none hangs, nothing is lost" no_evictable_frame all
run_test "no frame becomes free, reads work: new writes fail, none hangs, nothing is lost" no_evictable_frame writes
run_test "no frame becomes free: reads continue" reads_go_on
run_test "only some pages fail" bad_blocks
run_test "a bad sector of a page that the host never wrote" bad_sector_of_others
run_test "a bad sector of a page that the host never wrote, and writes while its flush is in flight" bad_sector_of_others_in_flight
run_test "only some pages of 8k fail" bad_blocks page 8k
run_test "a flush fails while its pages are written" fails_in_flight
run_test "a flush of 64k fails while its page is written" fails_in_flight page 64k
run_test "all pages of vbbms fail: FLUSH ends" surplus_stays
run_test "a FUA write fails, its page stays" fua_fails all
run_test "the FLUSH of the origin fails" origin_flush_fails
run_test "the FLUSH of the origin fails: the log counts all pages that are left" origin_flush_leaves_pages
run_test "the FLUSH of the origin fails: the log counts all pages that are left, shards" origin_flush_leaves_pages shards 4
run_test "dirty sectors of an unreadable page are flushed" unreadable_rest_of_page
run_test "dm-dust: unreadable until written" dust
run_test "with a failing origin, suspend and remove end and log what is lost" suspend_and_remove
run_test "a suspend that fails to flush loses nothing" suspend_and_mend
run_test "a page fails to flush: so does the commit of a journal, and fsync" journal_commit_fails c0
run_test "a page fails to flush: so does the commit of a journal, and fsync, shards" journal_commit_fails c0 shards 4
run_test "a page fails to flush: so does the commit of a journal, and fsync, on a volume of pieces" journal_commit_fails volume
