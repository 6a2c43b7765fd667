#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: the machine freezes its tasks, and a CPU comes and goes, under load; the module stays while it is in use
# long: vm-6.1 vm-newest
# timeout: 900

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# begin WORD...: fio verifies data in a cache of a flash device for 20 s
begin() {
	make_nullb 64 irqmode=2 completion_nsec=200000
	make_flash f0 "$NULLB" 131072 profile s002 blocks 0
	make_cache c0 /dev/mapper/f0 dram 2m admission read-write replacement cflru-ef-sc "$@"
	fio_verify 20 16 --name=v --filename=/dev/mapper/c0 --rw=randrw --bsrange=4k-64k --size=24m --fsync=37 &
	fio=$!
}

end() {
	wait "$fio" || fail "fio fails: $(cat "$scratch/fio.txt")"
	expect_stat c0 failed_requests -eq 0
	timeout 100 dmsetup remove c0
}

# All tasks and the freezable work of the kernel stand still for five seconds; the flushes of the cache go on.
freezes() {
	[ -w /sys/power/pm_test ] || skip "this kernel cannot test suspends"
	begin "$@"
	log_mark
	echo freezer >/sys/power/pm_test
	pause 1
	echo freeze >/sys/power/state
	pause 1
	echo freeze >/sys/power/state
	expect "freezes" "$(grep -c 'suspend exit' <<<"$(log_since)")" -eq 2
	end
}

cpu_goes() {
	local online=/sys/devices/system/cpu/cpu1/online i

	[ -w $online ] || skip "there is no second CPU to take away"
	begin "$@"
	for i in {1..8}; do
		echo 0 >$online
		pause 0.5
		show c0 stats/latency/read >"$scratch/latency"
		[ $((i % 4)) != 0 ] || message c0 flush
		echo 1 >$online
		pause 0.5
	done
	echo 0 >$online
	dmsetup suspend c0
	dmsetup resume c0
	echo 1 >$online
	end
}

stays() {
	begin
	expect_fail rmmod dm_ssdcache
	expect_match "failure" "$OUTPUT" "in use"
	end
}

run_test "tasks are frozen" freezes
run_test "tasks are frozen, shards" freezes shards 3
run_test "a CPU comes and goes" cpu_goes
run_test "a CPU comes and goes, shards" cpu_goes shards 3
run_test "a module in use stays" stays
