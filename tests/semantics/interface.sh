#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: printed table lines load again; the three forms of status; dependencies; help; read-only tables
# lane: uml-debug
# long: vm-6.1 vm-6.12

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Words of a table line | how the kernel prints them: only values that differ from the defaults, in a fixed order.
option_sets() {
	cat <<-SETS
		dram 1m | 2 dram 1m
		dram 1M | 2 dram 1m
		dram 1048576 | 2 dram 1m
		dram 1024k | 2 dram 1m
		dram 65536 | 2 dram 64k
		dram 1536k | 2 dram 1536k
		dram 2097152 page 4096 | 2 dram 2m
		dram 1m page 8k | 4 dram 1m page 8k
		page 64K dram 4m | 4 dram 4m page 64k
		dram 100000 | 2 dram 96k
		dram 1m numa interleave | 2 dram 1m
		dram 1m numa local | 4 dram 1m numa local
		numa local dram 2m shards 2 page 8k | 8 dram 2m page 8k shards 2 numa local
		dram 2m replacement lru | 2 dram 2m
		dram 2m replacement fifo | 4 dram 2m replacement fifo
		dram 2m replacement lfu | 4 dram 2m replacement lfu
		dram 2m replacement cflru | 4 dram 2m replacement cflru
		dram 2m replacement cflru:window=50 | 4 dram 2m replacement cflru
		dram 2m replacement cflru:window=33 | 4 dram 2m replacement cflru:window=33
		dram 2m replacement cflru:window=1,window=2 | 4 dram 2m replacement cflru:window=2
		dram 2m replacement cflru-ef | 4 dram 2m replacement cflru-ef
		dram 2m replacement cflru-ef:ef_batch=4,adapt=off | 4 dram 2m replacement cflru-ef:adapt=off,ef_batch=4
		dram 2m replacement cflru-ef:adapt=on | 4 dram 2m replacement cflru-ef
		dram 2m replacement cflru-ef-sc:threshold=0,adapt=off,ef_batch=256,period=1000000000,step=50 | 4 dram 2m replacement cflru-ef-sc:threshold=0,adapt=off,ef_batch=256,period=1000000000,step=50
		dram 2m admission write-buffer | 2 dram 2m
		dram 2m admission read-write | 4 dram 2m admission read-write
		dram 2m admission l-corw:period_ms=200,wt_sync=off | 4 dram 2m admission l-corw
		dram 2m admission l-corw:seed=4294967295,tt_low=1024 | 4 dram 2m admission l-corw:tt_low=1024,seed=4294967295
		dram 2m admission corw-1 | 4 dram 2m admission corw-1
		dram 2m admission corw-8:wt_sync=on,cold=0 | 4 dram 2m admission corw-8:cold=0,wt_sync=on
		dram 2m prefetch none | 2 dram 2m
		dram 2m dram_mode volatile | 2 dram 2m
		dram 2m dram_mode protected | 4 dram 2m dram_mode protected
		dram 2m idle_us 0 flush_interval_s 0 retry_ms 100 channels 4 dies 2 alpha_us 74 beta_us 1999 | 2 dram 2m
		dram 2m idle_us 60000000 | 4 dram 2m idle_us 60000000
		dram 2m flush_interval_s 86400 | 4 dram 2m flush_interval_s 86400
		dram 2m dies 64 channels 1024 retry_ms 60000 | 8 dram 2m retry_ms 60000 channels 1024 dies 64
		dram 2m idle_us 007 | 4 dram 2m idle_us 7
		dies 1 prefetch none replacement fifo idle_us 5 dram 1m admission read-write dram_mode protected page 16k | 14 dram 1m page 16k replacement fifo admission read-write dram_mode protected idle_us 5 dies 1
	SETS
}

