# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Helpers of the test scripts, inside a guest. A script sources this, which loads the module, and calls run_test for
# each of its tests. At its end all devices are removed and the module is unloaded, which is a test as well.
#
# A test is a function. It runs in a subshell with errexit: any command that fails, fails the test. What it prints is
# shown if it fails. Its devices are removed after it.

set -Eeuo pipefail
shopt -s inherit_errexit
trap 'echo "${BASH_SOURCE[0]##*/}:$LINENO: failed: $BASH_COMMAND" >&2' ERR

TRACING=/sys/kernel/tracing
NULLB_CONFIG=/sys/kernel/config/nullb
scratch=$(mktemp -d /tmp/ssdcache-test.XXXXXX)
failed_tests=0

# Results.

# fail TEXT...: ends the test, with the lines that led here.
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

# skip REASON...: ends the test as one that cannot be run here.
skip() {
	printf '%s\n' "$*" >"$scratch/skip"
	trap - ERR
	exit 77
}

# run_test NAME FUNCTION [ARGUMENT...]
run_test() {
	local name=$1 status=0

	shift
	rm -f "$scratch/skip"
	echo "ssdcache-test: $name" >/dev/kmsg
	# In the background, because errexit would not work in a condition.
	"$@" >"$scratch/log" 2>&1 &
	wait $! || status=$?
	if [ "$status" = 0 ]; then
		echo "ok - $name"
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

# expect WHAT NUMBER OPERATOR NUMBER: as in "expect 'dirty pages' 5 -gt 0"
expect() {
	test "$2" "$3" "$4" || fail "$1: is $2, want $3 $4"
}

# expect_match WHAT TEXT REGEX
expect_match() {
	[[ $2 =~ $3 ]] || fail "$1: is '$2', want a match of '$3'"
}

# expect_fail COMMAND...: it has to fail; what it prints is in $OUTPUT.
expect_fail() {
	# shellcheck disable=SC2034 # for the caller
	if OUTPUT=$("$@" 2>&1); then
		fail "succeeds, should fail: $*"
	fi
}

# poll SECONDS WHAT COMMAND...: wait until the command succeeds.
poll() {
	local limit=$1 what=$2 end=$((SECONDS + $1))

	shift 2
	until "$@"; do
		[ "$SECONDS" -le "$end" ] || fail "$what: not after $limit s"
		sleep 0.02
	done
}

# The kernel log from log_mark on.
log_mark() {
	dmesg -C
}

log_since() {
	dmesg -t
}

# expect_log REGEX: a line of it since log_mark
expect_log() {
	log_since | grep -qE -- "$1" || fail "kernel log: no line matches '$1' in: $(log_since)"
}

# Devices.

load_module() {
	local depends

	[ -n "${SSDCACHE_KO-}" ] || {
		echo "SSDCACHE_KO is not set: run this by tests/run.sh" >&2
		exit 2
	}
	# Dependencies are built into User-Mode Linux, whose host need not have modules of that version.
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

# need_driver NAME...: a device-mapper target or null_blk; skips the test if this kernel has none.
need_driver() {
	local name

	for name; do
		case $name in
		null_blk)
			[ -d "$NULLB_CONFIG" ] || modprobe null_blk nr_devices=0
			;;
		*)
			dmsetup targets | grep -q "^$name " || modprobe -q "dm-$name" ||
				skip "this kernel has no target $name"
			;;
		esac
	done
}

# make_nullb SIZE_MB [KEY=VALUE...]: a RAM disk by null_blk, as $NULLB; the keys are null_blk's in configfs.
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

