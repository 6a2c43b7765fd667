#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: fio verifies data, and ext4 stays clean, while plug-ins, tunables and the DRAM size change
# lane: vm-6.1
# long: vm-6.12
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=${SSDC_LONG:+120}
seconds=${seconds:-5}

# change_things ORIGIN RUNNING: change everything, every half second, until the file RUNNING is gone; the number of
# rounds is in RUNNING.rounds
change_things() {
	local origin=$1 running=$2 round=0 nr
	local policies=(fifo lru lfu cflru:window=30 cflru-ef:threshold=20 cflru-ef-sc:adapt=off
		fab:block=16 "bplru:block=8,padding=on" bplru:width=0 vbbms vbbms:borrow=on req-block
		vs-batch:rebuild=20 vs-batch-plus co-active:clean_max=50 ecr lcr mq-ssd:period_ms=50 mq-ssd:keep_clean=on)
	local admissions=(read-write write-buffer "l-corw:period_ms=20,rar_window=20,cold=1000,tt_low=1,rt_low=1")

	nr=${#policies[@]}
	while [ -e "$running" ]; do
		message c0 replacement "${policies[round % nr]}"
		message c0 admission "${admissions[round % 3]}"
		message c0 set idle_us $((round % 3 * 500))
		case $((round % 4)) in
		1) message c0 drop_clean ;;
		3) reload_cache c0 "$origin" dram $((1 + round % 3))m replacement "${policies[(round + 1) % nr]}" ;;
		esac
		round=$((round + 1))
		echo "$round" >"$running.rounds"
		pause 0.5
	done
}

# Every kind of change has happened at least once.
changed_enough() {
	local rounds=0

	[ ! -s "$1.rounds" ] || rounds=$(<"$1.rounds")
	[ "$rounds" -ge 8 ]
}

# The DRAM tier is 1 % of the device. Requests are up to 1 MiB, and aligned to sectors or to pages.
verified() {
	local page=$1 changer

	make_nullb 128
	make_cache c0 "$NULLB" dram 1300k page "$page" replacement lru admission read-write
	: >"$scratch/running"
	: >"$scratch/running.rounds"
	change_things "$NULLB" "$scratch/running" &
	changer=$!
	until changed_enough "$scratch/running"; do
		fio_verify "$seconds" 8 \
			--name=small --filename=/dev/mapper/c0 --offset=0 --size=48m --rw=randrw --bsrange=512-64k --bs_unaligned=0 \
			--name=large --filename=/dev/mapper/c0 --offset=48m --size=48m --rw=randrw --bssplit=4k/40:128k/40:1m/20 \
			--name=sync --filename=/dev/mapper/c0 --offset=96m --size=16m --rw=randwrite --bs=8k --fsync=16 ||
			{ cat "$scratch/fio.txt"; fail "fio found wrong data"; }
	done
	rm "$scratch/running"
	wait $changer
	wait_quiescent c0 20
	expect_value c0 state ok
	expect_stat c0 failed_requests -eq 0
}

# A file system survives the changes, and is clean both through the cache and on the origin.
file_system() {
	local changer inserts=${SSDC_LONG:+30}

	inserts=${inserts:-8}
	make_nullb 128
	make_cache c0 "$NULLB" dram 1300k replacement cflru-ef-sc admission read-write
	mkfs.ext4 -q /dev/mapper/c0
	mkdir -p "$scratch/mnt"
	mount /dev/mapper/c0 "$scratch/mnt"
	: >"$scratch/running"
	change_things "$NULLB" "$scratch/running" &
	changer=$!
	tar -C /usr/share/perl5 -cf "$scratch/some.tar" .
	for round in 1 2 3; do
		mkdir "$scratch/mnt/$round"
		tar -C "$scratch/mnt/$round" -xf "$scratch/some.tar"
		sqlite3 "$scratch/mnt/db" "create table if not exists t(x); $(printf 'insert into t values(%d);' $(seq "$inserts"))"
		[ "$round" = 1 ] || rm -r "${scratch:?}/mnt/$((round - 1))"
	done
	(cd "$scratch/mnt/3" && find . -type f -exec sha256sum {} +) | sort >"$scratch/before"
	umount "$scratch/mnt"
	pause 2
	rm "$scratch/running"
	wait $changer
	fsck.ext4 -fn /dev/mapper/c0
	remove_dm
	fsck.ext4 -fn "$NULLB"
	mount -o ro "$NULLB" "$scratch/mnt"
	expect_eq "rows" "$(sqlite3 "file:$scratch/mnt/db?mode=ro&immutable=1" 'select count(*) from t')" $((3 * inserts))
	(cd "$scratch/mnt/3" && find . -type f -exec sha256sum {} +) | sort >"$scratch/after"
	umount "$scratch/mnt"
	cmp "$scratch/before" "$scratch/after"
}

run_test "fio verify, 4k pages, under live changes" verified 4k
[ -z "${SSDC_LONG-}" ] || run_test "fio verify, 64k pages, under live changes" verified 64k
run_test "ext4 under live changes, fsck with and without the cache" file_system
