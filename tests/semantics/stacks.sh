#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: other drivers below and above a cache, and file systems on two caches: data are right, and no error counts
# long: vm-6.1 vm-newest
# timeout: 1800

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

cache=/dev/mapper/cache
small=(dram 1m admission read-write)
large=(page 64k dram 3m shards 3 replacement cflru-ef-sc)

# disks SIZE_MB: two RAM disks, as $disk1 and $disk2
disks() {
	make_nullb "$1" discard=1
	disk1=$NULLB
	make_nullb "$1" discard=1
	disk2=$NULLB
}

# exercise DEVICE: all kinds of requests; pages of one request are read again in requests of other sizes
exercise() {
	local engine

	blkio write "$1" 0 5m 1
	blkio fua "$1" 2m 64k 2
	blkio write "$1" 3m 512k 3 20k
	blkio flush "$1"
	blkio check "$1" 0 2m 1 64k 2 960k 1 512k 3 24k
	for engine in libaio ${POLLED:+"io_uring --hipri"}; do
		# shellcheck disable=SC2086 # words
		fio --name=v --filename="$1" --ioengine=$engine --iodepth=16 --direct=1 --rw=randrw --bsrange=4k-64k --verify=crc32c \
			--verify_backlog=32 --verify_fatal=1 --verify_state_save=0 --size=8m --offset=5m --io_size=12m --fsync=37 \
			--output="$scratch/fio" || fail "fio fails: $(cat "$scratch/fio")"
	done
	# Not all drivers have these.
	blkio discard "$1" 4m 256k || :
	blkio zero "$1" 4608k 256k || :
	blkio write "$1" 0 1m 7
	blkio flush "$1"
	blkio check "$1" 0 1m 7 1m 1 64k 2 960k 1 512k 3 512k 1
}

# no_errors NAME: the cache has seen no error
no_errors() {
	local name

	for name in failed_requests read_errors write_errors; do
		expect_stat "$1" $name -eq 0
	done
	expect_value "$1" state ok
}

# below SETUP WORD...: a cache of what SETUP makes, as $origin
below() {
	POLLED=
	disks 24
	sectors_of "$disk1"
	"$1"
	make_cache cache "$origin" "${@:2}"
	exercise $cache
	no_errors cache
	dmsetup remove cache
	blkio check "$origin" 0 1m 7 1m 1 64k 2
}

# low TARGET WORD...: a device of this target, as large as $disk1, as $origin
low() {
	need_driver "$1"
	dmsetup create low --table "0 $SECTORS $*"
	origin=/dev/mapper/low
}

on_mirror() {
	low mirror core 2 1024 nosync 2 "$disk1" 0 "$disk2" 0 1 handle_errors
}

# The metadata has a bitmap of what has to be synchronized.
on_raid1() {
	local metadata

	make_nullb 4
	metadata=$NULLB
	make_nullb 4
	low raid raid1 3 0 region_size 1024 2 "$metadata" "$disk1" "$NULLB" "$disk2"
}

on_raid5() {
	make_nullb 24
	SECTORS=$((SECTORS * 2))
	low raid raid5_la 3 128 region_size 1024 3 - "$disk1" - "$disk2" - "$NULLB"
}

on_era() {
	low era "$disk2" "$disk1" 64
}

on_thin() {
	make_thin 128
	origin=/dev/mapper/thin
}

on_snapshot() {
	low snapshot "$disk1" "$disk2" P 16
}

on_snapshot_origin() {
	low snapshot-origin "$disk1"
	dmsetup create snap --table "0 $SECTORS snapshot $disk1 $disk2 P 16"
}

# make_integrity NAME DEVICE MODE: a device whose checksums are right. The first table formats it, and tells its size.
make_integrity() {
	local sectors

	need_driver integrity
	dmsetup create "$1" --table "0 8 integrity $2 0 4 $3 2 internal_hash:crc32c block_size:4096"
	sectors=$(dmsetup status "$1" | cut -d ' ' -f 5)
	dmsetup remove "$1"
	dmsetup create "$1" --table "0 $sectors integrity $2 0 4 $3 2 internal_hash:crc32c block_size:4096"
}

