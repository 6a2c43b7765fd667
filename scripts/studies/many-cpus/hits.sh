# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# To be sourced in a guest: dm-linear and caches on RAM disks, and hits of 4 KiB on them, half of them reads.

# shellcheck source-path=SCRIPTDIR source=../peers/stacks.sh
. "$(dirname "${BASH_SOURCE[0]}")/../peers/stacks.sh"

area=8m		# fits every cache

setup_disks() {
	local module

	for module in dm-cache dm-cache-smq dm-writecache bcache; do
		modprobe $module
	done
	modprobe brd rd_nr=3 rd_size=262144
	# stacks.sh reads these.
	# shellcheck disable=SC2034
	DEV=/dev/ram2 SECTORS=$((255 * 2048)) MIB=32
}

# with_stack STACK [WORD]... -- COMMAND... LABEL: runs the command while the stack is there, with $area of it in the cache. If there is
# $STACK, the stack with this label alone.
with_stack() {
	local stack=$1 words=()

	[ "${STACK:-${*: -1}}" = "${*: -1}" ] || return 0
	shift
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	"make_$stack" "${words[@]}"
	# dm-cache promotes blocks at once if their data were discarded.
	[ "$stack" != dm_cache ] || blkdiscard /dev/mapper/top
	fio --name=warm --filename=/dev/mapper/top --rw=write --bs=4k --size=$area --direct=1 --ioengine=psync --loops=2 >/dev/null
	fio --name=warm --filename=/dev/mapper/top --rw=read --bs=4k --size=$area --direct=1 --ioengine=psync >/dev/null
	"$@"
	"flush_$stack"
	remove_stack "$stack"
}

# each_stack COMMAND...: runs the command with a label as its last word, on each stack; on Open CAS if its module is there
each_stack() {
	with_stack none -- "$@" "dm-linear"
	with_stack ssdcache replacement lru -- "$@" "ssdcache lru"
	with_stack ssdcache replacement lru shards 4 -- "$@" "ssdcache lru, 4 shards"
	with_stack dm_cache 64 -- "$@" "dm-cache smq writeback"
	with_stack dm_writecache -- "$@" "dm-writecache"
	with_stack bcache sequential_cutoff=0 -- "$@" "bcache writeback"
	if [ -e /sys/module/cas_cache ]; then
		with_stack open_cas -- "$@" "Open CAS writeback"
	fi
}

# hits JOBS DEPTH REQUESTS JSON: runs that many requests in all; fio's report goes to the file JSON
hits() {
	fio --name=hits --filename=/dev/mapper/top --rw=randrw --bs=4k --size=$area --number_ios=$(($3 / $1)) --numjobs="$1" \
		--iodepth="$2" --direct=1 --ioengine=libaio --group_reporting --norandommap --randrepeat=1 --thread \
		--clocksource=clock_gettime --output-format=json --output="$4"
}

# cost_of JSON: elapsed ns per request
cost_of() {
	jq '.jobs[0] | ([.read.runtime, .write.runtime] | max) * 1e6 / (.read.total_ios + .write.total_ios) | round' "$1"
}
