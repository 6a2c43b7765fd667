#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: concurrent readers of sysfs, changes of plug-ins, messages, suspend, reload and remove
# lane: uml-debug
# long: vm-6.1 vm-6.12 vm-kcsan

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Each of these runs until $scratch/stop exists or the cache is gone.

write_sysfs() {
	local dir=$1 changes=0 what

	until [ -e "$scratch/stop" ] || [ ! -d "$dir" ]; do
		for what in replacement=cflru params/idle_us=3 params/replacement/window=20 replacement=lfu actions=drop_clean \
			admission=read-write replacement=cflru-ef-sc params/replacement/threshold=10 params/idle_us=0 actions=reset_stats \
			admission=l-corw params/admission/period_ms=1 params/admission/seed=7 admission=corw-8:period_ms=1 \
			replacement=auto:candidates=lru+mq-ssd/l-corw,period=10,memory=10,hysteresis=0 admission=corw-2 \
			replacement=nonsense admission=write-buffer replacement=fifo prefetch=none params/retry_ms=x; do
			if [ -e "$dir/${what%%=*}" ] && echo "${what#*=}" 2>/dev/null >"$dir/${what%%=*}"; then
				changes=$((changes + 1))
			fi
		done
	done
	echo "$changes" >"$scratch/changes"
}

send_messages() {
	local name=$1 i

	for ((i = 0; i < 60; i++)); do
		cat <<-MESSAGES
			message $name replacement cflru-ef:threshold=20
			message $name set threshold 30
			message $name replacement auto:candidates=lfu+lru/read-write+fab,period=10,memory=10,hysteresis=0
			status $name
			message $name help
			message $name drop_clean
			message $name replacement lru
			table $name
			message $name admission read-write
			message $name admission l-corw:period_ms=1,epsilon=500
			message $name set epsilon 10
			message $name set flush_interval_s 1
			message $name nonsense
			message $name set flush_interval_s 0
			message $name admission write-buffer
			message $name reset_stats
			ima $name
		MESSAGES
		[ ! -e "$scratch/stop" ] || break
	done | dm-batch >"$scratch/answers$2"
}

# setup NULL-BLK-KEYS... -- CACHE-WORDS...
setup() {
	local keys=()

	while [ "$1" != -- ]; do
		keys+=("$1")
		shift
	done
	shift
	make_nullb 16 "${keys[@]}"
	make_cache c0 "$NULLB" "$@"
}

readers_and_changes() {
	local pids=() i

	setup -- dram 256k
	dm_dir c0
	read_sysfs "$DM_DIR/ssdcache" &
	pids+=($!)
	write_sysfs "$DM_DIR/ssdcache" &
	pids+=($!)
	write_and_check /dev/mapper/c0 0 &
	pids+=($!)
	send_messages c0 1 &
	pids+=($!)
	for i in 1 2 3; do
		pause 1
		kill -0 "${pids[@]:0:3}"
	done
	all_end "${pids[@]}"
	expect "lines read" "$(<"$scratch/reads")" -ge 100
	expect "changes made" "$(<"$scratch/changes")" -ge 15
	expect_stat c0 failed_requests -eq 0
	expect_stat c0 waiting -eq 0
	message c0 flush
	expect_stat c0 dirty -eq 0
}

# The device is removed while its files are open and written.
remove_under_readers() {
	local i pids

	for i in 1 2 3; do
		setup -- dram 256k replacement cflru-ef
		blkio write /dev/mapper/c0 0 128k "$i"
		dm_dir c0
		read_sysfs "$DM_DIR/ssdcache" &
		pids=($!)
		write_sysfs "$DM_DIR/ssdcache" &
		pids+=($!)
		pause 0.2
		timeout 60 dmsetup remove c0
		all_end "${pids[@]}"
		blkio check "$NULLB" 0 128k "$i"
	done
}

# Messages arrive during suspend, while suspended, and during reload.
messages_and_suspend() {
	local i pids=()

	setup -- dram 256k
	send_messages c0 1 &
	pids+=($!)
	send_messages c0 2 &
	pids+=($!)
	write_and_check /dev/mapper/c0 0 &
	pids+=($!)
	dm_dir c0
	read_sysfs "$DM_DIR/ssdcache" &
	pids+=($!)
	for i in 1 2; do
		timeout 60 dmsetup suspend c0
		pause 0.1
		timeout 60 dmsetup resume c0
		reload_cache c0 "$NULLB" dram "${i}28k" replacement cflru-ef-sc
		pause 0.1
	done
	all_end "${pids[@]}"
	# Only these results are allowed.
	cut -f 1 "$scratch/answers1" "$scratch/answers2" | sort | uniq -c >"$scratch/kinds"
	cat "$scratch/kinds"
	expect_fail grep -vE ' (ok|EINVAL|EBUSY|EAGAIN)$' "$scratch/kinds"
	expect "messages" "$(wc -l <"$scratch/answers1")" -ge 28
	blkio flush /dev/mapper/c0
	expect_stat c0 failed_requests -eq 0
}

# Flushes of all kinds while plug-ins change.
flushes() {
	local i pids=()

	setup irqmode=2 completion_nsec=1000000 -- dram 128k
	write_and_check /dev/mapper/c0 0 &
	pids+=($!)
	write_and_check /dev/mapper/c0 4m &
	pids+=($!)
	for ((i = 0; i < 24; i++)); do
		printf 'message c0 flush\nmessage c0 replacement cflru\nmessage c0 flush\nmessage c0 replacement fifo\n'
	done | dm-batch >"$scratch/answers" &
	pids+=($!)
	for ((i = 0; i < 8; i++)); do
		blkio flush /dev/mapper/c0
		put c0 actions flush
	done
	all_end "${pids[@]}"
	expect_eq "messages answered" "$(grep -c '^ok' "$scratch/answers")" 96
	expect_stat c0 waiting -eq 0
	expect_stat c0 sync_passes -ge 8
}

run_test "readers of sysfs, changes by sysfs and message, I/O" readers_and_changes
run_test "removal while sysfs is read and written" remove_under_readers
run_test "messages during suspend, resume and reload, with I/O" messages_and_suspend
run_test "flushes by FLUSH, message and sysfs, with I/O and changes" flushes
