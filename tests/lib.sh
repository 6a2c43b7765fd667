# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Helpers for the test scripts, which run in a guest. Sourcing this file loads the module. A script then calls run_test
# for each of its tests. At the end all devices are removed and the module is unloaded, which is a test, too.
#
# A test is a function. It runs in a subshell with errexit, so any failing command fails the test. Its output is shown
# if it fails (kept if it passes, with VERBOSE=1 and run.sh --keep). Its devices are removed after it.

set -Eeuo pipefail
shopt -s inherit_errexit
trap 'echo "${BASH_SOURCE[0]##*/}:$LINENO: failed: $BASH_COMMAND" >&2' ERR

TRACING=/sys/kernel/tracing
NULLB_CONFIG=/sys/kernel/config/nullb
scratch=$(mktemp -d /tmp/ssdcache-test.XXXXXX)
failed_tests=0
# Starting a process takes a guest dozens of milliseconds, so frequently used functions start none. pause() reads from a
# pipe that has no data.
exec {never}<> <(:)

# Results.

# fail TEXT...: end the test, and print the call stack
fail() {
	local i

	printf '%s\n' "$*" >&2
	for ((i = 1; i < ${#FUNCNAME[@]}; i++)); do
		case ${FUNCNAME[i]} in
		run_test | main) break ;;
		esac
		printf '  in %s, called at %s:%s\n' "${FUNCNAME[i]}" "${BASH_SOURCE[i + 1]##*/}" "${BASH_LINENO[i]}" >&2
	done
	trap - ERR
	exit 1
}

# skip REASON...: end a test that cannot run here
skip() {
	printf '%s\n' "$*" >"$scratch/skip"
	trap - ERR
	exit 77
}

# run_test NAME FUNCTION [ARGUMENT...]
run_test() {
	local name=$1 status=0

	shift
	: >"$scratch/skip"
	[ ! -e "$scratch/stop" ] || rm "$scratch/stop"
	echo "ssdcache-test: $name" >/dev/kmsg
	# In the background, because errexit does not work in a condition.
	"$@" >"$scratch/log" 2>&1 &
	wait $! || status=$?
	if [ "$status" = 0 ]; then
		echo "ok - $name"
		[ -z "${VERBOSE-}" ] || cat "$scratch/log"
	elif [ "$status" = 77 ] && [ -s "$scratch/skip" ]; then
		echo "skip - $name # $(<"$scratch/skip")"
	else
		failed_tests=$((failed_tests + 1))
		echo "not ok - $name"
		{
			tail -n 30 "$scratch/log"
			echo "kernel log:"
			dmesg | tail -n 12
		} | sed 's/^/    /'
	fi
	remove_all
}

# expect_eq WHAT IS WANT
expect_eq() {
	[ "$2" = "$3" ] || fail "$1: is '$2', want '$3'"
}

# expect_ne WHAT IS NOT
expect_ne() {
	[ "$2" != "$3" ] || fail "$1: is '$2', want anything else"
}

# expect WHAT NUMBER OPERATOR NUMBER: for example, expect 'dirty pages' 5 -gt 0
expect() {
	test "$2" "$3" "$4" || fail "$1: is $2, want $3 $4"
}

# expect_match WHAT TEXT REGEX
expect_match() {
	[[ $2 =~ $3 ]] || fail "$1: is '$2', want a match of '$3'"
}

# expect_fail COMMAND...: the command must fail; its output is in $OUTPUT
expect_fail() {
	# shellcheck disable=SC2034 # for the caller
	if OUTPUT=$("$@" 2>&1); then
		fail "succeeds, should fail: $*"
	fi
}

# poll SECONDS WHAT COMMAND...: wait until the command succeeds
poll() {
	local limit=$1 what=$2 end=$((SECONDS + $1))

	shift 2
	until "$@"; do
		[ "$SECONDS" -le "$end" ] || fail "$what: not after $limit s"
		pause 0.01
	done
}

# pause SECONDS
pause() {
	local REPLY

	! read -rt "$1" -u "$never"
}

# log_mark: start of the kernel log that log_since prints
log_mark() {
	dmesg -C
}

log_since() {
	dmesg -t
}

# expect_log REGEX: a line of the kernel log since log_mark matches
expect_log() {
	grep -qE -- "$1" <<<"$(log_since)" || fail "kernel log: no line matches '$1' in: $(log_since)"
}

# Guests. A script can end its guest; another guest then starts the script again, with the next number in $BOOT. What it
# needs of the earlier guest must be in files in $SSDCACHE_OUT that it has synced.

BOOT=1
if [ -e "$SSDCACHE_OUT/boot" ]; then
	BOOT=$(<"$SSDCACHE_OUT/boot")
	rm "$SSDCACHE_OUT/boot"
fi

# end_guest restart|halt|poweroff|kexec: an orderly end of the guest, with all devices in use
end_guest() {
	local words=("$1") image

	echo "$((BOOT + 1))" >"$SSDCACHE_OUT/boot"
	sync "$SSDCACHE_OUT/boot"
	if [ "$1" = kexec ]; then
		image=$(sed -n 's/.* IMAGE=\([^ ]*\).*/\1/p' /proc/cmdline)
		# shellcheck disable=SC2012 # these are plain names
		words+=("$(ls "$image"/boot/vmlinuz-* | head -n 1)" "$(ls -t "$image"/initramfs-* | head -n 1)"
			"$(</proc/cmdline)")
	fi
	rm -rf "$scratch"
	exec end-guest "${words[@]}"
}

# Devices.

load_module() {
	local depends

	[ -n "${SSDCACHE_KO-}" ] || {
		echo "SSDCACHE_KO is not set: run this by tests/run.sh" >&2
		exit 2
	}
	# User-Mode Linux has the dependencies built in; the host may have no modules of its version.
	depends=$(modinfo -F depends "$SSDCACHE_KO" | tr , ' ')
	if [ -n "$depends" ]; then
		# shellcheck disable=SC2086 # a list of words
		modprobe -a $depends
	fi
	insmod "$SSDCACHE_KO"
}

module_loaded() {
	grep -q '^dm_ssdcache ' /proc/modules
}

# need_driver NAME...: load a device-mapper target, null_blk or loop; skip the test if the kernel has none
need_driver() {
	local name

	for name; do
		case $name in
		null_blk)
			[ -d "$NULLB_CONFIG" ] || modprobe null_blk nr_devices=0
			;;
		loop)
			[ -e /dev/loop-control ] || modprobe -q loop || skip "this kernel has no loop devices"
			;;
		*)
			grep -q "^$name " <<<"$(dmsetup targets)" || modprobe -q "dm-$name" ||
				skip "this kernel has no target $name"
			;;
		esac
	done
}

