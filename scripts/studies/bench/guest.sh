#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the VM, with time as a count of instructions: mean cost of a write hit and a read hit of 4 KiB, depth 1, of a bare RAM
# disk, of dm-linear on it, and of caches whose cache (or DRAM tier) is in RAM. Writes a line per device to
# $SSDCACHE_OUT/cost.tsv: device, ns per write, ns per read, share of accesses that hit; and to $SSDCACHE_OUT/miss.tsv what a read
# costs that bypasses DRAM: device below, ns of dm-linear, ns of ssdcache.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cpu-ns.sh
. "$(dirname "$0")/cpu-ns.sh"

out=$SSDCACHE_OUT/cost.tsv
: >"$out"
misses=$SSDCACHE_OUT/miss.tsv
: >"$misses"
area=8m		# fits every cache
ops=2048

# fio_ns DEVICE randwrite|randread: mean latency in ns of the fastest 98 % of the requests. The others met a timer tick or a
# kernel thread.
fio_ns() {
	# fio's log goes to a file: on the only CPU, the reader of a pipe would run between the requests.
	fio --name=cost --filename="$1" --rw="$2" --bs=4k --size=$area --number_ios=$ops --direct=1 --ioengine=psync \
		--clocksource=clock_gettime --norandommap --randrepeat=1 --write_lat_log="$SSDCACHE_OUT/cost" >/dev/null
	sort -n -t, -k2,2 "$SSDCACHE_OUT/cost_lat.1.log" |
		awk -F, -v keep=$((ops * 98 / 100)) 'NR <= keep { sum += $2; n++ } END { printf "%.0f\n", sum / n }'
}

# warm DEVICE: brings the area into the cache, by writes and then by reads
warm() {
	fio --name=warm --filename="$1" --rw=write --bs=4k --size=$area --direct=1 --ioengine=psync --loops=2 >/dev/null
	fio --name=warm --filename="$1" --rw=read --bs=4k --size=$area --direct=1 --ioengine=psync >/dev/null
}

# measure LABEL DEVICE HITS-COMMAND
measure() {
	local write read hit
	warm "$2"
	write=$(fio_ns "$2" randwrite)
	read=$(fio_ns "$2" randread)
	hit=$($3)
	printf '%s\t%s\t%s\t%s\n' "$1" "$write" "$read" "$hit" | tee -a "$out"
}

# measure_miss DEVICE: reads that miss, of a write buffer, which lets no read page enter
measure_miss() {
	local sectors linear miss

	sectors=$(blockdev --getsz "$1")
	dmsetup create lin --table "0 $sectors linear $1 0"
	linear=$(fio_ns /dev/mapper/lin randread)
	dmsetup remove lin
	dmsetup create c0 --table "0 $sectors ssdcache $1 4 dram 32m admission write-buffer"
	miss=$(fio_ns /dev/mapper/c0 randread)
	[ "$(cat "$(c0_sysfs)/stats/bypassed_reads")" -ge $ops ] || { echo "not all reads bypass DRAM" >&2; exit 1; }
	dmsetup remove c0
	printf '%s\t%s\t%s\n' "${1##*/}" "$linear" "$miss" | tee -a "$misses"
}

none() { echo -; }

modprobe brd rd_nr=3 rd_size=262144
sectors=$(blockdev --getsz /dev/ram0)
measure "brd" /dev/ram0 none

dmsetup create lin --table "0 $sectors linear /dev/ram0 0"
measure "dm-linear" /dev/mapper/lin none
dmsetup remove lin

c0_sysfs() { echo "/sys/block/dm-$(dmsetup info -c --noheadings -o minor c0)/ssdcache"; }
ssdcache_hits() {
	local s
	s=$(c0_sysfs)/stats
	echo "$(($(cat "$s/read_hits") * 100 / $(cat "$s/read_pages")))% of reads"
}
measure_miss /dev/ram0
dmsetup create c0 --table "0 $sectors ssdcache /dev/ram0 2 dram 64k"
all=$(cut -f1 "$(c0_sysfs)/available_replacement")
dmsetup remove c0
for policy in ${POLICIES:-$all}; do
	dmsetup create c0 --table "0 $sectors ssdcache /dev/ram0 4 dram 32m replacement $policy"
	measure "ssdcache $policy" /dev/mapper/c0 ssdcache_hits
	cat "$(c0_sysfs)/page_overhead_bytes" > "$SSDCACHE_OUT/overhead.$policy"
	dmsetup remove c0
done

