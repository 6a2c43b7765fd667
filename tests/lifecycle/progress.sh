#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: writes, FLUSH and discards make progress beside many slow reads, and beside constant reads of a page
# lane: uml-debug
# long: vm-6.1

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cache=/dev/mapper/c0
readers=
# An array, not a function, so that the process in the background is fio itself and can be killed.
fio=(fio --name=job --filename="$cache" --direct=1 --minimal)

# 256 frames, and an origin that takes 2 s for a read and 20 ms for a write.
setup() {
	need_driver delay
	make_nullb 32 discard=1
	sectors_of "$NULLB"
	dmsetup create origin --table "0 $SECTORS delay $NULLB 0 2000 $NULLB 0 20"
	make_cache c0 /dev/mapper/origin dram 1m "$@"
	trap end_readers EXIT
}

# start_readers NR: cache every second page of the first MiB, and start NR reads of 64k at a time. Each becomes eight small
# reads of the origin, in all far more than there are I/O records.
start_readers() {
	"${fio[@]}" --ioengine=libaio --rw=write:4k --bs=4k --size=1m --io_size=512k --iodepth=16 >"$scratch/fill"
	expect_stat c0 used -eq 128
	"${fio[@]}" --ioengine=libaio --rw=randread --bs=64k --size=1m --iodepth="$1" --time_based --runtime=300 \
		>"$scratch/readers" 2>&1 &
	readers=$!
	wait_stat c0 reads -ge "$1"
	expect_stat c0 host_inflight -eq "$1"
}

# The readers still run: fio writes its results when it ends.
expect_readers() {
	expect_eq "results of the readers" "$(<"$scratch/readers")" ""
}

# The readers still run, and as many of their reads are in flight as there are records.
expect_busy_readers() {
	expect_readers
	expect_stat c0 device_inflight -ge 64
}

# Make the origin fast, so that the readers end soon.
end_readers() {
	[ -n "$readers" ] || return 0
	swap_table origin "0 $SECTORS linear $NULLB 0"
	kill "$readers"
	wait
	readers=
}

# Measure the rate of random writes beyond the range that is read, as $RATE, in writes a second. Once DRAM is full of
# dirty pages, each write waits for a flush. fio writes its results once the last write has ended.
write_rate() {
	local fields writers

	rm -f "$scratch/writers"
	"${fio[@]}" --ioengine=libaio --rw=randwrite --bs=4k --offset=8m --size=16m --iodepth=16 --time_based --runtime=3 \
		>"$scratch/writers" &
	writers=$!
	poll 30 "the end of the writes" test -s "$scratch/writers"
	wait $writers
	IFS=';' read -ra fields <"$scratch/writers"
	RATE=${fields[48]}
}

# Writes need records for flushes, and reads must not use these up.
writes() {
	local alone

	setup
	write_rate
	alone=$RATE
	expect "writes a second without reads" "$alone" -ge 40
	message c0 flush
	message c0 drop_clean
	start_readers 256
	write_rate
	expect_busy_readers
	echo "writes a second: $alone alone, $RATE beside reads"
	expect "writes a second beside reads" "$RATE" -ge $((alone / 4))
	expect_stat c0 evicted_pages -gt 256
	end_readers
	expect_stat c0 failed_requests -eq 0
}

# within SECONDS COMMAND...: the command must succeed in time. It is not killed, as a signal may not end it.
within() {
	local limit=$1 start=${EPOCHREALTIME/./}

	shift
	rm -f "$scratch/succeeded"
	{ "$@" && echo yes >"$scratch/succeeded"; } &
	poll "$limit" "the end of $*" test -s "$scratch/succeeded"
	echo "$(((${EPOCHREALTIME/./} - start) / 1000)) ms: $*"
}

# A FLUSH is forwarded. The message flush and FUA need a record to flush the origin, and must not wait for it behind the
# reads: 2000 small ones, 64 at a time, of 2 s each.
flushes() {
	setup
	start_readers 256
	within 4 blkio flush $cache
	expect_stat c0 dirty -eq 0
	blkio write $cache 8m 256k 1
	expect_stat c0 dirty -eq 64
	within 4 dmsetup message c0 0 flush
	expect_stat c0 dirty -eq 0
	blkio check "$NULLB" 8m 256k 1
	within 4 blkio fua $cache 9m 64k 2
	blkio check "$NULLB" 9m 64k 2
	expect_busy_readers
	end_readers
}

# discard_beside_slow_reads SECONDS [WORD...]: discard pages that are read all the time, from DRAM or from the origin.
discard_beside_slow_reads() {
	local limit=$1

	shift
	setup "$@"
	start_readers 256
	within "$limit" blkio discard $cache 512k 128k
	expect_stat c0 dropped_pages -ge 16
	expect_readers
	end_readers
	blkio check $cache 512k 128k 0
	blkio check "$NULLB" 512k 128k 0
}

# Several readers copy one page all the time. With more than one CPU the copies overlap.
discard_beside_hits() {
	local i

	make_nullb 16 discard=1
	make_cache c0 "$NULLB" dram 1m page 64k admission read-write
	blkio write $cache 0 64k 1
	"${fio[@]}" --ioengine=psync --rw=read --bs=64k --size=64k --numjobs=6 --time_based --runtime=300 \
		>"$scratch/readers" 2>&1 &
	readers=$!
	# shellcheck disable=SC2064 # expand now
	trap "kill $readers" EXIT
	wait_stat c0 read_hits -ge 1000
	for ((i = 0; i < 5; i++)); do
		blkio write $cache 0 64k 1
		within 10 blkio discard $cache 0 64k
		expect_readers
	done
	expect_stat c0 discards -eq 5
	trap - EXIT
	kill "$readers"
	wait "$readers" || :
	blkio check $cache 0 64k 0
}

run_test "writes beside many slow reads" writes
run_test "FLUSH, the message flush and FUA beside many slow reads" flushes
run_test "a discard beside slow reads that bypass DRAM" discard_beside_slow_reads 4
# With read-write the discard waits for fills in flight: here 128, 64 at a time.
run_test "a discard beside slow reads that fill its pages" discard_beside_slow_reads 15 admission read-write
run_test "a discard of a page that is read all the time" discard_beside_hits