# need_tool NAME: fail without this program, which scripts/lab/deps.sh installs
need_tool() {
	[ -n "$(type -P "$1")" ] || fail "no program $1: scripts/lab/deps.sh uml vm"
}

# fake_udevadm: an udevadm that does nothing. No udev runs in a guest, and "udevadm wait" would not end.
fake_udevadm() {
	mkdir -p "$scratch/bin"
	printf '#!/bin/sh\nexit 0\n' >"$scratch/bin/udevadm"
	chmod +x "$scratch/bin/udevadm"
	PATH=$scratch/bin:$PATH
}

# need_faults: the kernel can let allocations fail, also those that may sleep
need_faults() {
	local kind

	for kind in failslab fail_page_alloc; do
		[ -d "/sys/kernel/debug/$kind" ] || skip "this kernel has no fault injection"
		echo 0 >"/sys/kernel/debug/$kind/verbose"
		echo N >"/sys/kernel/debug/$kind/ignore-gfp-wait"
	done
	echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
	echo N >/sys/kernel/debug/fail_page_alloc/ignore-gfp-highmem
}

# faults_on PERCENT: so many of the allocations of tasks that ask for it fail, after need_faults
faults_on() {
	local kind

	for kind in failslab fail_page_alloc; do
		echo Y >"/sys/kernel/debug/$kind/task-filter"
		echo -1 >"/sys/kernel/debug/$kind/times"
		echo 1 >"/sys/kernel/debug/$kind/interval"
		echo "$1" >"/sys/kernel/debug/$kind/probability"
	done
}

# Without the filter, all processes are concerned: it goes last.
faults_off() {
	local kind

	for kind in failslab fail_page_alloc; do
		echo 0 >"/sys/kernel/debug/$kind/probability"
		echo N >"/sys/kernel/debug/$kind/task-filter"
	done
}

