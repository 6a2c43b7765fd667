#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: sysfs directory of ssdflash: files against status, table and messages; reload and removal with concurrent readers
# lane: uml-debug
# long: vm-6.12
# kmemleak: yes

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Files that are part of the interface.
root_files="actions last_error memory_bytes origin profile quiescent schema state"
parameters="aged aged_erases aged_hot aged_invalid aged_valid allocation bad_blocks blocks cache_program cache_read
	channel_first channels chips command_ns command_wait copyback dies erase_ns gc_choices gc_threshold gc_urgent gc_victim hot_cold
	multi_plane over_provisioning page_bytes pages partial_transfer pe_cycles planes program2_ns program3_ns program4_ns program_ns
	read2_ns read3_ns read4_ns read_ns read_retry resume_ns seed streams suspend suspend_max suspend_min_ns
	suspend_ns transfer_ps wear_threshold"

# Small, with garbage collection at work. Every parameter is given, none at its default.
geometry=(channels 2 chips 1 dies 1 planes 4 blocks 80 pages 16 page_bytes 4096 read_ns 2000 read2_ns 2100 read3_ns 2200
	read4_ns 2300 program_ns 10000 program2_ns 11000 program3_ns 12000 program4_ns 13000 erase_ns 50000 transfer_ps 100 command_ns 7 over_provisioning 15 gc_threshold 6 gc_urgent 2
	aged_valid 3 aged_invalid 60 seed 5 allocation static multi_plane off cache_read on cache_program on copyback on
	suspend both suspend_ns 700 resume_ns 300 suspend_min_ns 900 suspend_max 3
	command_wait on channel_first writes partial_transfer on
	gc_victim d-choices gc_choices 4 aged steady aged_hot 5 aged_erases 8 pe_cycles 3000 wear_threshold 9 streams
	2 hot_cold on bad_blocks 13 read_retry 500)
sectors=16384

setup() {
	make_nullb 8 irqmode=0 discard=1
	make_flash f0 "$NULLB" $sectors "$@"
	target_dir f0
}

# Reads, writes, discards and a flush, then wait until the device is quiescent.
use() {
	local i

	for i in 1 2 3; do
		blkio write /dev/mapper/f0 0 6m "$i" 96k
	done
	blkio write /dev/mapper/f0 7m 2k 1
	blkio check /dev/mapper/f0 0 1m 3 8k
	blkio discard /dev/mapper/f0 5m 64k
	blkio flush /dev/mapper/f0
	wait_quiescent f0
}

