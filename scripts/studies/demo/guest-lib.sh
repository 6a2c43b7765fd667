# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Shared by the demo's scripts in the guest. From the environment: SSDCACHE_OUT (results), DEMO_TRACE and DEMO_CTL (the tools
# ssdcache-trace and ssdcachectl), DEMO_FLASH (the flash device, as --profile takes it).

set -Eeuo pipefail
shopt -s inherit_errexit
trap 'echo "${BASH_SOURCE[0]##*/}:$LINENO: failed: $BASH_COMMAND" >&2' ERR

disk=/dev/nullb0
# shellcheck disable=SC2034 # for the caller
device=/dev/mapper/demo

# make_disk MIB KEEP: what is below the flash device; it takes no time itself. KEEP: 1 keeps data, 0 does not.
make_disk() {
	local config=/sys/kernel/config/nullb/nullb0

	modprobe null_blk nr_devices=0
	mkdir "$config"
	echo 512 >"$config/blocksize"
	echo "$1" >"$config/size"
	echo "$2" >"$config/memory_backed"
	echo 1 >"$config/discard"
	echo 0 >"$config/irqmode"
	# The default would split long requests.
	echo 2048 >"$config/max_sectors"
	echo 1 >"$config/power"
}

# make_cache FLASH OPTION...: a cache on a flash device; options of "ssdcachectl create". Sets $sysfs.
make_cache() {
	local path

	"$DEMO_CTL" create demo --origin "$disk" --profile "$@" >/dev/null
	for path in /sys/block/dm-*/dm/name; do
		# shellcheck disable=SC2034 # for the caller
		[ "$(<"$path")" != demo ] || sysfs=${path%/dm/name}/ssdcache
	done
	# The first open makes the kernel read the partition table. Do not count that.
	: <"$device"
	"$DEMO_CTL" drop-clean demo
	"$DEMO_CTL" reset demo
	"$DEMO_CTL" reset demo-flash
}

# The flash device goes, too.
remove_cache() {
	"$DEMO_CTL" remove demo
}