# nullb_set DEVICE KEY=VALUE...: while it is in use
nullb_set() {
	local dir=$NULLB_CONFIG/${1#/dev/} word

	shift
	for word; do
		echo "${word#*=}" >"$dir/${word%%=*}"
	done
}

# table ORIGIN [WORD...]: the table line of a cache
table() {
	local origin=$1 sectors

	shift
	sectors=$(blockdev --getsz "$origin")
	echo "0 $sectors ssdcache $origin $#${*:+ $*}"
}

# make_cache NAME ORIGIN [WORD...]
make_cache() {
	local name=$1 line

	shift
	line=$(table "$@")
	dmsetup create "$name" --table "$line"
}

# reload_cache NAME ORIGIN [WORD...]: another table for a cache in use
reload_cache() {
	local name=$1 line

	shift
	line=$(table "$@")
	dmsetup reload "$name" --table "$line"
	dmsetup suspend "$name"
	dmsetup resume "$name"
}

# make_linear NAME DEVICE: something between a cache and its origin that can be held up or replaced
make_linear() {
	local sectors

	sectors=$(blockdev --getsz "$2")
	dmsetup create "$1" --table "0 $sectors linear $2 0"
}

# swap_table NAME TABLE: at once, with requests under way held up meanwhile
swap_table() {
	dmsetup reload "$1" --table "$2"
	dmsetup suspend --noflush --nolockfs "$1"
	dmsetup resume "$1"
}

# hold NAME, release NAME: stop and let go all I/O of a device-mapper device
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

# sysfs NAME: directory of a cache
sysfs() {
	local minor

	minor=$(dmsetup info -c --noheadings -o minor "$1")
	echo "/sys/block/dm-$minor/ssdcache"
}

# get NAME FILE: what a file of the cache's directory says
get() {
	local dir

	dir=$(sysfs "$1")
	cat "$dir/$2"
}

# put NAME FILE VALUE
put() {
	local dir

	dir=$(sysfs "$1")
	echo "$3" >"$dir/$2"
}

# stat_of NAME STATISTIC
stat_of() {
	get "$1" "stats/$2"
}

# expect_stat NAME STATISTIC OPERATOR NUMBER: as in "expect_stat c0 dirty -eq 0"
expect_stat() {
	local value

	value=$(stat_of "$1" "$2")
	test "$value" "$3" "$4" || fail "statistic $2: is $value, want $3 $4"
}

stat_is() {
	local value

	value=$(stat_of "$1" "$2")
	test "$value" "$3" "$4"
}

# wait_stat NAME STATISTIC OPERATOR NUMBER
wait_stat() {
	poll 20 "statistic $2 $3 $4" stat_is "$@"
}

is_quiescent() {
	local state

	state=$(<"$1/quiescent")
	[ "$state" = 1 ]
}

# wait_quiescent NAME [SECONDS]: no request, fill or flush is under way
wait_quiescent() {
	local dir

	dir=$(sysfs "$1")
	poll "${2:-20}" "$1 quiescent" is_quiescent "$dir"
}

# Tracing. trace_start EVENT...; trace_stop prints what was traced.
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
	grep -v '^#' "$TRACING/trace" | cat
	echo >"$TRACING/set_event"
}

# Cleaning up.

# A device that another one sits on cannot go before that one.
remove_dm() {
	local pass name state

	dmsetup info -c --noheadings --separator ' ' -o name,suspended 2>/dev/null | while read -r name state; do
		if [ "$state" = Suspended ]; then
			dmsetup resume "$name"
		fi
	done
	for ((pass = 0; pass < 8; pass++)); do
		if [ "$(dmsetup ls)" = "No devices found" ]; then
			return 0
		fi
		dmsetup ls | while read -r name _; do
			if ! dmsetup remove "$name" 2>"$scratch/remove"; then
				continue
			fi
		done
	done
	cat "$scratch/remove"
	dmsetup ls --tree
	return 1
}

remove_all() {
	local dir

	if [ -e "$TRACING/set_event" ]; then
		echo >"$TRACING/set_event"
	fi
	remove_dm
	losetup -D
	for dir in "$NULLB_CONFIG"/nullb*; do
		if [ -d "$dir" ]; then
			rmdir "$dir"
		fi
	done
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
