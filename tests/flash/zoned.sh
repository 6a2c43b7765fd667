#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: ssdflash on a zoned origin: data through garbage collection, removal, crashes and errors; limits on open zones
# lane: uml-debug
# long: uml vm-6.1 vm-6.12 vm-newest vm-kcsan
# timeout: 3600

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# 64 zones of 1 MiB: 2 for the log, 4 planes of 15 erase blocks.
geometry=(channels 2 chips 1 dies 1 planes 2 page_bytes 4096 read_ns 2000 program_ns 10000 erase_ns 50000
	transfer_ps 100 over_provisioning 40 gc_threshold 20)
sectors=73728
open_zones=10
# Conventional zones before them.
conventional=0
loops=2 requests=3000 rounds=3 cuts=2
[ -z "${SSDC_LONG-}" ] || loops=10 requests=50000 cuts=30
case $SSDCACHE_LANE in
# KCSAN makes a guest a hundred times slower.
vm-kcsan) loops=2 requests=3000 rounds=1 cuts=1 ;;
uml-debug) [ -n "${SSDC_LONG-}" ] || rounds=1 cuts=1 ;;
esac

make_zones() {
	make_nullb $((64 + conventional)) zoned=1 zone_size=1 "zone_nr_conv=$conventional" "zone_max_active=$open_zones" irqmode=0
}

# setup WORD...: further words of the table line
setup() {
	make_zones
	origin=$NULLB
	make_flash f0 "$origin" $sectors "${geometry[@]}" "$@"
}

flash_stat() {
	VALUE=$(dmsetup status "$1" | sed -n "s/.* $2 \([a-z0-9-]*\).*/\1/p")
}

collected() {
	flash_stat f0 gc_runs
	expect "gc_runs" "$VALUE" -gt 0
	flash_stat f0 state
	expect_eq "state" "$VALUE" ok
}

verify() {
	fio --name=v --filename="$1" --rw=randwrite --bsrange=512-128k --blockalign=512 --size=28m --loops=$loops --direct=1 \
		--ioengine=libaio --iodepth=16 --verify=crc32c --verify_backlog=256 --verify_state_save=0 --output="$scratch/fio" ||
		{ cat "$scratch/fio"; fail "fio fails"; }
}

fio_verify() {
	setup "$@"
	verify /dev/mapper/f0
	collected
}

# Concurrent requests of all kinds and sizes: every acknowledged write is found.
random_requests() {
	setup "$@"
	crash-writer --device /dev/mapper/f0 --requests $requests --seed 3 --reads 30 --fua 3 --flushes 2
	collected
}

table_again() {
	local table

	table=$(dmsetup table f0)
	dmsetup remove f0
	dmsetup create f0 --table "$table"
}

file_system() {
	local i

	setup
	mkfs.ext4 -q /dev/mapper/f0
	mkdir "$scratch/m"
	mount -o discard /dev/mapper/f0 "$scratch/m"
	cp -r /usr/include/linux/netfilter "$scratch/m"
	for ((i = 0; i < rounds; i++)); do
		rm -rf "$scratch/m/copy"
		cp -r /usr/include/linux "$scratch/m/copy"
		sync
	done
	rm -r "$scratch/m/netfilter"
	umount "$scratch/m"
	table_again
	e2fsck -fn /dev/mapper/f0
	mount -o ro /dev/mapper/f0 "$scratch/m"
	diff -r /usr/include/linux "$scratch/m/copy"
	umount "$scratch/m"
}

# write_pages SEED, check_pages SEED
write_pages() {
	fio --name=w --filename=/dev/mapper/f0 --rw=randwrite --bs=8k --size=16m --direct=1 --ioengine=libaio --iodepth=8 \
		--verify=crc32c --do_verify=0 --verify_state_save=0 "--randseed=$1" --output="$scratch/fio"
}

check_pages() {
	fio --name=w --filename=/dev/mapper/f0 --rw=randwrite --bs=8k --size=16m --direct=1 --ioengine=libaio --iodepth=8 \
		--verify=crc32c --verify_only --verify_state_save=0 "--randseed=$1" --output="$scratch/fio"
}

