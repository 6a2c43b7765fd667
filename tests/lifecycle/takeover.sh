#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: a reload while the origin fails serves the newest data, or none
# lane: uml-debug
# long: vm-6.12 vm-newest vm-kcsan
# timeout: 1200

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

setup() {
	make_nullb 16
	blkio write "$NULLB" 0 2m 9
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 1m retry_ms 20 "$@"
	blkio write /dev/mapper/c0 0 512k 1
	expect_stat c0 dirty -eq 128
}

break_origin() {
	swap_table origin "0 32768 error"
}

mend_origin() {
	swap_table origin "0 32768 linear $NULLB 0"
}

# expect_newest: all data are there, now and on the origin
expect_newest() {
	blkio check /dev/mapper/c0 0 512k 1
	mend_origin
	message c0 flush
	expect_stat c0 dirty -eq 0
	blkio check "$NULLB" 0 512k 1 1536k 9
	blkio check /dev/mapper/c0 0 512k 1 1536k 9
	dmsetup remove c0
}

reloads() {
	setup
	break_origin
	reload_cache c0 /dev/mapper/origin "$@"
	expect_stat c0 dirty -eq 128
	get c0 state
	expect_match "state" "$VALUE" "^error:"
	grep -q "kept the DRAM tier of the old table, with 128 dirty pages" <<<"$(dmesg)" || fail "nothing in the kernel log"
	expect_newest
}

# What could not be applied is applied by the next reload.
second_reload_applies() {
	setup
	break_origin
	reload_cache c0 /dev/mapper/origin dram 2m replacement cflru retry_ms 30
	grep -q "dram 1m.* retry_ms 30" <<<"$(dmsetup table c0)" || fail "table: $(dmsetup table c0)"
	reload_cache c0 /dev/mapper/origin dram 4m replacement fifo
	expect_stat c0 dirty -eq 128
	mend_origin
	reload_cache c0 /dev/mapper/origin dram 2m replacement cflru
	grep -q "dram 2m.* replacement cflru" <<<"$(dmsetup table c0)" || fail "table: $(dmsetup table c0)"
	expect_stat c0 dirty -eq 0
	expect_newest
}

errors_since() {
	log_since | grep -c "write error of the origin"
}

# The old origin is gone; its copy takes its place.
moves_to_another_origin() {
	setup
	old=$NULLB
	make_nullb 16
	dd if="$old" of="$NULLB" bs=1M oflag=direct status=none
	make_linear other "$NULLB"
	break_origin
	log_mark
	reload_cache c0 /dev/mapper/other dram 1m
	blkio check /dev/mapper/c0 0 512k 1
	blkio flush /dev/mapper/c0
	# The old origin has failed, the new one has not.
	expect_eq "errors in the log" "$(errors_since)" 1
	blkio check "$NULLB" 0 512k 1 1536k 9
	blkio check "$old" 0 2m 9
	swap_table other "0 32768 error"
	blkio write /dev/mapper/c0 0 4k 1
	expect_fail blkio flush /dev/mapper/c0
	expect_eq "errors in the log after one of the new origin" "$(errors_since)" 2
	swap_table other "0 32768 linear $NULLB 0"
	dmsetup remove c0
}

# The new origin may refuse pages with part of one of its blocks, but is not broken: the log says so. Such pages stay dirty. Here they
# reach an origin with small blocks, which has what the other one took.
moves_to_larger_blocks() {
	setup
	blkio write /dev/mapper/c0 1m 512 2
	old=$NULLB
	make_nullb 16 blocksize=4096
	dd if="$old" of="$NULLB" bs=1M oflag=direct status=none
	break_origin
	log_mark
	reload_cache c0 "$NULLB" dram 1m
	expect_log "logical blocks have 4096 bytes now, not 512: .* may stay dirty until a reload with smaller blocks"
	blkio check /dev/mapper/c0 0 512k 1
	blkio flush /dev/mapper/c0 || :
	dd if="$NULLB" of="$old" bs=1M oflag=direct status=none
	NULLB=$old
	mend_origin
	reload_cache c0 /dev/mapper/origin dram 1m
	blkio flush /dev/mapper/c0 || blkio flush /dev/mapper/c0
	blkio check "$old" 0 512k 1 512k 9 512 2
	dmsetup remove c0
}