# make_nullb SIZE_MB [KEY=VALUE...]: create a RAM disk with null_blk, as $NULLB; the keys are null_blk's in configfs
make_nullb() {
	local size=$1 number=0 dir word

	shift
	need_driver null_blk
	while ! mkdir "$NULLB_CONFIG/nullb$number" 2>/dev/null; do
		number=$((number + 1))
		[ "$number" -lt 64 ] || fail "cannot make a null_blk device"
	done
	dir=$NULLB_CONFIG/nullb$number
	echo 1 >"$dir/memory_backed"
	echo "$size" >"$dir/size"
	for word; do
		echo "${word#*=}" >"$dir/${word%%=*}"
	done
	echo 1 >"$dir/power"
	# shellcheck disable=SC2034 # for the caller
	NULLB=/dev/nullb$number
}

# nullb_set DEVICE KEY=VALUE...: change a null_blk device in use
nullb_set() {
	local dir=$NULLB_CONFIG/${1#/dev/} word

	shift
	for word; do
		echo "${word#*=}" >"$dir/${word%%=*}"
	done
}

# make_scsi SIZE_MB [KEY=VALUE...]: create an emulated disk with scsi_debug, as $DISK; the keys are the module's
make_scsi() {
	local size=$1

	shift
	drop_scsi
	modprobe -q sd_mod || skip "this kernel has no SCSI disks"
	modprobe -q scsi_debug "dev_size_mb=$size" delay=0 "$@" || skip "this kernel has no scsi_debug"
	DISK=
	poll 60 "emulated disk" find_scsi
}

# find_scsi: the emulated disk that is there now, as $DISK
find_scsi() {
	local dir

	for dir in /sys/bus/pseudo/drivers/scsi_debug/adapter*/host*/target*/*:*/block/*; do
		DISK=/dev/${dir##*/}
	done
	# The node comes before the link in /sys/block, by which the size is read.
	[ -b "$DISK" ] && [ -e "/sys/block/${DISK#/dev/}/size" ]
}

# drop_scsi: remove the emulated disk, which another script of this guest may have left
drop_scsi() {
	[ ! -d /sys/bus/pseudo/drivers/scsi_debug ] || modprobe -r scsi_debug
}