# Without any FLUSH: an orderly removal loses nothing.
removal() {
	local seed

	setup
	for ((seed = 1; seed <= rounds; seed++)); do
		write_pages $seed
		table_again
		check_pages $seed
	done
}

discards() {
	setup
	dd if=/dev/urandom of="$scratch/data" bs=1M count=8 status=none
	dd if="$scratch/data" of=/dev/mapper/f0 bs=1M oflag=direct status=none
	blkdiscard -o $((2 << 20)) -l $((3 << 20)) /dev/mapper/f0
	dd if=/dev/zero of="$scratch/data" bs=1M seek=2 count=3 conv=notrunc status=none
	cmp "$scratch/data" -n $((8 << 20)) /dev/mapper/f0
	flash_stat f0 trimmed_pages
	expect_eq "trimmed_pages" "$VALUE" 768
	table_again
	cmp "$scratch/data" -n $((8 << 20)) /dev/mapper/f0
	# The whole device: more entries than an epoch of the log has, if pages were logged one by one.
	blkdiscard /dev/mapper/f0
	flash_stat f0 valid_pages
	expect_eq "valid_pages" "$VALUE" 0
}

suspend_under_io() {
	setup
	verify /dev/mapper/f0 &
	job=$!
	for _ in 1 2 3 4; do
		sleep 0.3
		dmsetup suspend f0
		dmsetup resume f0
		sleep 0.3
		# The new table reads the map after the old table has written it.
		dmsetup reload f0 --table "$(dmsetup table f0)"
		dmsetup resume f0
	done
	wait $job
	flash_stat f0 state
	expect_eq "state" "$VALUE" ok
}

state_is() {
	get f0 state
	[ "$VALUE" = "$1" ]
}

# A suspend waits for a slow origin, and shows for what. It can be killed; the device continues.
progress_of_suspend() {
	local suspend writer status=0 left="1 requests 16 pages 16 changes"

	make_nullb 64 zoned=1 zone_size=1 "zone_max_active=$open_zones" irqmode=0
	make_linear low "$NULLB"
	make_flash f0 /dev/mapper/low $sectors "${geometry[@]}"
	expect_value f0 progress "0 requests 0 pages 0 changes"
	hold low
	blkio write /dev/mapper/f0 0 64k 1 &
	writer=$!
	wait_stat f0 inflight -eq 1
	expect_value f0 progress "$left"
	dmsetup suspend f0 &
	suspend=$!
	poll 20 "state suspending" state_is suspending
	expect_value f0 progress "$left"
	kill -KILL $suspend
	wait $suspend || status=$?
	expect_eq "status of the killed suspend" $status 137
	expect_value f0 state ok
	expect_value f0 progress "$left"
	dmsetup suspend f0 &
	suspend=$!
	poll 20 "state suspending" state_is suspending
	release low
	wait $suspend
	wait $writer
	expect_value f0 state suspended
	expect_value f0 progress "0 requests 0 pages 0 changes"
	dmsetup resume f0
	expect_value f0 state ok
	blkio check /dev/mapper/f0 0 64k 1
}

under_ssdcache() {
	setup
	make_cache c0 /dev/mapper/f0 dram 4m replacement cflru-ef-sc
	verify /dev/mapper/c0
	dmsetup remove c0
	collected
}

# After the first failed write nothing is written; data acknowledged earlier stay readable.
bad_write() {
	setup
	dd if=/dev/urandom of="$scratch/data" bs=1M count=2 status=none
	dd if="$scratch/data" of=/dev/mapper/f0 bs=1M oflag=direct conv=fsync status=none
	# The rest of the open block of the first plane.
	nullb_set "$origin" badblocks=+5300-6143
	log_mark
	expect_fail dd if="$scratch/data" of=/dev/mapper/f0 bs=1M count=2 seek=2 oflag=direct
	expect_log "write to a zone failed .*: read-only from now on"
	flash_stat f0 state
	expect_eq "state" "$VALUE" failed
	cmp "$scratch/data" -n $((2 << 20)) /dev/mapper/f0
	expect_fail dd if=/dev/zero of=/dev/mapper/f0 bs=4k count=1 oflag=direct
	nullb_set "$origin" badblocks=-5300-6143
	table_again
	flash_stat f0 state
	expect_eq "state" "$VALUE" ok
	cmp "$scratch/data" -n $((2 << 20)) /dev/mapper/f0
	dd if="$scratch/data" of=/dev/mapper/f0 bs=1M seek=2 oflag=direct status=none
}

