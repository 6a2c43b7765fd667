#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: renaming between load, clear, suspend, resume and remove, with I/O, of both targets and of a stack of them
# lane: uml-debug
# long: uml uml-time

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# Device-mapper itself, with any target, frees memory twice in some of these orders if the kernel has IMA: see README.md.
need_no_ima() {
	! grep -qw dm_ima_measure_on_device_remove /proc/kallsyms || skip "this kernel has dm-ima"
}

# tables KIND: $T1, $T2 and $T3, tables of 16 MiB that differ in the number at their end; $W1, $W2 and $W3, the last words of
# each, which are in no other
tables() {
	local start="0 $((16 * 2048)) ssd$1 $NULLB"

	case $1 in
	cache)
		start+=" 2"
		W1="dram 1m" W2="dram 2m" W3="dram 3m"
		;;
	flash)
		start+=" 4 blocks 64"
		W1="channels 1" W2="channels 2" W3="channels 4"
		;;
	esac
	T1="$start $W1" T2="$start $W2" T3="$start $W3"
}

# batch: reads lines "REQUEST => ANSWER" and makes the requests with dm-batch. Each must get an answer like this pattern.
batch() {
	local line requests=() answers=() got i

	while read -r line; do
		[ -n "$line" ] || continue
		requests+=("${line% => *}")
		answers+=("${line##* => }")
	done
	mapfile -t got < <(printf '%s\n' "${requests[@]}" | dm-batch)
	for ((i = 0; i < ${#requests[@]}; i++)); do
		# shellcheck disable=SC2053 # it is a pattern
		[[ ${got[i]-no answer} = ${answers[i]}* ]] ||
			fail "${requests[i]}: is '${got[i]-no answer}', want '${answers[i]}'"
	done
	expect_eq "number of answers" ${#got[@]} ${#requests[@]}
}

# start KIND: device "a" with table $T1 and a writer; its directory in sysfs is $DIR, which no rename changes
start() {
	need_no_ima
	make_nullb 16
	tables "$1"
	dmsetup create a --uuid "SSDC-rename-$1" --table "$T1"
	dm_dir a
	DIR=$DM_DIR
	write_and_check "/dev/${DIR##*/}" 0 &
	writer=$!
	poll 60 "writes" test -s "$scratch/tag"
}

# finish_as NAME: the writer's last data are there, and on the origin after removal.
finish_as() {
	local tag

	kill -0 "$writer"
	all_end "$writer"
	tag=$(<"$scratch/tag")
	blkio check "/dev/${DIR##*/}" 0 512k "$tag"
	batch <<-END
		remove $1 => ok
		table $1 => ENXIO
	END
	[ ! -e "$DIR" ]
	blkio check "$NULLB" 0 512k "$tag"
	rm "$scratch/tag"
}

# Each order of load (of a table for the next resume), clear and rename, in use and suspended. "clear, rename, load", "clear,
# rename, clear" and "clear, rename, remove" are those that dm-ima does not survive.
orders() {
	start "$1"
	batch <<-END
		reload a $T2 => ok
		rename a b => ok
		table a => ENXIO
		read $DIR/dm/name => ok	b|
		read $DIR/dm/uuid => ok	SSDC-rename-$1|
		table b => ok	*$W1
		status b => ok	*schema 1
		suspend b => ok
		resume b => ok
		table b => ok	*$W2

		rename b c => ok
		reload c $T3 => ok
		rename c d => ok
		suspend d => ok
		resume d => ok
		table d => ok	*$W3

		reload d $T1 => ok
		clear d => ok
		rename d e => ok
		reload e $T2 => ok
		table e => ok	*$W3
		suspend e => ok
		resume e => ok
		table e => ok	*$W2

		reload e $T1 => ok
		clear e => ok
		rename e f => ok
		clear f => ok
		suspend f => ok
		resume f => ok
		table f => ok	*$W2

		reload f $T1 => ok
		rename f g => ok
		clear g => ok
		rename g h => ok
		table h => ok	*$W2

		suspend h => ok
		rename h i => ok
		reload i $T3 => ok
		rename i j => ok
		resume j => ok
		table j => ok	*$W3

		reload j $T1 => ok
		suspend j => ok
		clear j => ok
		rename j k => ok
		resume k => ok
		table k => ok	*$W3
		message k reset_stats => ok
		read $DIR/dm/name => ok	k|
		reload k $T2 => ok
		clear k => ok
		rename k l => ok
	END
	finish_as l
}

# Another device takes the old name; a name in use is refused. A UUID is given once.
names_are_taken() {
	need_no_ima
	make_nullb 16
	tables "$1"
	batch <<-END
		create a $T1 => ok
		rename a b => ok
		create a 0 32768 zero => ok
		rename a b => EBUSY
		rename b a => EBUSY
		table a => ok	0 32768 zero
		table b => ok	*$W1
		rename a c => ok
		rename b a => ok
		set-uuid a SSDC-given => ok
		set-uuid a SSDC-other => EINVAL
		rename a b => ok
		reload b $T2 => ok
		suspend b => ok
		resume b => ok
		table b => ok	*$W2
		reload b $T1 => ok
		rename b a => ok
		remove a => ok
		remove c => ok
	END
}

# A cache on a flash device. The table of the cache names its origin by number.
stack() {
	local low number cache

	need_no_ima
	make_nullb 16
	tables flash
	dmsetup create flash --table "$T1"
	dm_dir flash
	low=${DM_DIR##*/}
	number=$(<"$DM_DIR/dev")
	cache="0 $(<"$DM_DIR/size") ssdcache $number 2 dram"
	dmsetup create a --table "$cache 1m"
	dm_dir a
	DIR=$DM_DIR
	write_and_check "/dev/${DIR##*/}" 0 &
	writer=$!
	poll 60 "writes" test -s "$scratch/tag"
	batch <<-END
		reload flash $T2 => ok
		rename flash low => ok
		rename a b => ok
		suspend low => ok
		rename low lower => ok
		resume lower => ok
		table lower => ok	*$W2
		reload b $cache 2m => ok
		rename b c => ok
		suspend c => ok
		resume c => ok
		table c => ok	0 * ssdcache $number 2 dram 2m
		remove lower => EBUSY
	END
	kill -0 "$writer"
	all_end "$writer"
	dmsetup remove c
	blkio check "/dev/$low" 0 512k "$(<"$scratch/tag")"
	rm "$scratch/tag"
}

run_test "ssdcache: rename between load, clear, suspend, resume and remove" orders cache
run_test "ssdflash: rename between load, clear, suspend, resume and remove" orders flash
run_test "names that other devices take, and UUIDs" names_are_taken cache
run_test "a cache and the flash device under it" stack
