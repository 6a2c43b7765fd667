# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The stacks that are compared, to be sourced in a guest with RAM disks. Each make_STACK puts a cache of $MIB MiB on $DEV, whose device is
# /dev/mapper/top of $SECTORS sectors; flush_STACK writes all dirty data to $DEV. DEV has a MiB more than SECTORS, for bcache's superblock.
#
# The metadata of all stacks are beside the $MIB MiB: of dm-cache on a RAM disk of their own, of dm-writecache and of bcache on the
# RAM disk of the cache, which is so much larger.

# clear_disk DISK: no superblock of an earlier stack
clear_disk() {
	dd if=/dev/zero of="$1" bs=1M count=1 status=none
}

# poll COMMAND...: until COMMAND succeeds; 600 s at most
poll() {
	local i

	for ((i = 0; i < 6000; i++)); do
		! "$@" || return 0
		sleep 0.1
	done
	echo "${0##*/}: not within 600 s: $*" >&2
	return 1
}

make_none() {
	dmsetup create top --table "0 $SECTORS linear $DEV 0"
}

flush_none() { :; }

# make_ssdcache KEY VALUE...: words of the table line. The target covers a whole device, and asks it which dies are idle.
make_ssdcache() {
	dmsetup create fast --table "0 $(blockdev --getsz "$DEV") ssdcache $DEV $(($# + 2)) dram ${MIB}m $*"
	dmsetup create top --table "0 $SECTORS linear /dev/mapper/fast 0"
}

flush_ssdcache() {
	dmsetup message fast 0 flush
}

# make_dm_cache BLOCK_SECTORS [KEY VALUE]...
make_dm_cache() {
	local block=$1

	shift
	clear_disk /dev/ram0
	dmsetup create fast --table "0 $((MIB * 2048)) linear /dev/ram1 0"
	dm_cache_block=$block dm_cache_words="$# $*"
	dmsetup create top --table "0 $SECTORS cache /dev/ram0 /dev/mapper/fast $DEV $block 1 writeback smq ${dm_cache_words% }"
}

dm_cache_is_clean() {
	[ "$(dmsetup status top | awk '{ print $14 }')" = 0 ]
}

flush_dm_cache() {
	dmsetup suspend top
	dmsetup reload top --table "0 $SECTORS cache /dev/ram0 /dev/mapper/fast $DEV $dm_cache_block 1 writeback cleaner 0"
	dmsetup resume top
	poll dm_cache_is_clean
}

# make_dm_writecache [KEY VALUE]...
make_dm_writecache() {
	local blocks=$((MIB * 256)) bytes

	# A superblock, then 16 bytes for each block, in whole blocks.
	bytes=$(((MIB << 20) + (64 + blocks * 16 + 4095) / 4096 * 4096))
	clear_disk /dev/ram1
	dmsetup create fast --table "0 $((bytes / 512)) linear /dev/ram1 0"
	dmsetup create top --table "0 $SECTORS writecache s $DEV /dev/mapper/fast 4096 $# $*"
}

flush_dm_writecache() {
	dmsetup message top 0 flush
}

bcache=/sys/block/bcache0/bcache

bcache_state_is() {
	[ "$(cat "$bcache/state" 2>&-)" = "$1" ]
}

# make_bcache [FILE=VALUE]...: files of bcache0 in sysfs, or cache/FILE of its cache set
make_bcache() {
	local word

	clear_disk /dev/ram1
	# bcache needs more than 512 buckets, of 4 KiB or more. Besides the data, there are its journal, B-tree and priorities.
	dmsetup create fast --table "0 $(((MIB + MIB / 16) * 2048)) linear /dev/ram1 0"
	make-bcache --writeback --bucket $((MIB))k -B "$DEV" -C /dev/mapper/fast >/dev/null
	# Without udev, nothing has registered them.
	echo /dev/mapper/fast >/sys/fs/bcache/register
	echo "$DEV" >/sys/fs/bcache/register
	poll bcache_state_is clean
	for word; do
		echo "${word#*=}" >"$bcache/${word%%=*}"
	done
	dmsetup create top --table "0 $SECTORS linear /dev/bcache0 0"
}

flush_bcache() {
	# The device stays; the cache leaves it when all dirty data are written.
	echo 1 >"$bcache/detach"
	poll bcache_state_is "no cache"
}

# make_open_cas: needs $OPEN_CAS, a built checkout, whose module is there. The metadata of such a cache take 36 MiB, nearly all of them
# whatever its size is.
make_open_cas() {
	clear_disk /dev/ram1
	dmsetup create fast --table "0 $(((MIB + 36) * 2048)) linear /dev/ram1 0"
	# The tool takes no other name of a disk.
	mkdir -p /dev/disk/by-id
	ln -sfn /dev/mapper/fast /dev/disk/by-id/fast
	open_cas --start-cache --cache-id 1 --cache-device /dev/disk/by-id/fast --cache-mode wb --cache-line-size 4 --force
	open_cas --add-core --cache-id 1 --core-id 1 --core-device "$DEV"
	open_cas --set-param --name seq-cutoff --policy never --cache-id 1
	dmsetup create top --table "0 $SECTORS linear /dev/cas1-1 0"
}

open_cas() {
	"$OPEN_CAS/casadm/casadm" "$@" >/dev/null
}

flush_open_cas() {
	open_cas --flush-cache --cache-id 1
}

# state_of STACK: what the stack says of itself
state_of() {
	case $1 in
	bcache)
		tail -n +1 $bcache/{state,dirty_data,writeback_rate,cache/cache_available_percent} 2>&- || :
		tail -n +1 $bcache/stats_total/{cache_,}{hits,misses,bypass_hits,bypass_misses,bypassed} 2>&- || :
		;;
	open_cas) "$OPEN_CAS/casadm/casadm" --stats --cache-id 1 ;;
	ssdcache) dmsetup status fast ;;
	*) dmsetup status top ;;
	esac
}

bcache_is_gone() {
	! compgen -G "$1" >/dev/null
}

# remove_stack STACK: leaves $DEV to itself
remove_stack() {
	dmsetup remove top
	case $1 in
	bcache)
		echo 1 >"$bcache/stop"
		poll bcache_is_gone "$bcache"
		echo 1 | tee /sys/fs/bcache/*-*/unregister >/dev/null
		poll bcache_is_gone "/sys/fs/bcache/*-*"
		;;
	open_cas)
		open_cas --remove-core --cache-id 1 --core-id 1
		open_cas --stop-cache --cache-id 1
		;;
	esac
	case $1 in
	ssdcache | bcache | open_cas | dm_cache | dm_writecache) dmsetup remove --retry fast ;;
	esac
}