# expect_flash WHAT WANT: a word of the status
expect_flash() {
	flash_stat f0 "$1"
	expect_eq "$1" "$VALUE" "$2"
}

# over_low: a flash device over a device that low can replace by $bad, and back by $good
over_low() {
	make_zones
	good="0 131072 linear $NULLB 0"
	bad="0 131072 flakey $NULLB 0 0 10000 1 error_writes"
	dmsetup create low --table "$good"
	make_flash f0 /dev/mapper/low $sectors "${geometry[@]}"
}

# reload_failed: the table again, while the device is in use
reload_failed() {
	expect_flash state failed
	low "$good"
	dmsetup reload f0 --table "$(dmsetup table f0)"
	dmsetup suspend f0
	dmsetup resume f0
	expect_flash state ok
}

# A reload of a failed device drops what was written since the last FLUSH. The user learns of that from a FLUSH: from one before the
# reload, else from the first one after it, which must not succeed as if it covered these data.
reload_loses_writes() {
	over_low
	blkio fua /dev/mapper/f0 0 64k 1
	blkio write /dev/mapper/f0 0 64k 2
	low "$bad"
	expect_fail blkio write /dev/mapper/f0 1m 4k 2
	log_mark
	reload_failed
	expect_log "the failed table has lost writes: the next FLUSH reports that"
	expect_fail blkio flush /dev/mapper/f0
	expect_match "failure" "$OUTPUT" "Input/output error"
	blkio check /dev/mapper/f0 0 64k 1
	blkio fua /dev/mapper/f0 0 64k 3
	blkio flush /dev/mapper/f0
	low "$bad"
	expect_fail blkio write /dev/mapper/f0 1m 4k 2
	expect_fail blkio flush /dev/mapper/f0
	reload_failed
	blkio flush /dev/mapper/f0
	blkio check /dev/mapper/f0 0 64k 3
}

# The first resume after the failure fails, too: its table takes over the duty to report the loss, as device-mapper destroys the table
# before it all the same.
failed_resume_loses_writes() {
	over_low
	blkio fua /dev/mapper/f0 0 64k 1
	blkio write /dev/mapper/f0 0 64k 2
	low "$bad"
	expect_fail blkio write /dev/mapper/f0 1m 4k 2
	expect_flash state failed
	low "$good"
	dmsetup reload f0 --table "$(dmsetup table f0)"
	dmsetup suspend f0
	low "0 131072 flakey $NULLB 0 0 10000"
	expect_fail dmsetup resume f0
	low "$good"
	dmsetup resume f0
	expect_flash state ok
	expect_fail blkio flush /dev/mapper/f0
	expect_match "failure" "$OUTPUT" "Input/output error"
	blkio flush /dev/mapper/f0
	blkio check /dev/mapper/f0 0 64k 1
}

# A cache writes pages without a FLUSH. The flash device fails, and is loaded again before the next FLUSH: the cache writes these pages
# once more.
reload_under_cache() {
	over_low
	make_cache c0 /dev/mapper/f0 dram 1m retry_ms 20
	blkio fua /dev/mapper/c0 0 64k 1
	blkio write /dev/mapper/c0 0 64k 2
	message c0 set flush_interval_s 1
	wait_stat c0 dirty -eq 0
	message c0 set flush_interval_s 0
	low "$bad"
	blkio write /dev/mapper/c0 1m 4k 2
	expect_fail blkio flush /dev/mapper/c0
	reload_failed
	wait_stat c0 dirty -eq 0
	blkio flush /dev/mapper/c0 || blkio flush /dev/mapper/c0
	dmsetup remove c0
	blkio check /dev/mapper/f0 0 64k 2
	blkio check /dev/mapper/f0 1m 4k 2
}

