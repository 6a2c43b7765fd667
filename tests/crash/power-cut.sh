#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: what FLUSH, FUA and fsync acknowledged is there after the guest was killed, raw and in file systems
# lane: host
# guests: uml vm-6.1
# timeout: 1800

# Guests write to caches and are killed with SIGKILL at a random moment. Journals outside the guest say what was
# acknowledged until then; the images of the origins must have all of it.
#
# - User-Mode Linux: the origin is a loop device on another loop device, which is on a file of the host. The guest's page
#   cache holds what was written to the upper one until a FLUSH or the periodic write-back, as the volatile cache of a drive
#   would, and dies with the guest. (The lower one writes through: hostfs does.)
# - QEMU: the image is in the host's page cache, which survives. So the image as it is tells whether the cache has written in
#   time, but not whether it has sent a FLUSH. Therefore QEMU logs all writes and FLUSHes. The writer marks in that log what
#   was acknowledged, so crash-replay checks each such moment, and any subset of the writes since the last FLUSH. For the file
#   systems, images are made from the log: everything before the last FLUSH, and some of the blocks written since.
#
#	SSDC_SEED=N	repeat the cuts of that seed; the moment of a kill is random all the same

set -euo pipefail
shopt -s inherit_errexit
script=$(realpath "${BASH_SOURCE[0]}")
lab=$(realpath "${script%/*}/../../scripts/lab")

# In the guest.

# list_caches SEED NR: for each cache, the words of its table line
list_caches() {
	local seed=$1 nr=$2 i
	local replacements=(lru req-block cflru-ef-sc vbbms fab "bplru:block=16,padding=on" vs-batch-plus co-active fifo lfu cflru
		cflru-ef vs-batch ecr lcr mq-ssd)
	local admissions=(read-write write-buffer "corw-1:period_ms=10,rar_window=10,cold=1000" l-corw)
	local prefetches=(none rop pattern) drams=(1m 8m 2m) pages=(4k 16k 8k 64k)

	for ((i = seed * nr; i < seed * nr + nr; i++)); do
		echo "dram ${drams[i % 3]} page ${pages[i % 4]} replacement ${replacements[i % 16]}" \
			"admission ${admissions[i % 4]} prefetch ${prefetches[i % 3]}"
	done
}

# device NUMBER: the disk with this image, as $DEVICE
device() {
	local letters=abcdefghijklmnopqrstuvwxyz

	if [ -e /dev/vda ]; then
		DEVICE=/dev/vd${letters:$1:1}
	else
		DEVICE=/dev/loop$((2 * $1 + 1))
		losetup "/dev/loop$((2 * $1))" "$SSDCACHE_OUT/image.$1"
		losetup "$DEVICE" "/dev/loop$((2 * $1))"
	fi
}

