#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: several engines in one cache: table line, way of requests, sums of statistics, and what acts on all of them
# lane: uml-debug
# long: vm-6.12 vm-newest

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Regions of 4 MiB: of four, three shards have one each, and one has two or none.
setup() {
	make_nullb 16 discard=1
	make_cache c0 "$NULLB" dram 4m shards 4 "$@"
}

# write_regions TAG [LENGTH]: write the beginning of each region
write_regions() {
	local i

	for i in 0 4 8 12; do
		blkio write /dev/mapper/c0 ${i}m "${2:-64k}" "$1"
	done
}

# check_regions DEVICE TAG [LENGTH]
check_regions() {
	local i

	for i in 0 4 8 12; do
		blkio check "$1" ${i}m "${3:-64k}" "$2"
	done
}

# words NAME: the words of the table line after the origin, as $WORDS
words() {
	WORDS=$(dmsetup table "$1")
	WORDS=${WORDS#* ssdcache * }
}

table_line() {
	local line

	make_nullb 16
	make_cache c0 "$NULLB" dram 4m shards 4 replacement fifo
	words c0
	expect_eq "table" "$WORDS" "6 dram 4m shards 4 replacement fifo"
	expect_value c0 frames 1024
	expect_value c0 dram_bytes 4194304
	line=$(dmsetup table c0)
	dmsetup remove c0
	dmsetup create c0 --table "$line"
	expect_eq "table" "$(dmsetup table c0)" "$line"
	dmsetup remove c0
	# Whole pages in each shard: 85 in each of three.
	make_cache c0 "$NULLB" dram 1m shards 3
	words c0
	expect_eq "table" "$WORDS" "4 dram 1020k shards 3"
	line=$(dmsetup table c0)
	dmsetup remove c0
	dmsetup create c0 --table "$line"
	expect_eq "table" "$(dmsetup table c0)" "$line"
	dmsetup remove c0
	make_cache c0 "$NULLB" dram 1m shards 1
	words c0
	expect_eq "table" "$WORDS" "2 dram 1m"
	dmsetup remove c0
	make_cache c0 "$NULLB" dram 4m shards 64
	expect_value c0 frames 1024
}

# A request that crosses the end of a region is two requests.
crosses_regions() {
	setup
	blkio write /dev/mapper/c0 4m 64k 1
	expect_stat c0 writes -eq 1
	blkio write /dev/mapper/c0 4064k 64k 2
	expect_stat c0 writes -eq 3
	expect_stat c0 write_pages -eq 32
	blkio check /dev/mapper/c0 4064k 64k 2 32k 1
	expect_stat c0 reads -eq 3
	expect_stat c0 read_hits -eq 24
	blkio write /dev/mapper/c0 1m 14m 3 1m
	blkio check /dev/mapper/c0 1m 14m 3 1m
	blkio write /dev/mapper/c0 0 16m 4 3m
	blkio check /dev/mapper/c0 0 16m 4 3m
	dmsetup remove c0
	blkio check "$NULLB" 0 16m 4
}

# The numbers of all shards are in sysfs, status and messages.
statistics_add_up() {
	local status

	setup admission read-write
	write_regions 1
	check_regions /dev/mapper/c0 1
	expect_stat c0 writes -eq 4
	expect_stat c0 write_pages -eq 64
	expect_stat c0 read_hits -eq 64
	expect_stat c0 used -eq 64
	expect_stat c0 dirty -eq 64
	expect_stat c0 replacement/lru_list -eq 64
	# 1 MiB of reserve in each: the least, and as much as its part of the tier.
	expect_stat c0 reserve_bytes -eq 4194304
	expect_value c0 progress "64 dirty 0 flushing"
	expect_eq "latencies" "$(show c0 stats/latency/write | sed -n 's/^count //p')" 4
	status=$(dmsetup status c0)
	expect_match "status" "$status" " frames 1024 used 64 dirty 64 failed 0 "
	expect_match "status" "$status" " write_pages 64 "
	message c0 reset_stats
	expect_stat c0 write_pages -eq 0
	expect_stat c0 used -eq 64
	expect_eq "latencies" "$(show c0 stats/latency/write | sed -n 's/^count //p')" 0
}

messages_reach_all() {
	local name

	setup admission read-write
	write_regions 1
	message c0 flush
	expect_stat c0 dirty -eq 0
	check_regions "$NULLB" 1
	names_of c0 replacement
	for name in "${NAMES[@]}"; do
		message c0 replacement "$name"
		expect_value c0 replacement "$name"
		expect_stat c0 used -eq 64
	done
	message c0 replacement cflru:window=40
	message c0 set window 60
	expect_value c0 params/replacement/window 60
	expect_value c0 replacement cflru:window=60
	message c0 set idle_us 777
	expect_value c0 params/idle_us 777
	expect_fail message c0 set window 101
	expect_value c0 replacement cflru:window=60
	expect_fail message c0 replacement cflru:window=101
	expect_value c0 replacement cflru:window=60
	message c0 admission corw-1
	message c0 prefetch c-miner
	put c0 actions drop_clean
	expect_stat c0 used -eq 0
	expect_stat c0 dropped_pages -eq 64
	# All shards flush for the periodic flush.
	write_regions 2
	message c0 set flush_interval_s 1
	wait_stat c0 dirty -eq 0
	check_regions "$NULLB" 2
}

flush_covers_all() {
	setup
	write_regions 1
	blkio flush /dev/mapper/c0
	# A part in each shard.
	expect_stat c0 flushes -eq 4
	expect_stat c0 sync_passes -eq 4
	expect_stat c0 dirty -eq 0
	check_regions "$NULLB" 1
	write_regions 2
	blkio fua /dev/mapper/c0 4064k 64k 3
	blkio check "$NULLB" 4064k 64k 3
	blkio check /dev/mapper/c0 4064k 64k 3 32k 2
	message c0 set dram_mode protected
	write_regions 4
	blkio flush /dev/mapper/c0
	expect_stat c0 dirty -eq 64
	dmsetup suspend c0
	expect_stat c0 dirty -eq 0
	expect_value c0 state suspended
	dmsetup resume c0
	expect_value c0 state ok
	wait_quiescent c0
}

discards() {
	setup
	blkio write /dev/mapper/c0 0 16m 1 3m
	blkio discard /dev/mapper/c0 2m 12m
	blkio check /dev/mapper/c0 0 2m 1 12m 0 2m 1
	blkio write /dev/mapper/c0 3m 6m 2 1m
	blkio discard /dev/mapper/c0 3584k 2m
	blkio check /dev/mapper/c0 3m 512k 2 2m 0 3584k 2
	dmsetup remove c0
	blkio check "$NULLB" 0 2m 1 1m 0 512k 2 2m 0 3584k 2 5m 0 2m 1
}

# Discards reach an origin whose granule is as large as two regions of 4 MiB, and free its space.
discards_of_large_granules() {
	local mib

	make_thin 16384
	make_cache c0 /dev/mapper/thin dram 4m shards 4
	for mib in 0 4 8 12 16 20 24 28 32 60; do
		blkio write /dev/mapper/c0 "${mib}m" 64k 1
	done
	blkio flush /dev/mapper/c0
	expect_match "pool" "$(dmsetup status pool)" " 6/8 "
	blkio discard /dev/mapper/c0 4m 28m
	expect_match "pool" "$(dmsetup status pool)" " 3/8 "
	blkio check /dev/mapper/c0 0 64k 1
	for mib in 8 12 16 20 24 28; do
		blkio check /dev/mapper/c0 "${mib}m" 64k 0
	done
	blkio check /dev/mapper/c0 32m 64k 1
	blkio check /dev/mapper/c0 60m 64k 1
}

# Trimmed to whole granules, a discard of nine regions has eight, and is cut after all: no granule stays.
discards_trimmed_to_few_regions() {
	make_thin 2048
	make_cache c0 /dev/mapper/thin dram 4m shards 4
	blkio write /dev/mapper/c0 0 64m 1 1m
	blkio flush /dev/mapper/c0
	expect_match "pool" "$(dmsetup status pool)" " 64/64 "
	# The kernel cuts discards at the first granule, but not at that of a device below.
	dmsetup create other --table "0 66560 linear /dev/mapper/c0 7168"
	blkio discard /dev/mapper/other 0 33280k
	dmsetup remove other
	expect_stat c0 discards -eq 8
	expect_match "pool" "$(dmsetup status pool)" " 32/64 "
	blkio check /dev/mapper/c0 0 4m 1 32m 0 28m 1
}

# many_regions [WORD...]: a cache of four shards over 16 regions, with data of tag 1, on a device that can be held up
many_regions() {
	make_nullb 64 discard=1
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin shards 4 "$@"
	blkio write /dev/mapper/c0 0 64m 1 1m
}

# A discard of many regions reaches the origin as one, and has a part in each shard.
discards_of_many_regions() {
	many_regions "$@"
	trace_start block:block_bio_queue
	blkio discard /dev/mapper/c0 6m 52m
	trace_stop >"$scratch/trace"
	grep -E "block_bio_queue: $(stat -c %Hr,%Lr "$NULLB") D" "$scratch/trace" >"$scratch/discards"
	expect_eq "discards of the origin" "$(wc -l <"$scratch/discards")" 1
	grep -q " 12288 + 106496 " "$scratch/discards"
	expect_stat c0 discards -eq 4
	expect_eq "latencies" "$(show c0 stats/latency/discard | sed -n 's/^count //p')" 4
	blkio check /dev/mapper/c0 0 6m 1 52m 0 6m 1
	blkio write /dev/mapper/c0 20m 8m 2 1m
	blkio check /dev/mapper/c0 0 6m 1 14m 0 8m 2 30m 0 6m 1
	dmsetup remove c0
	blkio check "$NULLB" 0 6m 1 14m 0 8m 2 30m 0 6m 1
}

# The origin refuses such a discard: all shards keep their pages.
refused_discard_of_many_regions() {
	local discard

	many_regions dram 80m retry_ms 20
	hold origin
	blkio discard /dev/mapper/c0 6m 52m &
	discard=$!
	wait_stat c0 device_inflight -eq 4
	dmsetup reload origin --table "0 131072 error"
	release origin
	# The kernel reports no error to a caller if a device has no discards.
	wait "$discard" || :
	swap_table origin "0 131072 linear $NULLB 0"
	expect_stat c0 failed_requests -eq 4
	expect_stat c0 dirty -eq 16384
	blkio check /dev/mapper/c0 0 64m 1
	blkio flush /dev/mapper/c0
	dmsetup remove c0
	blkio check "$NULLB" 0 64m 1
}

# Writes to its range wait in each shard, and stay. A second discard of the range, and a suspend, wait for nothing but the origin.
writes_during_discard_of_many_regions() {
	local jobs=() i

	many_regions dram 80m
	# The kernel lets one discard of a device by ioctl wait for another, so the second discard comes through another device.
	make_linear other /dev/mapper/c0
	hold origin
	blkio discard /dev/mapper/c0 0 64m &
	jobs+=($!)
	wait_stat c0 device_inflight -eq 4
	for i in 0 4 8 12; do
		blkio write /dev/mapper/c0 ${i}m 64k 2 &
		jobs+=($!)
	done
	blkio discard /dev/mapper/other 16m 48m &
	jobs+=($!)
	wait_stat c0 device_inflight -eq 8
	wait_stat c0 waiting -ge 4
	expect_stat c0 write_pages -eq 16384
	dmsetup suspend c0 &
	jobs+=($!)
	pause 0.1
	release origin
	for i in "${jobs[@]}"; do
		wait "$i"
	done
	dmsetup resume c0
	check_regions /dev/mapper/c0 2
	blkio check /dev/mapper/c0 16m 48m 0
	dmsetup remove other
	dmsetup remove c0
	check_regions "$NULLB" 2
	blkio check "$NULLB" 16m 48m 0
}

# Without memory for the parts, such a discard is cut at the ends of regions.
discards_without_memory() {
	[ -d /sys/kernel/debug/failslab ] || skip "this kernel has no fault injection"
	many_regions dram 80m
	slabs_fail 100
	without_memory /dev/mapper/c0 discard
	slabs_fail 0
	echo N >/sys/kernel/debug/failslab/task-filter
	expect_stat c0 discards -eq 16
	blkio check /dev/mapper/c0 0 64m 0
	blkio check "$NULLB" 0 64m 0
}

# A block of a policy that crosses the end of a region: the shard completes it with pages of its own only.
padding() {
	local i

	make_nullb 16
	make_cache c0 "$NULLB" dram 256k shards 4 replacement bplru:block=12,padding=on
	blkio write /dev/mapper/c0 4080k 48k 1
	for ((i = 0; i < 18; i++)); do
		blkio write /dev/mapper/c0 $((i * 96))k 4k 2
	done
	# 11 pages with each single page that has left, none with the first four.
	expect_stat c0 evictions -gt 1
	get c0 stats/evictions
	expect_stat c0 padded_pages -eq $(((VALUE - 1) * 11))
	dmsetup remove c0
	blkio check "$NULLB" 4080k 48k 1
	blkio check "$NULLB" 0 4k 2 92k 0 4k 2
}

# The cache changes its number of shards, and its size, by a reload.
reloads() {
	local words

	setup admission read-write
	write_regions 1
	for words in "dram 1m" "dram 2m shards 2" "dram 8m shards 8 replacement req-block" "dram 1m page 16k shards 4"; do
		# shellcheck disable=SC2086 # a list of words
		reload_cache c0 "$NULLB" $words
		expect_match "table" "$(dmsetup table c0)" " $words"
		check_regions /dev/mapper/c0 1
		write_regions 2
		blkio flush /dev/mapper/c0
		check_regions "$NULLB" 2
		write_regions 1
	done
	dmsetup remove c0
	check_regions "$NULLB" 1
}

# takes_over WORD...: a reload while the origin fails keeps the shards as they are
takes_over() {
	make_nullb 16
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 4m shards 4 retry_ms 20
	write_regions 1
	swap_table origin "0 32768 error"
	log_mark
	reload_cache c0 /dev/mapper/origin "$@" retry_ms 30
	expect_log "kept the DRAM tier of the old table, with 64 dirty pages"
	words c0
	expect_eq "table" "$WORDS" "6 dram 4m shards 4 retry_ms 30"
	expect_stat c0 dirty -eq 64
	check_regions /dev/mapper/c0 1
	write_regions 2
	swap_table origin "0 32768 linear $NULLB 0"
	blkio flush /dev/mapper/c0 || blkio flush /dev/mapper/c0
	expect_stat c0 dirty -eq 0
	check_regions "$NULLB" 2
	reload_cache c0 /dev/mapper/origin "$@"
	expect_match "table" "$(dmsetup table c0)" " $*"
	check_regions /dev/mapper/c0 2
	dmsetup remove c0
}

# without_memory DEVICE flush|discard: a FLUSH, or a discard of 64 MiB, by a task whose allocations all fail, so that only reserves are left
without_memory() {
	perl -MIO::Handle -e 'open(my $device, "+<", $ARGV[0]) or die;
		open(my $fail, ">", "/proc/self/make-it-fail") or die;
		syswrite($fail, "1") or die;
		my $range = pack("QQ", 0, 64 << 20);
		my $done = $ARGV[1] eq "flush" ? $device->sync : ioctl($device, 0x1277, $range);
		syswrite($fail, "0");
		exit !$done' "$1" "$2"
}

# slabs_fail PERCENT: of the allocations of tasks that ask for it
slabs_fail() {
	local faults=/sys/kernel/debug/failslab

	echo Y >$faults/task-filter
	echo N >$faults/ignore-gfp-wait
	echo 0 >$faults/verbose
	echo -1 >$faults/times
	echo "$1" >$faults/probability
}

# Device-mapper reserves the bios of a FLUSH when it loads the table, before that has taken over more shards.
takes_over_without_memory() {
	local reserve=/sys/module/dm_mod/parameters/reserved_bio_based_ios flusher i

	[ -d /sys/kernel/debug/failslab ] || skip "this kernel has no fault injection"
	make_nullb 16
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 4m shards 4 retry_ms 20
	write_regions 1
	swap_table origin "0 32768 error"
	echo 1 >$reserve
	reload_cache c0 /dev/mapper/origin dram 1m
	echo 0 >$reserve
	swap_table origin "0 32768 linear $NULLB 0"
	blkio flush /dev/mapper/c0 || blkio flush /dev/mapper/c0
	write_regions 2
	slabs_fail 100
	without_memory /dev/mapper/c0 flush &
	flusher=$!
	for ((i = 0; i < 100; i++)); do
		kill -0 $flusher 2>/dev/null || break
		pause 0.1
	done
	slabs_fail 0
	echo N >/sys/kernel/debug/failslab/task-filter
	wait $flusher
	expect "tenths of a second" "$i" -lt 100
	check_regions "$NULLB" 2
}

# Pages of one shard, too, keep the tier of a cache with one.
takes_over_one() {
	make_nullb 16
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 1m retry_ms 20
	write_regions 1
	swap_table origin "0 32768 error"
	reload_cache c0 /dev/mapper/origin dram 4m shards 4
	words c0
	expect_eq "table" "$WORDS" "2 dram 1m"
	expect_stat c0 dirty -eq 64
	check_regions /dev/mapper/c0 1
	swap_table origin "0 32768 linear $NULLB 0"
	blkio flush /dev/mapper/c0 || blkio flush /dev/mapper/c0
	check_regions "$NULLB" 1
	reload_cache c0 /dev/mapper/origin dram 4m shards 4
	check_regions /dev/mapper/c0 1
	dmsetup remove c0
}

# The error of one shard's page is the cache's.
errors() {
	need_driver error
	make_nullb 16
	sectors_of "$NULLB"
	dmsetup create origin --table "0 8192 linear $NULLB 0
		8192 8 error
		8200 $((SECTORS - 8200)) linear $NULLB 8200"
	make_cache c0 /dev/mapper/origin dram 4m shards 4 retry_ms 20
	write_regions 1
	log_mark
	expect_fail blkio flush /dev/mapper/c0
	expect_log "write error of the origin at sector 8192"
	expect_value c0 state error:5
	expect_value c0 first_error -5
	expect_stat c0 failed -eq 1
	expect_stat c0 dirty -eq 1
	expect_match "status" "$(dmsetup status c0)" " state error:5 .* failed 1 "
	expect_eq "lines about the error" "$(log_since | grep -c 'error of the origin')" 1
	swap_table origin "0 $SECTORS linear $NULLB 0"
	wait_stat c0 dirty -eq 0
	check_regions "$NULLB" 1
}

refused() {
	local words reason

	make_nullb 16
	while IFS='|' read -r words reason; do
		log_mark
		# shellcheck disable=SC2086 # a list of words
		expect_fail make_cache c0 "$NULLB" $words
		expect_log "ssdcache: .*$reason"
	done <<-LIST
		dram 1m shards 0|shards: 0 is not from 1 to 16: each needs 16 pages of dram
		dram 1m shards 17|shards: 17 is not from 1 to 16: each needs 16 pages of dram
		dram 64k shards 2|shards: 2 is not from 1 to 1: each needs 16 pages of dram
		dram 8m shards 65|shards: 65 is not from 1 to 64 \(-
		dram 8m shards 4294967297|shards: 4294967297 is not from 1 to 64 \(-
		dram 8m shards 18446744073709551616|shards: "18446744073709551616" is not a number from 1 to 64
		dram 8m shards -1|shards: "-1" is not a number from 1 to 64
		dram 8m shards two|shards: "two" is not a number from 1 to 64
		dram 8m shard 2|"shard" is not one of dram page shards numa replacement
	LIST
	grep -q c0 <<<"$(dmsetup table)" && fail "a table was accepted"
	make_cache c0 "$NULLB" dram 1m shards 16
	expect_fail message c0 set shards 2
	expect_value c0 frames 256
}

run_test "table line: round trip, sizes, one shard is left out" table_line
run_test "requests are cut at the ends of regions" crosses_regions
run_test "statistics are those of all shards" statistics_add_up
run_test "messages act on all shards" messages_reach_all
run_test "FLUSH, FUA and suspend cover all shards" flush_covers_all
run_test "discards over several regions" discards
run_test "discards of an origin with large granules" discards_of_large_granules
run_test "a discard that is trimmed to few regions" discards_trimmed_to_few_regions
run_test "a discard of many regions, as many frames" discards_of_many_regions dram 80m
run_test "a discard of many regions, few frames" discards_of_many_regions dram 1m page 8k
run_test "a discard of many regions, protected DRAM" discards_of_many_regions dram 80m dram_mode protected
run_test "a discard of many regions that the origin refuses" refused_discard_of_many_regions
run_test "writes, discards and a suspend during a discard of many regions" writes_during_discard_of_many_regions
run_test "a discard of many regions without memory" discards_without_memory
run_test "padded blocks at the ends of regions" padding
run_test "a reload changes number and size" reloads
run_test "a reload while the origin fails, the same number" takes_over dram 4m shards 4
run_test "a reload while the origin fails, another number" takes_over dram 2m shards 2
run_test "a reload while the origin fails, to one shard" takes_over dram 1m
run_test "a reload while the origin fails, from one shard" takes_over_one
run_test "a reload that takes over more shards has the bios for a FLUSH" takes_over_without_memory
run_test "an error of one shard is the cache's, and is logged once" errors
run_test "bad numbers of shards are refused" refused
