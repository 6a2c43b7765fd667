#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the VM, with time as a count of instructions: what "auto" adds to a hit of 4 KiB, depth 1. Writes a line per tier and operation
# to $SSDCACHE_OUT/auto.tsv: tier, operation, ns of a hit without, ns of a hit with it, ns that the shadows take per request besides,
# share of the requests in the sample, bytes of the shadows. lru is live in both: the first candidate is, and "change=off" keeps it.
set -euo pipefail

out=$SSDCACHE_OUT/auto.tsv
: >"$out"
ops=8192

# fio_ns DEVICE randwrite|randread: mean latency in ns of the fastest 98 % of the requests, which met neither a timer tick nor a
# kernel thread, and of all
fio_ns() {
	fio --name=auto --filename="$1" --rw="$2" --bs=4k --size="$tier" --number_ios=$ops --direct=1 --ioengine=psync \
		--clocksource=clock_gettime --norandommap --randrepeat=1 --write_lat_log="$SSDCACHE_OUT/auto" >/dev/null
	sort -n -t, -k2,2 "$SSDCACHE_OUT/auto_lat.1.log" |
		awk -F, -v keep=$((ops * 98 / 100)) '{ all += $2 } NR <= keep { sum += $2; n++ } END { printf "%.0f %.0f\n", sum / n, all / NR }'
}

warm() {
	fio --name=warm --filename="$1" --rw=write --bs=1m --size="$tier" --direct=1 --ioengine=psync >/dev/null
	fio --name=warm --filename="$1" --rw=read --bs=1m --size="$tier" --direct=1 --ioengine=psync >/dev/null
}

modprobe brd rd_nr=1 rd_size=1048576
sectors=$(blockdev --getsz /dev/ram0)
stats() { cat "/sys/block/dm-$(dmsetup info -c --noheadings -o minor c0)/ssdcache/stats/auto/$1"; }
for tier in 32m 512m; do
	# The area fits the tier, with room for the frames that a policy keeps free.
	dmsetup create c0 --table "0 $sectors ssdcache /dev/ram0 4 dram $((${tier%m} + 8))m admission read-write"
	warm /dev/mapper/c0
	for op in randwrite randread; do
		dmsetup message c0 0 replacement lru
		read -r off off_all <<<"$(fio_ns /dev/mapper/c0 $op)"
		dmsetup message c0 0 replacement auto:candidates=lru+freeboard,change=off
		# The shadows have the area, too, and have caught up.
		warm /dev/mapper/c0
		fio_ns /dev/mapper/c0 $op >/dev/null
		until [ "$(stats queued)" -lt 100 ]; do
			sleep 0.1
		done
		records=$(stats records) requests=$(stats requests)
		read -r on on_all <<<"$(fio_ns /dev/mapper/c0 $op)"
		printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' $tier $op "$off" "$on" $((on_all - on - off_all + off)) \
			"$(($(stats records) - records)) of $(($(stats requests) - requests))" "$(stats memory_bytes)" | tee -a "$out"
	done
	dmsetup remove c0
done