# The statistics that "dmsetup status" prints: in the same order, with the same values.
check_stats() {
	local words i before name

	get f0 stats/utilisation
	before=$VALUE
	read -ra words < <(dmsetup status f0)
	expect_eq "status" "${words[*]:2:8}" "ssdflash schema 1 state ok profile custom stats"
	for ((i = 10; i < ${#words[@]}; i += 2)); do
		name=${words[i]}
		echo "$name" >>"$scratch/names"
		get f0 "stats/$name"
		if [ "$name" = utilisation ]; then
			# Time passes, so the share shrinks.
			expect "$name" "${words[i + 1]}" -le "$before"
			expect "$name" "${words[i + 1]}" -ge "$VALUE"
		else
			# The numbers of a row: with spaces in sysfs, with commas in the status.
			expect_eq "$name" "${VALUE// /,}" "${words[i + 1]}"
		fi
	done
	find "$TARGET_DIR/stats" -maxdepth 1 -type f -printf '%f\n' | sort | diff - <(sort "$scratch/names")
	rm "$scratch/names"
}

# Compare the messages "latency" and "channels" with their files.
check_messages() {
	local op words lines sum count number

	dmsetup message f0 0 latency >"$scratch/latency"
	while read -r op words; do
		mapfile -t lines <"$TARGET_DIR/stats/latency/$op"
		expect_eq "$op" "${lines[*]}" "$words"
		sum=0
		while read -r _ _ count; do
			sum=$((sum + count))
		done <"$TARGET_DIR/stats/latency/${op}_histogram"
		expect_eq "$op in the histogram" "count $sum" "${lines[0]}"
	done <"$scratch/latency"
	expect "operations" "$(wc -l <"$scratch/latency")" -eq 4
	dmsetup message f0 0 channels >"$scratch/channels"
	while read -r number _ count; do
		expect_value f0 "stats/channel_busy_ns/$number" "$count"
	done <"$scratch/channels"
	get f0 params/channels
	expect "channels" "$VALUE" -eq "$(wc -l <"$scratch/channels")"
	find "$TARGET_DIR/stats/channel_busy_ns" -type f >"$scratch/files"
	expect "files of channels" "$(wc -l <"$scratch/files")" -eq "$VALUE"
}

all_files() {
	local number i file

	setup "${geometry[@]}"
	read -r number <"/sys/block/${NULLB#/dev/}/dev"
	use
	check_stats
	check_messages
	expect_stat f0 gc_runs -gt 0
	expect_stat f0 host_bytes_written -eq $((18 * 1048576 + 2048))
	get f0 stats/channel_busy_ns/1
	expect "busy time of a channel" "$VALUE" -gt 0
	get f0 stats/latency/write
	expect_match "writes" "$VALUE" '^count [1-9]'

	expect_value f0 schema 1
	expect_value f0 origin "$number"
	expect_value f0 profile custom
	expect_value f0 state ok
	expect_value f0 last_error ""
	# As documented: 4 bytes per logical and per physical page, 24 per block, 64 per command (1280 of them), 19 KiB per
	# histogram of latencies, and a little for erase counts, planes, dies and channels.
	local map=$((4 * 640 * 16 * 85 / 100 + 4 * 640 * 16 + 24 * 640)) levels=$((4 * 8192)) commands=$((64 * 1280))
	local histograms=$((4 * 19 * 1024))

	get f0 memory_bytes
	expect "memory" "$VALUE" -ge $((map + levels + commands + histograms))
	expect "memory" "$VALUE" -le $((map + levels + commands + histograms + 20 * 1024))
	for ((i = 0; i < ${#geometry[@]}; i += 2)); do
		expect_value f0 "params/${geometry[i]}" "${geometry[i + 1]}"
	done
	find "$TARGET_DIR" -maxdepth 1 -type f -printf '%f ' >"$scratch/root"
	find "$TARGET_DIR/params" -type f -printf '%f ' >"$scratch/params"
	for file in $root_files; do
		[[ " $(<"$scratch/root")" = *" $file "* ]] || fail "no file $file"
	done
	for file in $parameters; do
		[[ " $(<"$scratch/params")" = *" $file "* ]] || fail "no file params/$file"
	done
	find "$TARGET_DIR" -type f ! -name actions ! -name last_error ! -perm 444 >"$scratch/modes"
	find "$TARGET_DIR" -name last_error ! -perm 400 >>"$scratch/modes"
	find "$TARGET_DIR" -name actions ! -perm 200 >>"$scratch/modes"
	expect_eq "files of the wrong mode" "$(<"$scratch/modes")" ""
	expect_fail put f0 params/channels 3
	dmsetup suspend f0
	expect_value f0 state suspended
	dmsetup resume f0
	expect_value f0 state ok
}

# Parameters that follow from the profile and the size of the device.
profile() {
	setup profile s002 blocks 0
	expect_value f0 profile s002
	expect_value f0 params/pages 575
	expect_value f0 params/multi_plane on
	get f0 params/blocks
	expect "blocks" "$VALUE" -gt 0
}

zoned() {
	make_nullb 32 zoned=1 zone_size=1 irqmode=0
	make_flash f0 "$NULLB" 16384 channels 2 chips 1 dies 1 planes 1 page_bytes 4096 over_provisioning 40
	target_dir f0
	blkio write /dev/mapper/f0 0 2m 1 64k
	blkio check /dev/mapper/f0 0 2m 1
	wait_quiescent f0
	check_stats
	check_messages
	expect_value f0 params/pages 256
	expect_stat f0 valid_pages -eq 512
}

reset_stats() {
	local before after name

	setup "${geometry[@]}"
	use
	for name in valid_pages free_blocks max_erases inflight; do
		get f0 "stats/$name"
		before+=" $VALUE"
	done
	case $1 in
	message) message f0 reset_stats ;;
	sysfs) put f0 actions reset_stats ;;
	esac
	for name in valid_pages free_blocks max_erases inflight; do
		get f0 "stats/$name"
		after+=" $VALUE"
	done
	expect_eq "levels" "$after" "$before"
	check_stats
	check_messages
	for name in host_reads host_programs host_bytes_read host_bytes_written merge_reads gc_runs gc_reads gc_programs erases \
		trimmed_pages write_amplification utilisation channel_busy_ns/0 channel_busy_ns/1; do
		expect_stat f0 "$name" -eq 0
	done
	expect_value f0 stats/latency/write "count 0"
	expect_eq "histogram" "$(<"$TARGET_DIR/stats/latency/write_histogram")" ""
}

# A refusal names the word, in last_error and in the log.
refused() {
	local words reason

	setup "${geometry[@]}"
	while IFS='|' read -r words reason; do
		log_mark
		# shellcheck disable=SC2086 # a list of words
		expect_fail message f0 $words
		expect_value f0 last_error "$reason"
		grep -qF "$reason" <<<"$(log_since)" || fail "not in the log: $reason"
	done <<-'END'
		reset_stats now then|reset_stats: takes no words, not "now"
		help me please|help: takes no words, not "me"
		colour|"colour" is not one of help latency channels reset_stats
		colour red|"colour" is not one of help latency channels reset_stats
	END
	expect_fail put f0 actions latency
	expect_value f0 last_error '"latency" is not one of reset_stats'
	expect_fail put f0 actions ""
	expect_value f0 last_error '"" is not one of reset_stats'
	message f0 help | cut -f 1 >"$scratch/help"
	expect_eq "help" "$(paste -sd ' ' "$scratch/help")" "help latency channels reset_stats"
}

# swap WORDS...: replace the table of f0
swap() {
	swap_table f0 "0 $sectors ssdflash $NULLB $#${*:+ $*}"
}

# Files show the active table. A file that is open across a reload stays usable, unless its value is gone.
reload() {
	local pages channel value

	setup channels 2 pages 16 blocks 0
	exec {pages}<"$TARGET_DIR/params/pages" {channel}<"$TARGET_DIR/stats/channel_busy_ns/1"
	dmsetup reload f0 --table "0 $sectors ssdflash $NULLB 4 channels 4 pages 32"
	expect_value f0 params/pages 16
	dmsetup suspend f0
	dmsetup resume f0
	expect_value f0 params/pages 32
	expect_value f0 stats/channel_busy_ns/3 0
	read -r value <&$pages
	expect_eq "pages by the open file" "$value" 32
	! read -r value <&$channel || fail "a file of a former channel is readable: $value"
	exec {pages}<&- {channel}<&-
	swap channels 1 pages 64
	expect_value f0 stats/channel_busy_ns/0 0
	[ ! -e "$TARGET_DIR/stats/channel_busy_ns/1" ] || fail "a channel is left"
	blkio write /dev/mapper/f0 0 64k 1
	expect_stat f0 host_programs -eq 8
	# A new table with as many channels resets statistics; a table that is cleared before use changes nothing.
	swap channels 1 pages 32
	expect_stat f0 host_programs -eq 0
	# Rename first: dm-ima of Linux 6.12 frees a device twice if it is renamed after its table was cleared.
	dmsetup rename f0 f9
	expect_value f9 params/pages 32
	dmsetup reload f9 --table "0 $sectors ssdflash $NULLB 2 channels 8"
	dmsetup clear f9
	expect_value f9 params/pages 32
	blkio check /dev/mapper/f9 0 64k 1
}

# One device that changes between the targets; then ssdcache on ssdflash.
both_targets() {
	setup profile s002 blocks 0
	swap_table f0 "0 $sectors ssdcache $NULLB 2 dram 64k"
	dm_dir f0
	[ ! -e "$DM_DIR/ssdflash" ] || fail "ssdflash is left"
	expect_value f0 frames 16
	swap_table f0 "0 $sectors ssdflash $NULLB 2 channels 3"
	[ ! -e "$DM_DIR/ssdcache" ] || fail "ssdcache is left"
	expect_value f0 params/channels 3
	make_cache c0 /dev/mapper/f0 dram 64k
	expect_value c0 state ok
	expect_value f0 state ok
	dmsetup remove c0
	expect_value f0 params/channels 3
}

not_resumed() {
	make_nullb 8
	dmsetup create f0 --notable
	dmsetup reload f0 --table "0 $sectors ssdflash $NULLB 0"
	dm_dir f0
	[ ! -e "$DM_DIR/ssdflash" ] || fail "the directory exists too early"
	dmsetup resume f0
	expect_value f0 state ok
}

reset_again_and_again() {
	local times=0

	until [ -e "$scratch/stop" ] || [ ! -d "$1" ]; do
		if [ -e "$1/actions" ] && echo reset_stats 2>/dev/null >"$1/actions"; then
			times=$((times + 1))
		fi
	done
	echo "$times" >"$scratch/times"
}

do_io() {
	local i

	for ((i = 1; ; i++)); do
		blkio write /dev/mapper/f0 0 512k "$i" 24k
		blkio check /dev/mapper/f0 0 512k "$i"
		[ ! -e "$scratch/stop" ] || return 0
	done
}

readers_and_reloads() {
	local i pids

	setup "${geometry[@]}"
	read_sysfs "$TARGET_DIR" &
	pids=($!)
	reset_again_and_again "$TARGET_DIR" &
	pids+=($!)
	do_io &
	pids+=($!)
	for i in 1 5 3 ${SSDC_LONG:+16 2 4 1}; do
		pause 0.1
		timeout 60 dmsetup suspend f0
		dmsetup reload f0 --table "0 $sectors ssdflash $NULLB 4 channels $i blocks 0"
		pause 0.1
		timeout 60 dmsetup resume f0
		expect_value f0 params/channels "$i"
	done
	all_end "${pids[@]}"
	expect "lines read" "$(<"$scratch/reads")" -ge 100
	expect "resets" "$(<"$scratch/times")" -ge 3
	wait_quiescent f0
	expect_stat f0 inflight -eq 0
}

# Remove the device while its files are read and written; open files report that it is gone.
readers_and_removal() {
	local i pids held value

	for i in 1 2 ${SSDC_LONG:+3 4 5 6}; do
		setup "${geometry[@]}"
		exec {held}<"$TARGET_DIR/stats/latency/write"
		blkio write /dev/mapper/f0 0 128k "$i"
		read_sysfs "$TARGET_DIR" &
		pids=($!)
		reset_again_and_again "$TARGET_DIR" &
		pids+=($!)
		pause 0.2
		timeout 60 dmsetup remove f0
		! read -r value <&"$held" || fail "a file of a removed device is readable: $value"
		exec {held}<&-
		all_end "${pids[@]}"
		[ ! -e "$TARGET_DIR" ] || fail "the directory is left"
		expect "lines read" "$(<"$scratch/reads")" -gt 0
		blkio check "$NULLB" 0 128k "$i"
	done
}

run_test "every file agrees with status, table and messages" all_files
run_test "a profile's parameters" profile
run_test "a zoned origin" zoned
run_test "reset_stats by message" reset_stats message
run_test "reset_stats by sysfs" reset_stats sysfs
run_test "refusals name the word" refused
run_test "reload and rename" reload
run_test "both targets, on one device and stacked" both_targets
run_test "a table that was never resumed shows nothing" not_resumed
run_test "readers, resets, I/O and reloads at the same time" readers_and_reloads
run_test "removal while files are read and written" readers_and_removal