round_trip() {
	local words want number count=0 first

	make_nullb 16
	read -r number <"/sys/block/${NULLB#/dev/}/dev"
	while read -r words; do
		want=${words#* | }
		words=${words%% | *}
		read -ra first <<<"$words"
		table "$NULLB" "${first[@]}"
		printf 'create c0 %s\ntable c0\nremove c0\n' "$TABLE"
		printf '%s\n' "$words" >>"$scratch/words"
		printf 'ok\t0 32768 ssdcache %s %s\n' "$number" "$want" >>"$scratch/want"
		count=$((count + 1))
	done < <(option_sets) >"$scratch/batch"
	expect "sets of options" "$count" -ge 30
	dm-batch <"$scratch/batch" >"$scratch/answers"
	expect_fail grep -v '^ok' "$scratch/answers"
	sed -n 'n; p; n' "$scratch/answers" >"$scratch/tables"
	diff "$scratch/want" "$scratch/tables"
	# Load the printed lines again.
	sed 's/^ok\t\(.*\)/create c0 \1\ntable c0\nremove c0/' "$scratch/tables" >"$scratch/batch"
	dm-batch <"$scratch/batch" >"$scratch/answers"
	expect_fail grep -v '^ok' "$scratch/answers"
	sed -n 'n; p; n' "$scratch/answers" >"$scratch/again"
	cmp "$scratch/tables" "$scratch/again"
	# The same with dmsetup itself.
	make_cache c0 "$NULLB" dram 1m replacement cflru:window=20 dram_mode protected
	dmsetup table c0 >"$scratch/table"
	dmsetup remove c0
	dmsetup create c0 "$scratch/table"
	dmsetup table c0 | cmp - "$scratch/table"
}

# A table line printed after changes by message loads again, too.
round_trip_after_messages() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 1m
	message c0 replacement cflru-ef:threshold=30
	message c0 set ef_batch 7
	message c0 admission read-write
	message c0 set retry_ms 9
	dmsetup table c0 >"$scratch/table"
	grep -q ' 8 dram 1m replacement cflru-ef:threshold=30,ef_batch=7 admission read-write retry_ms 9$' "$scratch/table"
	dmsetup remove c0
	dmsetup create c0 "$scratch/table"
	dmsetup table c0 | cmp - "$scratch/table"
}

# The schema fixes the order; "stats" is followed by all statistics of sysfs, with the same values.
status_info() {
	local words i name

	make_nullb 16
	make_cache c0 "$NULLB" dram 1m replacement cflru:window=40 admission read-write dram_mode protected
	blkio write /dev/mapper/c0 0 64k 1 4k
	blkio check /dev/mapper/c0 0 64k 1 4k 0
	wait_quiescent c0
	read -ra words < <(dmsetup status c0)
	expect_eq "status" "${words[*]:0:13}" "0 32768 ssdcache schema 1 state ok frames 256 used 17 dirty 16"
	expect_eq "status" "${words[*]:13:11}" \
		"failed 0 replacement cflru:window=40 admission read-write prefetch none dram_mode protected stats"
	expect "words" ${#words[@]} -gt 60
	dm_dir c0
	for ((i = 24; i < ${#words[@]}; i += 2)); do
		name=${words[i]}
		get c0 "stats/$name"
		expect_eq "$name" "$VALUE" "${words[i + 1]}"
		echo "$name" >>"$scratch/names"
	done
	find "$DM_DIR/ssdcache/stats" -maxdepth 1 -type f -printf '%f\n' | sort | diff - <(sort "$scratch/names")
	expect_eq "writes" "$(grep -o ' writes [0-9]*' <<<"${words[*]}")" " writes 16"
}

# A flag asks for the text that the kernel measures for attestation, even without CONFIG_IMA.
status_ima() {
	local answer

	make_nullb 16
	make_cache c0 "$NULLB" dram 1m page 8k dram_mode protected
	answer=$(dm-batch <<<"ima c0")
	expect_match "answer" "$answer" $'^ok\t0 32768 ssdcache target_name=ssdcache,target_version=[0-9]+\.[0-9]+\.[0-9]+,'
	expect_match "answer" "$answer" ',origin=[0-9]+:[0-9]+,dram_bytes=1048576,page_bytes=8192,dram_mode=protected;$'
	# The text has nothing that messages change, except the durability mode.
	message c0 replacement fifo
	expect_eq "answer" "$(dm-batch <<<"ima c0")" "$answer"
}

dependencies() {
	local answer number

	make_nullb 16
	make_cache c0 "$NULLB" dram 1m
	read -r number <"/sys/block/${NULLB#/dev/}/dev"
	answer=$(dmsetup deps -o devno c0)
	expect_match "deps" "$answer" "1 dependencies.*\(${number/:/, }\)"
	answer=$(dmsetup targets)
	expect_match "targets" "$answer" 'ssdcache +v[0-9]'
}

help() {
	local answer word

	make_nullb 16
	make_cache c0 "$NULLB" dram 1m
	answer=$(message c0 help)
	for word in replacement admission prefetch set flush drop_clean reset_stats; do
		expect_match "help" "$answer" "(^|"$'\n'")$word"
	done
}

read_only() {
	make_nullb 16
	blkio write "$NULLB" 0 64k 1
	table "$NULLB" dram 1m
	dmsetup create c0 --readonly --table "$TABLE"
	blkio check /dev/mapper/c0 0 64k 1
	expect_fail blkio write /dev/mapper/c0 0 4k 2
	dmsetup remove c0
	blkio check "$NULLB" 0 64k 1
}

run_test "the printed table line makes the same cache" round_trip
run_test "the table line printed after messages makes the same cache" round_trip_after_messages
run_test "STATUSTYPE_INFO: the line of the schema, statistics as in sysfs" status_info
run_test "STATUSTYPE_IMA" status_ima
run_test "dependencies and version" dependencies
run_test "help lists the messages" help
run_test "a read-only table" read_only
