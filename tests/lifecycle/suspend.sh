#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: suspend, remove and reload flush all dirty pages first; DRAM is resized under I/O
# lane: uml-debug
# long: vm-6.1 vm-6.12 vm-newest

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

setup() {
	make_nullb 32
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 1m "$@"
}

suspend_flushes() {
	setup "$@"
	blkio write /dev/mapper/c0 0 512k 1
	dmsetup suspend c0
	blkio check "$NULLB" 0 512k 1
	expect_stat c0 dirty -eq 0
	expect_stat c0 used -eq 128
	expect_stat c0 forced_flushed -eq 128
	expect_value c0 state suspended
	expect_value c0 progress "0 dirty 0 flushing"
	dmsetup resume c0
	expect_value c0 state ok
	# Cached pages stay.
	blkio check /dev/mapper/c0 0 512k 1
	get c0 stats/read_pages
	expect_stat c0 read_hits -eq "$VALUE"
	blkio write /dev/mapper/c0 0 512k 2
	dmsetup remove c0
	blkio check "$NULLB" 0 512k 2
}

remove_flushes() {
	setup dram_mode "$1"
	blkio write /dev/mapper/c0 512 512k 1
	blkio check "$NULLB" 512 512k 0
	dmsetup remove c0
	blkio check "$NULLB" 0 512 0 512k 1
}

progress_of_suspend() {
	local suspend

	setup
	blkio write /dev/mapper/c0 0 512k 1
	expect_value c0 progress "128 dirty 0 flushing"
	hold origin
	dmsetup suspend c0 &
	suspend=$!
	wait_stat c0 flushing -eq 128
	expect_value c0 progress "128 dirty 128 flushing"
	kill -0 "$suspend"
	release origin
	wait "$suspend"
	expect_value c0 progress "0 dirty 0 flushing"
}

# A suspend waits for a request that does not end. The process that asked for it can be killed; the device continues.
suspend_interrupted() {
	local suspend writer status=0

	make_nullb 32
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 64k
	hold origin
	blkio write /dev/mapper/c0 0 64k 1
	blkio write /dev/mapper/c0 1m 4k 2 &
	writer=$!
	wait_stat c0 waiting -eq 1
	dmsetup suspend c0 &
	suspend=$!
	wait_stat c0 flushing -ge 16
	pause 0.2
	kill -KILL "$suspend"
	wait "$suspend" || status=$?
	expect_eq "status of the killed suspend" "$status" 137
	release origin
	wait "$writer"
	dm_dir c0
	read -r status <"$DM_DIR/dm/suspended"
	expect_eq "suspended" "$status" 0
	blkio check /dev/mapper/c0 0 64k 1
	blkio write /dev/mapper/c0 2m 64k 3
	blkio check /dev/mapper/c0 2m 64k 3
}

# A suspended cache starts no I/O and refuses to flush.
at_rest_while_suspended() {
	setup replacement cflru-ef-sc:threshold=10,adapt=off flush_interval_s 1
	blkio write /dev/mapper/c0 0 512k 1
	dmsetup suspend c0
	log_mark
	expect_fail message c0 flush
	expect_log 'flush: .*suspended'
	expect_fail put c0 actions flush
	trace_start ssdcache:ssdcache_io_start
	message c0 set flush_interval_s 1
	message c0 set idle_us 0
	message c0 drop_clean
	expect_stat c0 used -eq 0
	message c0 replacement lru
	pause 1.3
	trace_stop >"$scratch/trace"
	expect_eq "I/O while suspended" "$(<"$scratch/trace")" ""
	dmsetup resume c0
	expect_value c0 replacement lru
	blkio check /dev/mapper/c0 0 512k 1
}

# The old cache flushes its dirty pages before the new one serves a request.
reload() {
	setup
	blkio write /dev/mapper/c0 0 1m 1
	reload_cache c0 /dev/mapper/origin dram "$1" replacement cflru admission read-write
	expect_value c0 dram_bytes "$2"
	expect_value c0 frames $(($2 / 4096))
	expect_value c0 replacement cflru
	expect_stat c0 used -eq 0
	expect_stat c0 writes -eq 0
	blkio check "$NULLB" 0 1m 1
	blkio check /dev/mapper/c0 0 1m 1
	blkio write /dev/mapper/c0 0 1m 2
	dmsetup remove c0
	blkio check "$NULLB" 0 1m 2
}

# A loaded table is cleared again.
reload_cleared() {
	setup
	blkio write /dev/mapper/c0 0 512k 1
	table /dev/mapper/origin dram 2m
	dmsetup reload c0 --table "$TABLE"
	expect_value c0 dram_bytes 1048576
	dmsetup clear c0
	expect_stat c0 dirty -eq 128
	blkio check /dev/mapper/c0 0 512k 1
}