# Three unreadable pages of a block: garbage collection moves the others, and a write of a part of a page fails. The three
# are reported until they are written or discarded, also by the next table.
unreadable() {
	local i

	setup allocation static "$@"
	# With four planes, logical pages 0, 4 and 8 are the first of the first block after the log.
	blkio write /dev/mapper/f0 0 36m 1
	nullb_set "$origin" badblocks=+4096-4119
	for i in 0 16k 32k; do
		expect_fail blkio check /dev/mapper/f0 $i 4k 1
	done
	expect_fail blkio write /dev/mapper/f0 32k 512 2
	expect_flash lost_pages 1
	# Few other pages of that block stay valid, so the block is collected first. In small steps, so that the block is not
	# written again before the bad sectors are removed.
	blkio write /dev/mapper/f0 256k 3840k 2
	for ((i = 8; i < 72; i++)); do
		blkio write /dev/mapper/f0 $((i * 512))k 384k 2
		wait_quiescent f0
		get f0 stats/lost_pages
		[ "$VALUE" != 3 ] || break
	done
	expect_flash lost_pages 3
	nullb_set "$origin" badblocks=-4096-4119
	for _ in 1 2; do
		expect_flash state ok
		for i in 0 16k 32k; do
			expect_fail blkio check /dev/mapper/f0 $i 512 1
		done
		expect_fail blkio write /dev/mapper/f0 512 512 2
		blkio check /dev/mapper/f0 4k 12k 1
		blkio check /dev/mapper/f0 20k 12k 1
		blkio check /dev/mapper/f0 36k 220k 1
		expect_flash lost_pages 3
		table_again
	done
	blkio write /dev/mapper/f0 0 4k 3
	blkio discard /dev/mapper/f0 16k 4k
	blkio write /dev/mapper/f0 31k 6k 3
	expect_flash lost_pages 0
	table_again
	blkio check /dev/mapper/f0 0 4k 3 12k 1 4k 0 11k 1 6k 3 219k 1
	expect_flash lost_pages 0
	expect_flash state ok
}

refused() {
	local words reason

	setup
	dmsetup remove f0
	while IFS='|' read -r words reason; do
		log_mark
		# shellcheck disable=SC2086 # words
		expect_fail make_flash f0 "$origin" $sectors "${geometry[@]}" $words
		expect_log "$reason"
	done <<-'END'
		aged_valid 10|aged_valid, aged_invalid: must be 0
		aged steady|aged: must be
		streams 2|streams, hot_cold: must be 1 and off
		read_retry 5 pe_cycles 9|bad_blocks, read_retry: must be 0
		map_cache 2000|map_cache: must be 0
		wear_threshold 5|wear_threshold: must be 0
		pages 100|pages: a zone of the origin has 256
		blocks 16|blocks: 64 zones, less 2 x 1 for the log, make at most 15 blocks for each of 4 planes
		over_provisioning 30|30 % of 15 blocks per plane are fewer than the 5
		over_provisioning 50|the flash has .* sectors for the host .* are needed
		page_bytes 8192|origin: has an ssdflash with page_bytes 4096
		channels 4 over_provisioning 80|keep 18 zones open; the origin allows 10
	END
	# Foreign data.
	make_nullb 64 zoned=1 zone_size=1 irqmode=0
	dd if=/dev/zero of="$NULLB" bs=4k count=1 oflag=direct status=none
	log_mark
	expect_fail make_flash f0 "$NULLB" $sectors "${geometry[@]}"
	expect_log "origin: 1 of its zones hold data that are not from ssdflash"
	blkzone reset "$NULLB"
	make_flash f0 "$NULLB" $sectors "${geometry[@]}"
}

# Two tables for the same zones: the second is refused while the first is live; the first detects a later use by the second.
one_user() {
	setup
	log_mark
	expect_fail make_flash f1 "$origin" $sectors "${geometry[@]}"
	expect_log "another ssdflash is using it"
	! dmsetup info f1 >/dev/null 2>&1 || dmsetup remove f1
	dmsetup suspend f0
	make_flash f1 "$origin" $sectors "${geometry[@]}"
	dmsetup remove f1
	log_mark
	expect_fail dmsetup resume f0
	expect_log "origin: another target has written to it"
	table_again
}

