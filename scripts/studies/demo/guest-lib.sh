# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Shared by the demo's scripts in the guest. From the environment: SSDCACHE_OUT (results), DEMO_TRACE and DEMO_CTL (the tools
# ssdcache-trace and ssdcachectl).

set -Eeuo pipefail
shopt -s inherit_errexit
trap 'echo "${BASH_SOURCE[0]##*/}:$LINENO: failed: $BASH_COMMAND" >&2' ERR

# Time of each command of the flash device, and its size.
flash_ns=75000
flash_mib=1024
flash=/dev/nullb0
device=/dev/mapper/demo

# make_flash: a RAM disk with the latency of flash
make_flash() {
	local config=/sys/kernel/config/nullb/nullb0

	modprobe null_blk nr_devices=0
	mkdir "$config"
	echo 512 >"$config/blocksize"
	echo "$flash_mib" >"$config/size"
	echo 1 >"$config/memory_backed"
	echo 1 >"$config/discard"
	echo 2 >"$config/irqmode"
	echo "$flash_ns" >"$config/completion_nsec"
	# The default would split long requests.
	echo 2048 >"$config/max_sectors"
	echo 1 >"$config/power"
}

# make_cache OPTION...: options of "ssdcachectl create"; sets $sysfs
make_cache() {
	local path

	"$DEMO_CTL" create demo --origin "$flash" "$@" >/dev/null
	for path in /sys/block/dm-*/dm/name; do
		# shellcheck disable=SC2034 # for the caller
		[ "$(<"$path")" != demo ] || sysfs=${path%/dm/name}/ssdcache
	done
	# The first open makes the kernel read the partition table. Do not count that.
	: <"$device"
	"$DEMO_CTL" drop-clean demo
	"$DEMO_CTL" reset demo
}

remove_cache() {
	"$DEMO_CTL" remove demo
}
