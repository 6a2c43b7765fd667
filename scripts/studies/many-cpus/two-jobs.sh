#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a VM with two CPUs that run at the same time: requests per second of two jobs over those of one, of dm-linear and of ssdcache. Short
# runs take turns, so that all meet the same machine. $SSDCACHE_OUT/two-jobs.tsv has a line per run: round, case, device, jobs, requests
# per second. many_cpus_data.py --two-jobs compares medians.
#
# usage: two-jobs.sh [ROUNDS]   (15)
set -euo pipefail

rounds=${1:-15}
out=$SSDCACHE_OUT/two-jobs.tsv
seconds=${SECONDS_EACH:-1}
area=32m

# nullb NAME: a device without data that completes in interrupts, at once
nullb() {
	mkdir "/sys/kernel/config/nullb/$1"
	echo 256 >"/sys/kernel/config/nullb/$1/size"
	echo 1 >"/sys/kernel/config/nullb/$1/irqmode"
	echo 2 >"/sys/kernel/config/nullb/$1/submit_queues"
	echo 1 >"/sys/kernel/config/nullb/$1/power"
}

modprobe brd rd_nr=2 rd_size=65536
modprobe null_blk nr_devices=0
nullb nullb0
nullb nullb1
nullb nullb2
for disk in ram0 ram1 nullb0 nullb1 nullb2; do
	read -r "sectors_$disk" <"/sys/block/$disk/size"
done
# shellcheck disable=SC2154 # read above
{
	dmsetup create linear-hits --table "0 $sectors_ram0 linear /dev/ram0 0"
	dmsetup create ssdcache-hits --table "0 $sectors_ram1 ssdcache /dev/ram1 4 dram 48m admission read-write"
	dmsetup create linear-misses --table "0 $sectors_nullb0 linear /dev/nullb0 0"
	dmsetup create ssdcache-misses --table "0 $sectors_nullb1 ssdcache /dev/nullb1 2 dram 8m"
	# Its tier is an eighth of the device: seven of eight reads evict a page and wait for the origin.
	dmsetup create ssdcache-entering --table "0 $sectors_nullb2 ssdcache /dev/nullb2 4 dram 32m admission read-write"
}
fio --name=warm --filename=/dev/mapper/ssdcache-hits --rw=write --bs=64k --size=$area --direct=1 --ioengine=psync >/dev/null

# run ROUND CASE DEVICE JOBS WORD...: words for fio
run() {
	fio --name=run --filename="/dev/mapper/$3" --bs=4k --numjobs="$4" --direct=1 --ioengine=libaio --time_based \
		--runtime="$seconds" --group_reporting --norandommap --thread --random_generator=lfsr "${@:5}" --output-format=json \
		--output="$SSDCACHE_OUT/two-jobs.json"
	printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" \
		"$(jq '.jobs[0] | .read.iops + .write.iops | round' "$SSDCACHE_OUT/two-jobs.json")" >>"$out"
}

: >"$out"
for ((round = 0; round < rounds; round++)); do
	# The two runs of a pair follow each other; either may be first.
	order=(1 2)
	[ $((round % 2)) = 0 ] || order=(2 1)
	for device in linear-hits ssdcache-hits; do
		for jobs in "${order[@]}"; do
			run $round "hits" $device "$jobs" --rw=randrw --iodepth=1 --size=$area
		done
	done
	for device in linear-misses ssdcache-misses ssdcache-entering; do
		for jobs in "${order[@]}"; do
			run $round "queued read misses" $device "$jobs" --rw=randread --iodepth=8
		done
	done
done