# Write until killed: NR raw caches, then the file systems.
if [ "${1-}" = --in-guest ]; then
	seed=$2 nr=$3
	shift 3
	number=0
	# Let the volatile cache write back part of its data by itself.
	echo 20 >/proc/sys/vm/dirty_writeback_centisecs
	echo 10 >/proc/sys/vm/dirty_expire_centisecs
	while read -ra words; do
		device $number
		mark=()
		if [ -e /dev/vda ] && [ $number -lt "$nr" ]; then
			# The last sectors of the disk are for marks.
			dmsetup create "d$number" --table "0 $(($(blockdev --getsz "$DEVICE") - 8)) linear $DEVICE 0"
			mark=(--mark-on "$DEVICE")
			DEVICE=/dev/mapper/d$number
		fi
		dmsetup create "c$number" --table "0 $(blockdev --getsz "$DEVICE") ssdcache $DEVICE ${#words[@]} ${words[*]}"
		if [ $number -lt "$nr" ]; then
			crash-writer --device "/dev/mapper/c$number" --seed $((seed * 100 + number + 1)) --reads 10 --fua 4 \
				--flushes 3 --max-sectors 256 --journal "$SSDCACHE_OUT/journal.$number" --sync "${mark[@]}" &
		else
			[ "$1" = ext4 ] || modprobe "$1"
			mkdir "/run/$1"
			mount -t "$1" "/dev/mapper/c$number" "/run/$1"
			crash-ledger --write "/run/$1" --acks "$SSDCACHE_OUT/acks.$1" &
			shift
		fi
		number=$((number + 1))
	done < <(list_caches "$seed" $((nr + $#)))
	wait
	exit
fi

# Replay the logs of the file systems by mounting them, and check the ledgers and the file systems: TYPE DIRECTORY, for each
# disk.
if [ "${1-}" = --check-mounted ]; then
	shift
	number=0
	while [ $# -gt 0 ]; do
		device $number
		[ "$1" = ext4 ] || modprobe "$1"
		mkdir /run/check
		mount -t "$1" "$DEVICE" /run/check
		crash-ledger --check /run/check --acks "$2/acks.$1"
		umount /run/check
		rmdir /run/check
		case $1 in
		ext4) e2fsck -fn "$DEVICE" ;;
		xfs) xfs_repair -n "$DEVICE" ;;
		esac
		number=$((number + 1))
		shift 2
	done
	exit
fi

# On the host.

seed=${SSDC_SEED:-1} uml_cuts=2 vm_cuts=0 images=2 vm_types=(ext4)
if [ -n "${SSDC_LONG-}" ]; then
	seed=${SSDC_SEED:-$((RANDOM + 1))} uml_cuts=12 vm_cuts=6 images=10 vm_types=(ext4 xfs)
fi
failed_tests=0

# result STATUS NAME LOG
result() {
	if [ "$1" = 0 ]; then
		echo "ok - $2"
	else
		failed_tests=$((failed_tests + 1))
		echo "not ok - $2"
		tail -n 30 "$3" | sed 's/^/    /'
	fi
}

# run_test NAME FUNCTION [ARGUMENT...]
run_test() {
	local name=$1 status=0

	shift
	# In the background, because errexit does not work in a condition.
	"$@" >"$SSDCACHE_OUT/log" 2>&1 &
	wait $! || status=$?
	result $status "$name" "$SSDCACHE_OUT/log"
}

module_for() {
	local word

	for word in $SSDCACHE_KOS; do
		[ "${word%%=*}" != "$1" ] || echo "${word#*=}"
	done
}

# make_images DIRECTORY NR TYPE...: images for NR raw devices and for file systems
make_images() {
	local dir=$1 number type

	for ((number = 0; number < $2; number++)); do
		truncate -s 16M "$dir/image.$number"
	done
	for type in "${@:3}"; do
		case $type in
		ext4)
			truncate -s 48M "$dir/image.$number"
			mkfs.ext4 -q "$dir/image.$number"
			;;
		xfs)
			truncate -s 320M "$dir/image.$number"
			mkfs.xfs -q "$dir/image.$number"
			;;
		esac
		number=$((number + 1))
	done
}

# far_enough DIRECTORY BYTES: has every writer acknowledged enough? A record of a journal has 24 bytes, one of a ledger 8.
far_enough() {
	local file size

	for file in "${files[@]}"; do
		size=$(stat -c %s "$1/$file" 2>/dev/null) || return 1
		[[ $file != acks.* ]] || size=$((size * 3))
		[ "$size" -ge "$2" ] || return 1
	done
}

# cut_power DIRECTORY LAUNCHER...: run the guest, and kill it at some time after each writer has made its first steps
cut_power() {
	local dir=$1 launcher bytes=$((1000 + RANDOM % 2000)) status=0

	shift
	"$@" >"$dir/stdout" 2>"$dir/stderr" &
	launcher=$!
	until far_enough "$dir" $bytes; do
		if ! kill -0 $launcher 2>/dev/null; then
			cat "$dir/stdout" "$dir/stderr"
			return 1
		fi
		sleep 0.05
	done
	kill -KILL -- "-$(<"$dir/pid")"
	wait $launcher || status=$?
	[ $status = 98 ] || {
		cat "$dir/stdout" "$dir/stderr"
		echo "the guest ended with status $status before it was killed"
		return 1
	}
}