on_integrity() {
	make_integrity low "$disk1" J
	origin=/dev/mapper/low
	SECTORS=$(blockdev --getsz "$origin")
	dd if=/dev/zero of="$origin" bs=64k iflag=count_bytes count=$((SECTORS * 512)) oflag=direct status=none
}

on_log_writes() {
	make_nullb 200
	low log-writes "$disk1" "$NULLB"
}

on_crypt() {
	low crypt aes-xts-plain64 "$(printf '%064d%064d' 1 2)" 0 "$disk1" 0 2 sector_size:4096 iv_large_sectors
}

on_clone() {
	make_nullb 8
	low clone "$NULLB" "$disk1" "$disk2" 8
}

on_writecache() {
	low writecache s "$disk1" "$disk2" 4096 0
}

on_multipath() {
	low multipath 2 queue_mode "$1" 0 1 1 round-robin 0 1 1 "$disk1" 1
}

on_paths_of_requests() {
	on_multipath mq
}

on_paths_of_bios() {
	on_multipath bio
}

on_loop() {
	need_driver loop
	origin=$(losetup --show -f --sector-size 4096 "$disk1")
}

# Each block has a checksum, which the host's adapter and the disk check.
on_protected_disk() {
	make_scsi 24 lbpu=1 lbpws=1 dif=1 dix=1
	origin=$DISK
}

# The host polls for the end of its requests, in a second round of fio.
on_polled() {
	make_nullb 24 discard=1 poll_queues=1
	origin=$NULLB
	read -r POLLED <"/sys/block/${origin#/dev/}/queue/io_poll"
	[ "$POLLED" = 1 ] || skip "null_blk has no queues for polling"
}

# above SETUP WORD...: SETUP makes the device top of $first and $second, which are caches, and then their origins
above() {
	local name

	POLLED=
	disks 32
	make_cache c1 "$disk1" "${@:2}"
	make_cache c2 "$disk2" "${@:2}"
	first=/dev/mapper/c1 second=/dev/mapper/c2 again=
	"$1"
	exercise /dev/mapper/top
	take_down
	for name in c1 c2; do
		no_errors $name
		dmsetup remove $name
	done
	first=$disk1 second=$disk2 again=1
	"$1"
	blkio check /dev/mapper/top 0 1m 7 1m 1 64k 2
	take_down
}

take_down() {
	dmsetup remove top
	! dmsetup info pool >/dev/null 2>&1 || dmsetup remove pool
}

# top TARGET WORD...
top() {
	need_driver "$1"
	dmsetup create top --table "0 60000 $*"
}

mirror_above() {
	top mirror core 2 1024 nosync 2 "$first" 0 "$second" 0 1 handle_errors
}

raid1_above() {
	top raid raid1 3 0 region_size 1024 2 - "$first" - "$second"
}

era_above() {
	top era "$second" "$first" 64
}

thin_above() {
	need_driver thin-pool
	dmsetup create pool --table "0 60000 thin-pool $second $first 128 0"
	[ -n "$again" ] || dmsetup message pool 0 "create_thin 0"
	top thin /dev/mapper/pool 0
}

snapshot_above() {
	top snapshot "$first" "$second" P 16
}

integrity_above() {
	if [ -z "$again" ]; then
		make_integrity top "$first" B
		dd if=/dev/zero of=/dev/mapper/top bs=64k iflag=count_bytes count=16M oflag=direct status=none
	else
		dmsetup create top --table "0 32768 integrity $first 0 4 B 2 internal_hash:crc32c block_size:4096"
	fi
}

crypt_above() {
	top crypt aes-xts-plain64 "$(printf '%064d%064d' 1 2)" 0 "$first" 0
}