# sectors_of DEVICE: the size of the device, as $SECTORS
sectors_of() {
	local dir=/sys/block/${1#/dev/}

	if [[ $1 = /dev/mapper/* ]]; then
		dm_dir "${1#/dev/mapper/}"
		dir=$DM_DIR
	fi
	read -r SECTORS <"$dir/size"
}

# table ORIGIN [WORD...]: the table line of a cache, as $TABLE
table() {
	local origin=$1

	shift
	sectors_of "$origin"
	TABLE="0 $SECTORS ssdcache $origin $#${*:+ $*}"
}

# make_cache NAME ORIGIN [WORD...]
make_cache() {
	local name=$1

	shift
	table "$@"
	dmsetup create "$name" --table "$TABLE"
}

# names_of NAME KIND: the names of the plug-ins of a kind, as $NAMES
names_of() {
	local line

	dm_dir "$1"
	NAMES=()
	while read -r line; do
		NAMES+=("${line%%$'\t'*}")
	done <"$DM_DIR/ssdcache/available_$2"
	expect "number of plug-ins for $2" ${#NAMES[@]} -ge 1
}

# make_flash NAME ORIGIN SECTORS [WORD...]: create an ssdflash
make_flash() {
	local name=$1 origin=$2 sectors=$3

	shift 3
	dmsetup create "$name" --table "0 $sectors ssdflash $origin $#${*:+ $*}"
}

# flash_latency NAME OP WHAT: a latency of the flash model, as $VALUE
flash_latency() {
	VALUE=$(dmsetup message "$1" 0 latency | sed -n "s/^$2 .*$3 \([0-9]*\).*/\1/p")
}

# reload_cache NAME ORIGIN [WORD...]: give a cache in use another table
reload_cache() {
	local name=$1

	shift
	table "$@"
	dmsetup reload "$name" --table "$TABLE"
	dmsetup suspend "$name"
	dmsetup resume "$name"
}

# make_linear NAME DEVICE: create a dm-linear that can be held up or replaced under a cache
make_linear() {
	sectors_of "$2"
	dmsetup create "$1" --table "0 $SECTORS linear $2 0"
}

# make_thin BLOCK-SECTORS: /dev/mapper/thin of 64 MiB, in a thin pool with as much room
make_thin() {
	local meta

	need_driver thin-pool
	make_nullb 4
	meta=$NULLB
	make_nullb 64
	dmsetup create pool --table "0 131072 thin-pool $meta $NULLB $1 0"
	dmsetup message pool 0 "create_thin 0"
	dmsetup create thin --table "0 131072 thin /dev/mapper/pool 0"
}

# swap_table NAME TABLE: replace the table at once; requests are held up meanwhile
swap_table() {
	dmsetup reload "$1" --table "$2"
	dmsetup suspend --noflush --nolockfs "$1"
	dmsetup resume "$1"
}

# hold NAME, release NAME: stop and resume all I/O of a device-mapper device
hold() {
	dmsetup suspend --noflush --nolockfs "$1"
}

release() {
	dmsetup resume "$1"
}

# message NAME WORD...
message() {
	local name=$1

	shift
	dmsetup message "$name" 0 "$@"
}

# dm_dir NAME: the directory of a device-mapper device in sysfs, as $DM_DIR
dm_dir() {
	local name

	for DM_DIR in /sys/block/dm-*; do
		if read -r name 2>/dev/null <"$DM_DIR/dm/name" && [ "$name" = "$1" ]; then
			return 0
		fi
	done
	fail "there is no device $1"
}

# target_dir NAME: the sysfs directory of its target, as $TARGET_DIR
target_dir() {
	dm_dir "$1"
	TARGET_DIR=$DM_DIR/ssdcache
	[ -d "$TARGET_DIR" ] || TARGET_DIR=$DM_DIR/ssdflash
}

# get NAME FILE: the first line of a file in that directory, as $VALUE
get() {
	target_dir "$1"
	VALUE=
	read -r VALUE <"$TARGET_DIR/$2"
}

# show NAME FILE: print a file in that directory
show() {
	target_dir "$1"
	cat "$TARGET_DIR/$2"
}

# put NAME FILE VALUE: write to a file in that directory
put() {
	target_dir "$1"
	echo "$3" >"$TARGET_DIR/$2"
}

# expect_value NAME FILE WANT: the first line of a file is WANT
expect_value() {
	get "$1" "$2"
	expect_eq "$2" "$VALUE" "$3"
}

# expect_stat NAME STATISTIC OPERATOR NUMBER: for example, expect_stat c0 dirty -eq 0
expect_stat() {
	get "$1" "stats/$2"
	test "$VALUE" "$3" "$4" || fail "statistic $2: is $VALUE, want $3 $4"
}

stat_is() {
	get "$1" "stats/$2"
	test "$VALUE" "$3" "$4"
}

# wait_stat NAME STATISTIC OPERATOR NUMBER
wait_stat() {
	poll 120 "statistic $2 $3 $4" stat_is "$@"
}

is_quiescent() {
	get "$1" quiescent
	[ "$VALUE" = 1 ]
}

# wait_quiescent NAME [SECONDS]: wait until no request, fill or flush is queued or in flight
wait_quiescent() {
	poll "${2:-120}" "$1 quiescent" is_quiescent "$1"
}

# Memory.

# meminfo KEY: a value of /proc/meminfo, as $KIB
meminfo() {
	local key value

	while read -r key value _; do
		[ "$key" != "$1:" ] || KIB=$value
	done </proc/meminfo
}

# unreclaimable: memory that the kernel cannot reclaim, as $KIB. A leak adds to it.
unreclaimable() {
	local sum=0 key

	for key in SUnreclaim KernelStack Percpu; do
		meminfo "$key"
		sum=$((sum + KIB))
	done
	KIB=$sum
}

# Tracing. trace_start EVENT...: start; trace_stop: stop and print the trace
trace_start() {
	local event

	echo 0 >"$TRACING/tracing_on"
	echo >"$TRACING/trace"
	echo >"$TRACING/set_event"
	for event; do
		echo "$event" >>"$TRACING/set_event"
	done
	echo 1 >"$TRACING/tracing_on"
}

trace_stop() {
	echo 0 >"$TRACING/tracing_on"
	sed '/^#/d' "$TRACING/trace"
	echo >"$TRACING/set_event"
}

# traced REGEX: a line of $scratch/trace matches
traced() {
	grep -qE "$1" "$scratch/trace" || {
		cat "$scratch/trace"
		fail "not traced: $1"
	}
}

# Load in the background, until all_end.

# read_sysfs DIR: read all files again and again, at most until DIR is gone; the number of lines is in $scratch/reads
read_sysfs() {
	local dir=$1 file all reads=0

	until [ -e "$scratch/stop" ] || [ ! -d "$dir" ]; do
		for file in "$dir"/* "$dir"/*/* "$dir"/*/*/*; do
			if [ -f "$file" ] && mapfile -t all 2>/dev/null <"$file"; then
				reads=$((reads + ${#all[@]}))
			fi
		done
	done
	echo "$reads" >"$scratch/reads"
}

# fio_verify SECONDS DEPTH OPTION...: fio writes data and verifies them, DEPTH requests of a job at a time; its report is in $scratch/fio.txt.
# The options begin with the --name of a job, and belong to one job each: fio applies an option to the job before it.
fio_verify() {
	fio --ioengine=libaio --iodepth="$2" --direct=1 --verify=crc32c --verify_backlog=64 --verify_fatal=1 --verify_state_save=0 \
		--time_based --runtime="$1" --group_reporting --output="$scratch/fio.txt" "${@:3}"
}

# write_and_check DEVICE OFFSET: write and read 512 KiB, each time with another tag; the last tag is in $scratch/tag
write_and_check() {
	local i

	for ((i = 1; ; i++)); do
		blkio write "$1" "$2" 512k "$i" 24k
		blkio check "$1" "$2" 512k "$i"
		echo "$i" >"$scratch/tag"
		[ ! -e "$scratch/stop" ] || return 0
	done
}

# all_end PID...: end processes that run until $scratch/stop exists
all_end() {
	local pid

	touch "$scratch/stop"
	for pid; do
		wait "$pid"
	done
	rm "$scratch/stop"
}

# Cleaning up.

# Remove devices that nothing uses first. A device may be about to vanish after a deferred removal.
remove_dm() {
	local dir name suspended any tries=0

	for dir in /sys/block/dm-*; do
		if read -r suspended 2>/dev/null <"$dir/dm/suspended" && [ "$suspended" = 1 ]; then
			read -r name <"$dir/dm/name"
			dmsetup resume "$name"
		fi
	done
	while :; do
		any=
		for dir in /sys/block/dm-*; do
			[ -e "$dir" ] || return 0
			set -- "$dir"/holders/*
			if [ ! -e "$1" ] && read -r name 2>/dev/null <"$dir/dm/name" && dmsetup remove "$name"; then
				any=1
			fi
		done
		[ -n "$any" ] || [ $((tries++)) -lt 50 ] || return 1
		[ -n "$any" ] || pause 0.1
	done
}

remove_all() {
	local dirs

	if read -r _ 2>/dev/null <"$TRACING/set_event"; then
		echo >"$TRACING/set_event"
	fi
	remove_dm
	dirs=(/sys/block/loop*/loop)
	[ ! -e "${dirs[0]}" ] || losetup -D
	dirs=("$NULLB_CONFIG"/nullb*)
	[ ! -e "${dirs[0]}" ] || rmdir "${dirs[@]}"
	drop_scsi
}

unload_module() {
	rmmod dm_ssdcache
	! module_loaded
}

finish() {
	local status=$?

	trap - EXIT ERR
	if [ "$status" != 0 ]; then
		echo "not ok - the script itself"
		failed_tests=$((failed_tests + 1))
	fi
	if remove_all && { ! module_loaded || unload_module; }; then
		echo "ok - all devices are removed and the module is unloaded"
	else
		echo "not ok - all devices are removed and the module is unloaded"
		{
			dmsetup ls --tree
			grep dm_ssdcache /proc/modules
			dmesg | tail -n 20
		} 2>&1 | sed 's/^/    /'
		failed_tests=$((failed_tests + 1))
	fi
	rm -rf "$scratch"
	echo "# done"
	[ "$failed_tests" = 0 ]
	exit
}

trap finish EXIT
load_module