# check_ext4 IMAGE ACKS: replay its log outside of any kernel; the file system must be clean, the ledger complete
check_ext4() {
	local status=0

	cp --sparse=always "$1" "$1.checked"
	# Status 1: errors were corrected. Replaying the log counts as one.
	e2fsck -p -E journal_only "$1.checked" || status=$?
	[ $status -le 1 ]
	e2fsck -fn "$1.checked"
	rm -rf "$1.files"
	mkdir "$1.files"
	debugfs -R "rdump / $1.files" "$1.checked" 2>&1
	crash-ledger --check "$1.files" --acks "$2"
	rm -rf "$1.checked" "$1.files"
}

# cut_uml SEED: two raw caches and an ext4
cut_uml() {
	local dir=$SSDCACHE_OUT/uml.$1 number

	mkdir "$dir"
	echo "SSDC_SEED=$1"
	list_caches "$1" 3
	make_images "$dir" 2 ext4
	files=(journal.0 journal.1 acks.ext4)
	cut_power "$dir" "$lab/uml.sh" --out "$dir" --module "$(module_for uml)" -- "$script" --in-guest "$1" 2 ext4
	for number in 0 1; do
		crash-replay --check "$dir/image.$number" --journal "$dir/journal.$number"
	done
	check_ext4 "$dir/image.2" "$dir/acks.ext4"
	rm -rf "$dir"
}

# cut_vm SEED: three raw caches and file systems; images from the logs of QEMU
cut_vm() {
	local dir=$SSDCACHE_OUT/vm.$1 number type i options=()

	mkdir "$dir"
	echo "SSDC_SEED=$1"
	list_caches "$1" $((3 + ${#vm_types[@]}))
	make_images "$dir" 3 "${vm_types[@]}"
	files=(journal.0 journal.1 journal.2)
	for type in "${vm_types[@]}"; do
		files+=("acks.$type")
	done
	for ((number = 0; number < ${#files[@]}; number++)); do
		truncate -s 4G "$dir/log.$number"
		[ $number -ge 3 ] && cp --sparse=always "$dir/image.$number" "$dir/base.$number"
		options+=(--disk "$dir/image.$number" --disk-log "$dir/log.$number")
	done
	cut_power "$dir" "$lab/vm.sh" --out "$dir" --module "$(module_for vm-6.1)" "${options[@]}" -- "$script" --in-guest "$1" 3 \
		"${vm_types[@]}"
	for number in 0 1 2; do
		crash-replay --check "$dir/image.$number" --journal "$dir/journal.$number"
		crash-replay --log "$dir/log.$number" --check "$dir/image.$number" --journal "$dir/journal.$number" --mark-on \
			--samples "$images" --seed "$1"
	done
	check_ext4 "$dir/image.3" "$dir/acks.ext4"
	for ((i = 1; i <= images; i++)); do
		cp --sparse=always "$dir/base.3" "$dir/made"
		crash-replay --log "$dir/log.3" --to "$dir/made" --cut --seed $i
		check_ext4 "$dir/made" "$dir/acks.ext4"
	done
	rm "$dir"/log.[0-2] "$dir"/image.[0-2]
}

# The file systems of all cuts, one image each as QEMU left it and one made from the log, in one guest
check_mounted() {
	local dir number type options=() words=()

	for dir in "$SSDCACHE_OUT"/vm.*; do
		number=3
		for type in "${vm_types[@]}"; do
			cp --sparse=always "$dir/base.$number" "$dir/made.$number"
			crash-replay --log "$dir/log.$number" --to "$dir/made.$number" --cut --seed "$seed"
			options+=(--disk "$dir/image.$number" --disk "$dir/made.$number")
			words+=("$type" "$dir" "$type" "$dir")
			number=$((number + 1))
		done
	done
	"$lab/vm.sh" "${options[@]}" -- "$script" --check-mounted "${words[@]}"
}

echo "# SSDC_SEED=$seed"
for ((cut = 0; cut < uml_cuts; cut++)); do
	run_test "killed User-Mode Linux $((cut + 1)): raw caches and ext4" cut_uml $((seed + cut))
done
for ((cut = 0; cut < vm_cuts; cut++)); do
	run_test "killed QEMU $((cut + 1)): raw caches and ${vm_types[*]}" cut_vm $((seed + cut))
done
if [ -n "${SSDC_LONG-}" ]; then
	run_test "killed QEMU: the file systems after a mount" check_mounted
fi
echo "# done"
[ "$failed_tests" = 0 ]
