#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: every kind of origin: data are right through the cache and, after its removal, on the origin
# lane: uml
# long: uml-debug vm-6.1 vm-newest

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cache=/dev/mapper/cache

# make_loop SIZE [OPTION...]: a loop device over a new file, as $origin
make_loop() {
	local size=$1

	shift
	need_driver loop
	rm -f "$scratch/file"
	truncate -s "$size" "$scratch/file"
	origin=$(losetup --show -f "$@" "$scratch/file")
}

# limit DEVICE FILE: a queue limit of the device, as $VALUE
limit() {
	local dir=/sys/block/${1#/dev/}

	if [[ $1 = /dev/mapper/* ]]; then
		dm_dir "${1#/dev/mapper/}"
		dir=$DM_DIR
	fi
	read -r VALUE <"$dir/queue/$2"
}

# No request failed, and no read or write of the origin, not even one that a retry repaired.
expect_no_errors() {
	local name

	for name in failed_requests read_errors write_errors; do
		expect_stat cache $name -eq 0
	done
	expect_value cache state ok
}

# The kernel has logged no warning since log_mark.
expect_quiet_log() {
	expect_eq "warnings in the kernel log" "$(dmesg -t -l emerg,alert,crit,err,warn)" ""
}

# Write the first 5 MiB, which is more than DRAM holds, and the end of the origin: pages and parts of pages, requests of
# one page and of many, FUA, and discards as far as the origin has them. The origin keeps the data of earlier rounds, so
# each tag starts with the number of the round.
write_pattern() {
	blkio write $cache 0 5m "${round}1"
	blkio write $cache 12k 4k "${round}2"
	blkio write $cache 1020k 8k "${round}3"
	blkio fua $cache 2m 20k "${round}4"
	blkio write $cache 3m 1m "${round}5" 20k
	blkio write $cache $((size - 100 * 1024)) $((100 * 1024 - block)) "${round}6" "$block" "${round}7"
	blkio write $cache 4m 512k "${round}8"
	# Without discards and WRITE_ZEROES in the origin, the data stay.
	discarded=${round}8
	limit $cache discard_max_bytes
	if [ "$VALUE" != 0 ]; then
		blkio discard $cache 4m 128k
		discarded=0
	fi
	zeroed=${round}8
	limit $cache write_zeroes_max_bytes
	if [ "$VALUE" != 0 ]; then
		blkio zero $cache 4352k 128k
		zeroed=0
	fi
}

# check_pattern DEVICE [REQUEST]
check_pattern() {
	blkio check "$1" 0 12k "${round}1" 4k "${round}2" 1004k "${round}1" 8k "${round}3" 1020k "${round}1" \
		20k "${round}4" 1004k "${round}1" 1m "${round}5" 128k "$discarded" 128k "${round}8" 128k "$zeroed" \
		128k "${round}8" 512k "${round}1" ${2:+"$2"}
	blkio check "$1" $((size - 100 * 1024)) $((100 * 1024 - block)) "${round}6" "$block" "${round}7"
}

# one_round NUMBER WORD...: what a cache of $origin has to do, with these words in its table
one_round() {
	round=$1
	shift
	sectors_of "$origin"
	size=$((SECTORS * 512))
	log_mark
	make_cache cache "$origin" "$@"
	sectors_of $cache
	expect_eq "size of the cache" $((SECTORS * 512)) "$size"
	limit $cache zoned
	expect_eq "zones of the cache" "$VALUE" none
	limit $cache logical_block_size
	block=$VALUE
	limit "$origin" logical_block_size
	expect_eq "logical block" "$block" "$VALUE"

	write_pattern
	check_pattern $cache 24k
	blkio flush $cache
	expect_stat cache dirty -eq 0
	# FLUSH has written everything to the origin; later writes get there on removal.
	check_pattern "$origin"
	blkio write $cache 256k 256k "${round}9" 4k
	check_pattern_end $cache
	expect_stat cache dirty -gt 0
	expect_no_errors
	dmsetup remove cache
	check_pattern_end "$origin"
	expect_quiet_log
}

# check_pattern_end DEVICE: the write after the FLUSH, and the data around it
check_pattern_end() {
	blkio check "$1" 16k 240k "${round}1" 256k "${round}9" 508k "${round}1" 8k "${round}3"
}

small_pages() {
	one_round 1 dram 1m
}

# Most of these pages are written in part; reads are admitted, too.
large_pages() {
	one_round 2 dram 2m page 64k admission read-write replacement cflru-ef-sc
}

both_rounds() {
	small_pages
	large_pages
}

on_null_blk() {
	make_nullb 16 discard=1
	origin=$NULLB
	both_rounds
}

on_null_blk_with_cache() {
	make_nullb 16 discard=1 cache_size=2
	origin=$NULLB
	small_pages
}

on_brd() {
	[ -b /dev/ram0 ] || modprobe -q brd rd_nr=1 rd_size=16384 || skip "this kernel has no brd"
	origin=/dev/ram0
	small_pages
}

on_loop() {
	make_loop 16m
	large_pages
}

on_linear() {
	make_nullb 32 discard=1
	need_driver linear
	dmsetup create low --table "0 32768 linear $NULLB 24"
	origin=/dev/mapper/low
	small_pages
}

# Pages and requests cross stripes.
on_striped() {
	local first

	need_driver striped
	make_nullb 16 discard=1
	first=$NULLB
	make_nullb 16 discard=1
	dmsetup create low --table "0 65472 striped 2 24 $first 0 $NULLB 0"
	origin=/dev/mapper/low
	both_rounds
}

# dm-zoned first buffers writes in the three conventional zones that its metadata leaves, then moves them to sequential
# zones while the cache is in use.
on_zoned() {
	need_driver zoned
	make_nullb 64 zoned=1 zone_size=4 zone_nr_conv=5
	format-zoned "$NULLB"
	sectors_of "$NULLB"
	dmsetup create low --table "0 $SECTORS zoned $NULLB"
	origin=/dev/mapper/low
	small_pages
	poll 20 "data in sequential zones" sequential_zones_in_use
	check_pattern_end "$origin"
}

sequential_zones_in_use() {
	expect_match "zones" "$(dmsetup status low)" '([0-9]+)/([0-9]+) sequential'
	[ "${BASH_REMATCH[1]}" -lt "${BASH_REMATCH[2]}" ]
}

# Requests smaller than a logical block fail.
on_large_blocks() {
	make_nullb 16 blocksize=4096 discard=1
	origin=$NULLB
	both_rounds
	expect_eq "logical block" "$block" 4096
	make_cache cache "$origin" dram 1m page 8k
	expect_fail blkio write $cache 512 512 1
	expect_match "error" "$OUTPUT" "Invalid argument"
	# The first half of a page, and the second half of the next.
	blkio write $cache 0 4k 1
	blkio write $cache 12k 4k 2
	dmsetup remove cache
	blkio check "$origin" 0 4k 1 8k 21 4k 2
}

# The last page is incomplete. $1: its bytes
with_a_cut_page() {
	local end

	make_nullb 17 discard=1
	dmsetup create low --table "0 $((32768 + $1 / 512)) linear $NULLB 0"
	origin=/dev/mapper/low
	blkio write "$NULLB" 16m 64k 1
	large_pages
	end=$((16 * 1024 * 1024))
	# Nothing was written beyond the end, neither then nor when the last page is filled.
	blkio check "$NULLB" $((end + $1)) $((65536 - $1)) 1
	make_cache cache "$origin" dram 1m page 64k admission read-write
	blkio write $cache $end 512 3
	blkio check $cache $((end - 512)) 512 26 512 3
	[ "$1" = 512 ] || blkio check $cache $((end + 512)) $(($1 - 1024)) 26 512 27
	blkio flush $cache
	expect_no_errors
	expect_fail blkio write $cache $((end + $1)) 512 4
	expect_fail blkio check $cache $((end + $1)) 512 4
	dd if=$cache iflag=direct bs=64k of="$scratch/cached" status=none
	expect_eq "bytes read" "$(stat -c %s "$scratch/cached")" $((end + $1))
	dmsetup remove cache
	dd if="$origin" iflag=direct bs=64k of="$scratch/on-origin" status=none
	cmp "$scratch/cached" "$scratch/on-origin"
	make_cache cache "$origin" dram 1m page 64k
	blkio write $cache $end 512 5
	blkio discard $cache $((end - 64 * 1024)) $((64 * 1024 + $1))
	blkio check $cache $((end - 64 * 1024)) $((64 * 1024 + $1)) 0
	dmsetup remove cache
	blkio check "$origin" $((end - 64 * 1024)) $((64 * 1024 + $1)) 0
	blkio check "$NULLB" $((end + $1)) $((65536 - $1)) 1
}

# A cache is a valid origin.
on_another_cache() {
	make_nullb 16 discard=1
	make_cache low "$NULLB" dram 512k page 16k replacement cflru admission read-write
	origin=/dev/mapper/low
	large_pages
	expect_stat low failed_requests -eq 0
	dmsetup remove low
	check_pattern_end "$NULLB"
	blkio check "$NULLB" 3m 1m 25
	# FLUSH reaches the origin of the lower cache.
	make_cache low "$NULLB" dram 512k
	make_cache cache "$origin" dram 1m
	blkio write $cache 0 64k 31
	blkio flush $cache
	blkio check "$NULLB" 0 64k 31
	blkio fua $cache 64k 64k 32
	blkio check "$NULLB" 64k 64k 32
}

# The optimal request is of whole pages and whole stripes, unless their common multiple is too large to be of use. Lines:
# stripes, sectors of a chunk, page size, the cache's optimum in bytes.
optimal_requests() {
	local stripes chunk page want devices i

	devices=()
	for i in 1 2 3; do
		make_nullb 16
		devices+=("$NULLB" 0)
	done
	make_cache cache "$NULLB" dram 2m
	limit $cache optimal_io_size
	expect_eq "optimum, no stripes" "$VALUE" 4096
	dmsetup remove cache
	while read -r stripes chunk page want; do
		dmsetup create low --table "0 $((8 * stripes * chunk)) striped $stripes $chunk ${devices[*]:0:stripes*2}"
		limit /dev/mapper/low optimal_io_size
		expect_eq "optimum of the origin" "$VALUE" $((stripes * chunk * 512))
		make_cache cache /dev/mapper/low dram 2m page "$page"
		limit $cache optimal_io_size
		expect_eq "optimum, $stripes stripes of $chunk sectors, page $page" "$VALUE" "$want"
		dmsetup remove cache
		dmsetup remove low
	done <<-LINES
		3 8 4k 12288
		2 96 4k 98304
		2 96 64k 196608
		2 8 16k 16384
		3 680 4k 1044480
		3 680 64k 65536
	LINES
}

# aligned_over PHYSICAL PAGE WANT: the cache of a disk with physical blocks of PHYSICAL bytes is aligned, as the disk is.
# WANT: the optimal request, in bytes
aligned_over() {
	log_mark
	make_cache cache "$DISK" dram 2m page "$2"
	limit $cache physical_block_size
	expect_eq "physical block" "$VALUE" "$1"
	limit $cache optimal_io_size
	expect_eq "optimum, page $2" "$VALUE" "$3"
	read -r VALUE <"$DM_DIR/alignment_offset"
	expect_eq "alignment, page $2" "$VALUE" 0
	expect_quiet_log
	dmsetup remove cache
}

# Flash drives may report physical blocks that are larger than the smallest page of a cache.
large_physical_blocks() {
	make_scsi 16 sector_size=512 physblk_exp=5 opt_blks=0
	limit "$DISK" physical_block_size
	expect_eq "physical block of the disk" "$VALUE" 16384
	aligned_over 16384 4k 16384
	aligned_over 16384 64k 65536
}

# Zones must be written in order, but a replacement policy writes in any order. dm-linear on zones is zoned, too.
zones_refused() {
	make_nullb 64 zoned=1 zone_size=4
	log_mark
	expect_fail make_cache cache "$NULLB" dram 1m
	expect_log "origin: \"$NULLB\" is a zoned device: put ssdflash or dm-zoned in between"
	make_linear low "$NULLB"
	log_mark
	expect_fail make_cache cache /dev/mapper/low dram 1m
	expect_log 'origin: "/dev/mapper/low" is a zoned device: put ssdflash or dm-zoned in between'
	[ ! -e $cache ]
}

# A write would be acknowledged, and lost when it is flushed.
read_only_refused() {
	make_loop 16m
	blkio write "$origin" 0 64k 1
	losetup -d "$origin"
	origin=$(losetup --show -r -f "$scratch/file")
	log_mark
	expect_fail make_cache cache "$origin" dram 1m
	expect_log "origin: \"$origin\" is read-only"
	[ ! -e $cache ]
}

# A read-only cache caches reads; no write reaches DRAM.
read_only_both() {
	local before

	make_loop 16m
	blkio write "$origin" 0 2m 1
	losetup -d "$origin"
	before=$(sha256sum <"$scratch/file")
	origin=$(losetup --show -r -f "$scratch/file")
	log_mark
	table "$origin" dram 1m admission read-write
	dmsetup create cache --readonly --table "$TABLE"
	expect_eq "read-only" "$(blockdev --getro $cache)" 1
	blkio check $cache 0 2m 1
	blkio check $cache 0 2m 1 24k
	blkio check $cache 0 64k 1
	blkio check $cache 0 64k 1
	expect_stat cache read_hits -ge 16
	expect_fail blkio write $cache 0 4k 2
	expect_fail blkio discard $cache 0 4k
	expect_stat cache writes -eq 0
	expect_stat cache dirty -eq 0
	blkio check $cache 0 64k 1
	message cache flush
	dmsetup remove cache
	expect_quiet_log
	expect_eq "the file" "$(sha256sum <"$scratch/file")" "$before"
}

# guide_lines TEXT: the commands of admin-guide.md after the line that contains TEXT, on a cache c0
guide_lines() {
	sed -n "/$1/,/^[^ ]/{ s/^    //p }" "$(dirname "$0")/../../Documentation/admin-guide.md"
}

# The origin grows under a cache; the cache follows when its table says so.
origin_grows() {
	local lines

	make_loop 16m
	make_cache c0 "$origin" dram 1m retry_ms 77
	blkio write /dev/mapper/c0 0 256k 1
	truncate -s 24m "$scratch/file"
	losetup -c "$origin"
	lines=$(guide_lines "If the origin has grown")
	expect_match "commands of the guide" "$lines" 'dmsetup reload'
	log_mark
	expect_fail dmsetup reload c0 --table "$(dmsetup table c0)"
	expect_log "length: start and length are 0 32768, but must cover the origin: 0 49152"
	blkio check /dev/mapper/c0 0 256k 1
	eval "${lines//ORIGIN/$origin}"
	expect_eq "sectors" "$(blockdev --getsz /dev/mapper/c0)" 49152
	expect_value c0 params/retry_ms 77
	blkio write /dev/mapper/c0 20m 256k 2
	message c0 flush
	blkio check "$origin" 0 256k 1
	blkio check "$origin" 20m 256k 2
}

run_test "null_blk" on_null_blk
run_test "null_blk with a volatile cache" on_null_blk_with_cache
run_test "brd" on_brd
run_test "loop device over a file" on_loop
run_test "an origin that grows" origin_grows
run_test "dm-linear" on_linear
run_test "dm-striped over two devices" on_striped
run_test "dm-zoned over a zoned null_blk" on_zoned
run_test "the optimal request keeps the stripe width of the origin" optimal_requests
run_test "4096-byte logical blocks" on_large_blocks
run_test "physical blocks larger than a page" large_physical_blocks
run_test "the last page has 4 KiB of 64" with_a_cut_page 4096
run_test "the last page has one sector of 128" with_a_cut_page 512
run_test "another cache" on_another_cache
run_test "a zoned origin is refused with advice" zones_refused
run_test "a read-only origin is refused" read_only_refused
run_test "a read-only cache of a read-only origin" read_only_both