# A table that was loaded while the zones were empty must not adopt data that another table has written since.
loaded_before() {
	local sectors=65536

	make_nullb 64 zoned=1 zone_size=1 irqmode=0
	origin=$NULLB
	dmsetup create f1 --notable
	dmsetup reload f1 --table "0 $sectors ssdflash $origin $((${#geometry[@]} + 2)) ${geometry[*]} blocks 14"
	make_flash f0 "$origin" $sectors "${geometry[@]}"
	blkio write /dev/mapper/f0 0 32m 1
	dmsetup remove f0
	log_mark
	expect_fail dmsetup resume f1
	expect_log "origin: has an ssdflash with page_bytes 4096, 4 planes of 15 blocks .* reset its zones to start over"
	dmsetup remove f1
	make_flash f0 "$origin" $sectors "${geometry[@]}"
	blkio check /dev/mapper/f0 0 32m 1
}

# Two tables resumed at the same time, with the reads of the first one delayed: one is refused.
two_at_once() {
	local name resumed=0

	make_nullb 64 zoned=1 zone_size=1 "zone_max_active=$open_zones" irqmode=0
	make_linear low "$NULLB"
	for name in f0 f1; do
		dmsetup create $name --notable
		dmsetup load $name --table "0 $sectors ssdflash /dev/mapper/low ${#geometry[*]} ${geometry[*]}"
	done
	hold low
	dmsetup resume f0 &
	first=$!
	dmsetup resume f1 &
	second=$!
	pause 1
	release low
	! wait $first || resumed=$((resumed + 1))
	! wait $second || resumed=$((resumed + 1))
	expect_eq "resumed" $resumed 1
	# Removal works without resuming the other one.
	dmsetup remove f0
	dmsetup remove f1
}

# Removing a suspended table does not touch zones that another table uses by then, even if its log is full: a region has
# room for 256 blocks and is full after the 217th FLUSH.
removed_later() {
	make_nullb 64 zoned=1 zone_size=1 "zone_max_active=$open_zones" irqmode=0
	for ((flushes = 215; flushes < 220; flushes++)); do
		make_flash f0 "$NULLB" $sectors "${geometry[@]}"
		fio --name=w --filename=/dev/mapper/f0 --rw=write --bs=4k --size=$((4 * flushes))k --fsync=1 --direct=1 \
			--ioengine=psync --output="$scratch/fio"
		dmsetup suspend f0
		make_flash f1 "$NULLB" $sectors "${geometry[@]}"
		blkio fua /dev/mapper/f1 8m 1m $flushes
		dmsetup remove f0
		blkio fua /dev/mapper/f1 9m 1m $flushes
		dmsetup remove f1
		make_flash f1 "$NULLB" $sectors "${geometry[@]}"
		blkio check /dev/mapper/f1 8m 2m $flushes
		dmsetup remove f1
	done
}

# low LINE: replace the table of the flash device's origin
low() {
	dmsetup suspend --nolockfs low
	dmsetup reload low --table "$1"
	dmsetup resume low
}

# Cut the power at any moment, so that nothing reaches the zones any more. Everything that FLUSH and FUA acknowledged is found.
crash() {
	local seed=$1 good bad size

	shift
	make_zones
	size=$(((64 + conventional) * 2048))
	good="0 $size linear $NULLB 0"
	bad="0 $size flakey $NULLB 0 0 10000 1 error_writes"
	dmsetup create low --table "$good"
	for ((cut = 0; cut < cuts; cut++)); do
		make_flash f0 /dev/mapper/low $sectors "${geometry[@]}" "$@"
		crash-writer --device /dev/mapper/f0 --seconds 60 --seed $((seed + cut)) --reads 5 --fua 4 --flushes 2 \
			--journal "$scratch/journal" --until-error &
		writer=$!
		sleep "1.$((RANDOM % 10))"
		low "$bad"
		wait $writer
		flash_stat f0 state
		expect_eq "state" "$VALUE" failed
		dmsetup remove f0
		low "$good"
		make_flash f0 /dev/mapper/low $sectors "${geometry[@]}" "$@"
		crash-replay --check /dev/mapper/f0 --journal "$scratch/journal"
		# The next round expects an empty device.
		blkdiscard /dev/mapper/f0
		flash_stat f0 state
		expect_eq "state" "$VALUE" ok
		dmsetup remove f0
	done
}