# The origin fails, and has lost its cache when it comes back as another device: pages that were written to it without a FLUSH are
# lost there, but DRAM still has them. Here the origin is a flash device on zones, which goes back to its last FLUSH.
lost_cache() {
	local flash="ssdflash /dev/mapper/low 8 channels 2 chips 1 dies 1 over_provisioning 40" good

	make_nullb 64 zoned=1 zone_size=1 irqmode=0
	good="0 131072 linear $NULLB 0"
	dmsetup create low --table "$good"
	dmsetup create f0 --table "0 65536 $flash"
	make_cache c0 /dev/mapper/f0 dram 1m retry_ms 20
	blkio fua /dev/mapper/c0 0 64k 1
	blkio write /dev/mapper/c0 0 64k 2
	message c0 set flush_interval_s 1
	wait_stat c0 dirty -eq 0
	message c0 set flush_interval_s 0
	swap_table low "0 131072 flakey $NULLB 0 0 10000 1 error_writes"
	blkio write /dev/mapper/c0 1m 4k 2
	dmsetup suspend c0
	expect_stat c0 dirty -eq 1
	dmsetup suspend f0
	swap_table low "$good"
	dmsetup create f1 --table "0 65536 $flash"
	table /dev/mapper/f1 dram 1m
	dmsetup reload c0 --table "$TABLE"
	dmsetup resume c0
	dmsetup remove f0
	blkio check /dev/mapper/c0 0 64k 2
	# Evicted pages may have been lost, too: the host learns of that once.
	expect_fail blkio flush /dev/mapper/c0
	blkio flush /dev/mapper/c0
	blkio check /dev/mapper/f1 0 64k 2
	blkio check /dev/mapper/f1 1m 4k 2
	dmsetup remove c0
}

# Data that a write waits to see on the origin are not lost, either.
writes_go_on() {
	setup admission read-write
	break_origin
	reload_cache c0 /dev/mapper/origin dram 1m
	blkio write /dev/mapper/c0 512k 64k 2
	mend_origin
	blkio flush /dev/mapper/c0 || blkio flush /dev/mapper/c0
	blkio check "$NULLB" 0 512k 1 64k 2
	dmsetup remove c0
}

refuses_another_length() {
	setup
	make_nullb 32
	break_origin
	log_mark
	reload_cache c0 "$NULLB" dram 1m
	expect_log "128 dirty pages are lost"
	expect_fail blkio check /dev/mapper/c0 0 4k 9
	expect_fail blkio write /dev/mapper/c0 0 4k 9
	# Another table works.
	reload_cache c0 "$NULLB" dram 1m
	blkio write /dev/mapper/c0 0 4k 3
	dmsetup remove c0
}

# A write to sysfs waits for a modprobe, which waits for the device: the resume must not wait for the write.
file_waits_for_the_device() {
	local modprobe writer status=0

	setup
	break_origin
	modprobe=$(</proc/sys/kernel/modprobe)
	cat >"$scratch/modprobe" <<-SCRIPT
		#!/bin/sh
		: >$scratch/loading
		exec dd if=/dev/mapper/c0 of=/dev/null bs=4k count=1 iflag=direct
	SCRIPT
	chmod +x "$scratch/modprobe"
	dmsetup suspend c0
	echo "$scratch/modprobe" >/proc/sys/kernel/modprobe
	put c0 replacement absent 2>/dev/null &
	writer=$!
	poll 20 "the start of modprobe" test -e "$scratch/loading"
	dmsetup reload c0 --table "$(dmsetup table c0)"
	dmsetup resume c0
	wait $writer || status=$?
	echo "$modprobe" >/proc/sys/kernel/modprobe
	expect "status of the write" $status -ne 0
	expect_stat c0 dirty -eq 128
	expect_newest
}

run_test "the same table" reloads dram 1m
run_test "a larger tier with other pages and another policy" reloads dram 4m page 16k replacement req-block
run_test "a smaller tier" reloads dram 128k
run_test "protected DRAM" reloads dram 1m dram_mode protected
run_test "a second reload applies what the first could not" second_reload_applies
run_test "another origin" moves_to_another_origin
run_test "another origin with larger blocks" moves_to_larger_blocks
run_test "another origin that has lost its cache" lost_cache
run_test "writes after the reload" writes_go_on
run_test "a file in sysfs that waits for the device" file_waits_for_the_device
run_test "another length: I/O fails until the next table" refuses_another_length