# A bad table changes nothing.
reload_refused() {
	setup
	blkio write /dev/mapper/c0 0 512k 1
	table /dev/mapper/origin dram 1k
	expect_fail dmsetup reload c0 --table "$TABLE"
	expect_stat c0 dirty -eq 128
	expect_value c0 dram_bytes 1048576
	blkio check /dev/mapper/c0 0 512k 1
}

worker() {
	local i

	for ((i = 1; ; i++)); do
		blkio write /dev/mapper/c0 "$1" 640k "$i" 32k
		blkio check /dev/mapper/c0 "$1" 640k "$i"
		echo "$i" >"$scratch/rounds$2"
		[ ! -e "$scratch/stop" ] || return 0
	done
}

resize_under_io() {
	local size workers=()

	setup admission read-write
	worker 0 1 &
	workers+=($!)
	worker 3m 2 &
	workers+=($!)
	for size in 4m 64k 2m 256k 8m 512k; do
		reload_cache c0 /dev/mapper/origin dram "$size" admission read-write
		pause 0.2
		kill -0 "${workers[@]}"
	done
	touch "$scratch/stop"
	wait "${workers[0]}"
	wait "${workers[1]}"
	blkio flush /dev/mapper/c0
	blkio check "$NULLB" 0 640k "$(<"$scratch/rounds1")"
	blkio check "$NULLB" 3m 640k "$(<"$scratch/rounds2")"
}

suspend_under_io() {
	local i workers=()

	setup
	worker 0 1 &
	workers+=($!)
	worker 3m 2 &
	workers+=($!)
	for i in 1 2 3 4 5 6; do
		dmsetup suspend c0
		expect_stat c0 dirty -eq 0
		dmsetup resume c0
		pause 0.1
	done
	touch "$scratch/stop"
	wait "${workers[0]}"
	wait "${workers[1]}"
}

# A policy's module may be on the very device that is held up, so the resume must not wait for the module.
resume_while_module_is_loaded() {
	local store before

	setup
	read -r before </proc/sys/kernel/modprobe
	# shellcheck disable=SC2016 # for the script
	printf '%s\n' '#!/bin/bash' "echo >$scratch/asked; until [ -e $scratch/go ]; do sleep 0.1; done" >"$scratch/modprobe"
	chmod +x "$scratch/modprobe"
	echo "$scratch/modprobe" >/proc/sys/kernel/modprobe
	put c0 replacement nosuch 2>"$scratch/refused" &
	store=$!
	until [ -e "$scratch/asked" ]; do
		pause 0.05
	done
	table /dev/mapper/origin dram 2m
	dmsetup reload c0 --table "$TABLE"
	dmsetup suspend c0
	# If the resume hangs, this ends it: the module is "loaded" then.
	(pause 20; : >"$scratch/go") &
	# Destroying the old table waits for the store; the resume does not.
	dmsetup resume c0 &
	until [ "$(dmsetup info -c --noheadings -o suspended c0)" = Active ]; do
		[ ! -e "$scratch/go" ] || fail "the resume waits for the module"
		pause 0.1
	done
	blkio write /dev/mapper/c0 0 64k 3
	: >"$scratch/go"
	if wait "$store"; then
		fail "a policy that does not exist is accepted"
	fi
	wait
	echo "$before" >/proc/sys/kernel/modprobe
	expect_value c0 dram_bytes 2097152
	blkio check /dev/mapper/c0 0 64k 3
}

run_test "suspend flushes all dirty pages, resume continues" suspend_flushes
run_test "suspend flushes all dirty pages, protected DRAM" suspend_flushes dram_mode protected
run_test "remove flushes all dirty pages" remove_flushes volatile
run_test "remove flushes all dirty pages, protected DRAM" remove_flushes protected
run_test "the progress of a suspend is visible" progress_of_suspend
run_test "a suspend can be interrupted while a request waits" suspend_interrupted
run_test "a suspended cache starts no I/O" at_rest_while_suspended
run_test "reload with more DRAM" reload 4m 4194304
run_test "reload with less DRAM" reload 128k 131072
run_test "a table that is loaded and cleared changes nothing" reload_cleared
run_test "a table that is refused at reload changes nothing" reload_refused
run_test "a resume does not wait for a module that is being loaded" resume_while_module_is_loaded
run_test "DRAM is resized under I/O" resize_under_io
run_test "suspend and resume under I/O" suspend_under_io