# fill_conventional: random data in $scratch/conventional and in the conventional zones of the last null_blk
fill_conventional() {
	dd if=/dev/urandom of="$scratch/conventional" bs=1M "count=$conventional" status=none
	dd if="$scratch/conventional" of="$NULLB" bs=1M oflag=direct status=none
}

# Conventional zones are left alone; the log and the data are behind them.
conventional() {
	local conventional=3

	make_zones
	origin=$NULLB
	fill_conventional
	make_flash f0 "$origin" $sectors "${geometry[@]}"
	verify /dev/mapper/f0
	collected
	blkio fua /dev/mapper/f0 1m 512k 1
	table_again
	blkio check /dev/mapper/f0 1m 512k 1
	dmsetup remove f0
	cmp -n $((conventional << 20)) "$scratch/conventional" "$origin"
	# To start over.
	blkzone reset -o $((conventional * 2048)) "$origin"
	make_flash f0 "$origin" $sectors "${geometry[@]}"
	blkio fua /dev/mapper/f0 1m 512k 2
	cmp -n $((conventional << 20)) "$scratch/conventional" "$origin"
}

conventional_crash() {
	local conventional=3

	crash "$@"
}

# variant TEST...: a test that differs in its table only; skipped under sanitizers, which take five times as long
variant() {
	[ "$SSDCACHE_LANE${SSDC_LONG-}" = uml-debug ] || run_test "$@"
}

# fingerprint: the write pointers of all zones, and the data of those of the log
fingerprint() {
	local zone

	blkzone report "$origin"
	for zone in 0 1; do
		dd if="$origin" bs=1M skip=$zone count=1 iflag=direct status=none | sha256sum
	done
}

# stays_as_it_is TAG: the origin is read-only, and so is the table; TAG: of the data, none if the origin is empty
stays_as_it_is() {
	fingerprint >"$scratch/before"
	log_mark
	dmsetup create f0 --readonly --table "0 $sectors ssdflash $origin ${#geometry[@]} ${geometry[*]}"
	flash_stat f0 state
	expect_eq "state" "$VALUE" read-only
	[ -z "$1" ] || blkio check /dev/mapper/f0 0 512k "$1"
	expect_fail blkio write /dev/mapper/f0 0 4k 2
	blkio flush /dev/mapper/f0
	dmsetup create c0 --readonly --table "0 $sectors ssdcache /dev/mapper/f0 2 dram 1m"
	[ -z "$1" ] || blkio check /dev/mapper/c0 0 512k "$1"
	message c0 flush
	dmsetup suspend c0
	expect_value c0 state suspended
	dmsetup remove c0
	dmsetup suspend f0
	dmsetup resume f0
	[ -z "$1" ] || blkio check /dev/mapper/f0 0 512k "$1"
	dmsetup remove f0
	! log_since | grep "read-only block-device" || fail "the origin was written"
	fingerprint >"$scratch/after"
	diff "$scratch/before" "$scratch/after"
}

read_only_table() {
	make_nullb 64 zoned=1 zone_size=1 "zone_max_active=$open_zones" irqmode=0
	origin=$NULLB
	blockdev --setro "$origin"
	stays_as_it_is ""
	blockdev --setrw "$origin"
	make_flash f0 "$origin" $sectors "${geometry[@]}"
	blkio write /dev/mapper/f0 0 512k 1
	dmsetup remove f0
	blockdev --setro "$origin"
	stays_as_it_is 1
	# What was read is as it was for a table that writes.
	blockdev --setrw "$origin"
	make_flash f0 "$origin" $sectors "${geometry[@]}"
	blkio check /dev/mapper/f0 0 512k 1
	blkio write /dev/mapper/f0 0 512k 3
	blkio check /dev/mapper/f0 0 512k 3
}