# The cost of ssdflash's code: all times of the flash are 0 or 1. A null_blk keeps no data.
modprobe null_blk nr_devices=0
# nullb MEGABYTES: makes /dev/nullb0
nullb() {
	[ ! -d /sys/kernel/config/nullb/nullb0 ] || rmdir /sys/kernel/config/nullb/nullb0
	mkdir /sys/kernel/config/nullb/nullb0
	echo "$1" > /sys/kernel/config/nullb/nullb0/size
	echo 0 > /sys/kernel/config/nullb/nullb0/irqmode
	echo 1 > /sys/kernel/config/nullb/nullb0/power
}
nullb 256
sectors=$(blockdev --getsz /dev/nullb0)
measure "null_blk" /dev/nullb0 none
dmsetup create lin --table "0 $sectors linear /dev/nullb0 0"
measure "dm-linear on null_blk" /dev/mapper/lin none
dmsetup remove lin
measure_miss /dev/nullb0
dmsetup create f0 --table "0 $sectors ssdflash /dev/nullb0 10 page_bytes 4096 read_ns 1 program_ns 1 erase_ns 1 transfer_ps 0"
measure "ssdflash on null_blk" /dev/mapper/f0 none
dmsetup remove f0

# A drive of 128 GB with pages of 8 KiB: instructions to load its table, and memory.
nullb 131072
free_kib() { awk '/^MemFree/ { print $2 }' /proc/meminfo; }
echo 3 > /proc/sys/vm/drop_caches
[ "$(cpu_ns sleep 1)" -lt 100000000 ] || { echo "waiting counts as CPU time" >&2; exit 1; }
cpu_ns dmsetup version >/dev/null
before=$(free_kib)
load=$(cpu_ns dmsetup create f0 --table "0 241590272 ssdflash /dev/nullb0 2 profile li22")
printf '%s\t%s\n' "$load" $((before - $(free_kib))) > "$SSDCACHE_OUT/load.tsv"
dmsetup remove f0
sectors=$(blockdev --getsz /dev/ram0)

# dm-cache promotes blocks that are accessed often. If the origin is discarded, it promotes them at once.
dmcache_hits() {
	dmsetup status c0 | awk '{ printf "%d%% of reads\n", $8 * 100 / ($8 + $9) }'
}
modprobe dm-cache
modprobe dm-cache-smq
dd if=/dev/zero of=/dev/ram1 bs=1M count=1 status=none
dmsetup create meta --table "0 8192 linear /dev/ram1 0"
dmsetup create fast --table "0 $((sectors - 8192)) linear /dev/ram1 8192"
dmsetup create c0 --table "0 $sectors cache /dev/mapper/meta /dev/mapper/fast /dev/ram0 64 1 writeback smq 0"
blkdiscard /dev/mapper/c0
warm /dev/mapper/c0
measure "dm-cache smq writeback" /dev/mapper/c0 dmcache_hits
dmsetup remove c0 && dmsetup remove fast && dmsetup remove meta

modprobe dm-writecache
dd if=/dev/zero of=/dev/ram1 bs=1M count=1 status=none
dmsetup create c0 --table "0 $sectors writecache s /dev/ram0 /dev/ram1 4096 0"
measure "dm-writecache" /dev/mapper/c0 none
dmsetup remove c0

# bcache updates its counts about every 38 s. Bypassed accesses count as misses.
bcache_hits() {
	sleep 45
	awk 'FILENAME ~ /bypass/ { missed += $1; all += $1; next } { all += $1 } FILENAME ~ /misses/ { missed += $1 }
		END { printf "%d%% of all\n", (all - missed) * 100 / all }' \
		/sys/block/bcache0/bcache/stats_total/cache_{hits,misses,bypass_hits,bypass_misses}
}
modprobe bcache
dd if=/dev/zero of=/dev/ram1 bs=1M count=1 status=none
dd if=/dev/zero of=/dev/ram0 bs=1M count=1 status=none
make-bcache --writeback --bucket 64k -B /dev/ram0 -C /dev/ram1 >/dev/null
# Without udev, nothing has registered them.
echo /dev/ram1 > /sys/fs/bcache/register
echo /dev/ram0 > /sys/fs/bcache/register
for _ in $(seq 100); do
	state=$(cat /sys/block/bcache0/bcache/state 2> /dev/null) || state=none
	[ "$state" != clean ] || break
	sleep 0.1
done
[ "$state" = clean ] || { echo "bcache has no cache: $state" >&2; exit 1; }
echo 0 > /sys/block/bcache0/bcache/sequential_cutoff
measure "bcache writeback" /dev/bcache0 bcache_hits
