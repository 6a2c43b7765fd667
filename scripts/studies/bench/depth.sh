#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the VM, with time as a count of instructions: what a hit of 4 KiB costs, half of them reads, by jobs and depth, of dm-linear on a RAM
# disk and of caches whose cache (or DRAM tier) is in RAM. There is one CPU, so the time that the requests take is what they cost, wherever
# it is spent. Writes a line per stack to $SSDCACHE_OUT/depth.tsv: stack, then ns per request for each of $combinations.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../peers/stacks.sh
. "$here/../peers/stacks.sh"

out=$SSDCACHE_OUT/depth.tsv
combinations=(1x1 1x8 1x32 2x1 2x8 2x32 4x1 4x8 4x32)	# jobs x depth
area=8m		# fits every cache
requests=32768

warm() {
	fio --name=warm --filename=/dev/mapper/top --rw=write --bs=4k --size=$area --direct=1 --ioengine=psync --loops=2 >/dev/null
	fio --name=warm --filename=/dev/mapper/top --rw=read --bs=4k --size=$area --direct=1 --ioengine=psync >/dev/null
}

# cost JOBS DEPTH: ns per request
cost() {
	fio --name=cost --filename=/dev/mapper/top --rw=randrw --bs=4k --size=$area --number_ios=$((requests / $1)) --numjobs="$1" \
		--iodepth="$2" --direct=1 --ioengine=libaio --group_reporting --norandommap --randrepeat=1 --thread \
		--clocksource=clock_gettime --output-format=json --output="$SSDCACHE_OUT/depth.json"
	jq '.jobs[0] | ([.read.runtime, .write.runtime] | max) * 1e6 / (.read.total_ios + .write.total_ios) | round' \
		"$SSDCACHE_OUT/depth.json"
}

# measure LABEL STACK [WORD]...
measure() {
	local label=$1 stack=$2 combination

	"make_$stack" "${@:3}"
	[ "$stack" != dm_cache ] || blkdiscard /dev/mapper/top
	warm
	printf '%s' "$label" >>"$out"
	for combination in "${combinations[@]}"; do
		printf '\t%s' "$(cost "${combination%x*}" "${combination#*x}")" >>"$out"
	done
	echo >>"$out"
	"flush_$stack"
	remove_stack "$stack"
	tail -n 1 "$out"
}

for module in dm-cache dm-cache-smq dm-writecache bcache; do
	modprobe $module
done
modprobe brd rd_nr=3 rd_size=262144
DEV=/dev/ram2 SECTORS=$((255 * 2048)) MIB=32
{
	printf 'jobs x depth'
	printf '\t%s' "${combinations[@]}"
	echo
} >"$out"
measure "dm-linear" none
measure "ssdcache lru" ssdcache replacement lru
measure "dm-cache smq writeback" dm_cache 64
measure "dm-writecache" dm_writecache
measure "bcache writeback" bcache sequential_cutoff=0