# A read-only zone of plane 0 can be read, an offline zone of plane 1 cannot; nothing is written to either of them.
unusable_zones() {
	setup
	[ -e "$NULLB_CONFIG/${origin#/dev/}/zone_offline" ] || skip "null_blk of this kernel cannot take zones out of use"
	blkio write /dev/mapper/f0 0 36m 1
	dmsetup remove f0
	nullb_set "$origin" zone_readonly=$((2 * 2048)) zone_offline=$((17 * 2048))
	log_mark
	make_flash f0 "$origin" $sectors "${geometry[@]}"
	expect_log "2 zones are read-only or offline: nothing is written to them"
	dd if="$origin" of="$scratch/before" bs=1M skip=2 count=1 iflag=direct status=none
	# Of four planes, one has lost a block of 1 MiB.
	expect_fail dd if=/dev/mapper/f0 of=/dev/null bs=1M count=36 iflag=direct
	dd if=/dev/mapper/f0 of=/dev/null bs=4k count=9216 iflag=direct conv=noerror 2>"$scratch/errors" || :
	expect_eq "unreadable pages" "$(grep -c "Input/output error" "$scratch/errors")" 256
	blkio write /dev/mapper/f0 0 36m 2
	blkio check /dev/mapper/f0 0 36m 2
	table_again
	blkio check /dev/mapper/f0 0 36m 2
	verify /dev/mapper/f0
	collected
	blkio fua /dev/mapper/f0 0 512k 3
	dmsetup remove f0
	dd if="$origin" of="$scratch/after" bs=1M skip=2 count=1 iflag=direct status=none
	cmp "$scratch/before" "$scratch/after"
	nullb_set "$origin" zone_readonly=0
	log_mark
	expect_fail make_flash f0 "$origin" $sectors "${geometry[@]}"
	expect_log "origin: zone 0 is read-only; the log needs it \(zones 0 to 1\)"
	dmsetup remove f0 2>/dev/null || :
	dmsetup create f0 --readonly --table "0 $sectors ssdflash $origin ${#geometry[@]} ${geometry[*]}"
	blkio check /dev/mapper/f0 0 512k 3
}

# A drive at the end of its life can still be read.
only_readable() {
	make_nullb 64 zoned=1 zone_size=1 "zone_max_active=$open_zones" irqmode=0
	dmsetup create origin --table "0 131072 flakey $NULLB 0 3600 0"
	make_flash f0 /dev/mapper/origin $sectors "${geometry[@]}"
	blkio write /dev/mapper/f0 0 512k 1
	dmsetup remove f0
	swap_table origin "0 131072 flakey $NULLB 0 0 3600 1 error_writes"
	log_mark
	expect_fail dmsetup create f0 --table "0 $sectors ssdflash /dev/mapper/origin ${#geometry[@]} ${geometry[*]}"
	expect_log "the log cannot be written \(-5\): load the table again, or a read-only one"
	dmsetup remove f0 2>/dev/null || :
	dmsetup create f0 --readonly --table "0 $sectors ssdflash /dev/mapper/origin ${#geometry[@]} ${geometry[*]}"
	blkio check /dev/mapper/f0 0 512k 1
}

run_test "fio verify" fio_verify
variant "fio verify, static allocation, cache program" fio_verify allocation static cache_program on
variant "fio verify, copyback" fio_verify copyback on
run_test "random requests" random_requests
variant "random requests, copyback, pages of 16 KiB" random_requests copyback on page_bytes 16384
run_test "ext4, removal" file_system
run_test "removal without a FLUSH" removal
run_test "discards" discards
run_test "suspend and reload under I/O" suspend_under_io
run_test "progress of a suspend" progress_of_suspend
run_test "under ssdcache" under_ssdcache
run_test "a write that fails, reads go on" bad_write
run_test "a reload after a failure: a FLUSH tells of lost writes" reload_loses_writes
run_test "a reload after a failure, whose first resume fails: a FLUSH tells of lost writes" failed_resume_loses_writes
run_test "a reload after a failure, under ssdcache" reload_under_cache
run_test "unreadable pages are lost, and nothing else" unreadable
variant "unreadable pages, copyback" unreadable copyback on
run_test "wrong table lines are refused with the reason" refused
run_test "one table at a time" one_user
run_test "two tables at once" two_at_once
run_test "a table that was loaded before another wrote" loaded_before
run_test "removed while another uses the zones" removed_later
run_test "a read-only table writes nothing to a read-only origin" read_only_table
run_test "a read-only table reads an origin that cannot be written" only_readable
run_test "zones that are read-only or offline are bad blocks" unusable_zones
run_test "crashes" crash 1
variant "crashes, copyback, static allocation" crash 11 copyback on allocation static
run_test "conventional zones are left alone" conventional
run_test "crashes, behind conventional zones" conventional_crash 21