writecache_above() {
	top writecache s "$first" "$second" 4096 0
}

# files KIND WORD...: a file system on two caches, which is then mounted from their origins
files() {
	local kind=$1 mnt=$scratch/mnt i

	[ -n "$(type -P "mkfs.$kind")" ] || skip "no mkfs.$kind"
	modprobe -q "$kind" || grep -qw "$kind" /proc/filesystems || skip "this kernel has no $kind"
	disks 400
	make_cache c1 "$disk1" "${@:2}"
	make_cache c2 "$disk2" "${@:2}"
	first=/dev/mapper/c1 second=/dev/mapper/c2
	mkdir -p "$mnt"
	"make_$kind"
	"mount_$kind" "$mnt"
	trap 'umount "$scratch/mnt" 2>/dev/null || :' EXIT
	fio --name=f --directory="$mnt" --ioengine=psync --numjobs=2 --size=12m --rw=randrw --bsrange=1k-64k --verify=crc32c \
		--verify_fatal=1 --verify_state_save=0 --verify_backlog=64 --fsync=23 --output="$scratch/fio" ||
		fail "fio fails: $(cat "$scratch/fio")"
	mkdir "$mnt/dir"
	for i in {1..200}; do
		echo "$i" >"$mnt/dir/$i"
	done
	sync -f "$mnt"
	rm "$mnt"/dir/1*
	fstrim "$mnt"
	(cd "$mnt" && find . -type f -exec sha256sum {} +) >"$scratch/sums"
	umount "$mnt"
	for i in c1 c2; do
		no_errors $i
		dmsetup remove $i
	done
	first=$disk1 second=$disk2
	"mount_$kind" "$mnt"
	(cd "$mnt" && sha256sum -c --quiet "$scratch/sums")
	umount "$mnt"
	"check_$kind"
}

# Each cache has a copy of all data.
make_btrfs() {
	mkfs.btrfs -q -f -m raid1 -d raid1 "$first" "$second"
}

mount_btrfs() {
	btrfs device scan "$first" "$second" >/dev/null
	mount -t btrfs -o compress=zstd,discard=async "$first" "$1"
}

check_btrfs() {
	btrfs check "$first"
}

# The log is on the second cache.
make_xfs() {
	mkfs.xfs -q -f -l "logdev=$second,size=64m" "$first"
}

mount_xfs() {
	mount -t xfs -o "logdev=$second" "$first" "$1"
}

check_xfs() {
	xfs_repair -n -l "$second" "$first"
}

make_ext4() {
	mke2fs -q -O journal_dev "$second"
	mkfs.ext4 -q -J "device=$second" "$first"
}

mount_ext4() {
	mount -t ext4 -o "discard,journal_path=$second" "$first" "$1"
}

check_ext4() {
	e2fsck -fn "$first"
}

# Before null_blk is loaded otherwise: queues for polling need a parameter of the module in some kernels.
modprobe -q null_blk nr_devices=0 poll_queues=1 || :
run_test "below: a RAM disk that is polled" below on_polled "${small[@]}"
run_test "below: a RAM disk that is polled, shards" below on_polled "${large[@]}"
for driver in mirror raid1 raid5 era thin snapshot snapshot_origin integrity log_writes crypt clone writecache paths_of_requests \
	paths_of_bios loop protected_disk; do
	run_test "below: $driver" below on_$driver "${small[@]}"
	run_test "below: $driver, large pages, shards" below on_$driver "${large[@]}"
done
for driver in mirror raid1 era thin snapshot integrity crypt writecache; do
	run_test "above: $driver" above ${driver}_above "${small[@]}"
	run_test "above: $driver, large pages, shards" above ${driver}_above "${large[@]}"
done
for kind in btrfs xfs ext4; do
	run_test "$kind" files $kind dram 4m admission read-write
	run_test "$kind, shards" files $kind page 16k dram 3m shards 3 replacement freeboard
done
