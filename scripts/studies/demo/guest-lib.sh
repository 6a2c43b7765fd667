# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the demo's scripts inside the guest share. From the environment: SSDCACHE_OUT (results), DEMO_TRACE and DEMO_CTL
# (the tools ssdcache-trace and ssdcachectl).

set -Eeuo pipefail
shopt -s inherit_errexit
trap 'echo "${BASH_SOURCE[0]##*/}:$LINENO: failed: $BASH_COMMAND" >&2' ERR

# How long a command of the flash device takes, and its size.
flash_ns=75000
flash_mib=1024
flash=/dev/nullb0
device=/dev/mapper/demo

# A RAM disk that takes as long as flash for each command.
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
	# The default is less than many requests are long; they would be cut in odd places.
	echo 2048 >"$config/max_sectors"
	echo 1 >"$config/power"
}

# make_cache OPTION...: of "ssdcachectl create"; sets $sysfs.
make_cache() {
	local path

	"$DEMO_CTL" create demo --origin "$flash" "$@" >/dev/null
	for path in /sys/block/dm-*/dm/name; do
		# shellcheck disable=SC2034 # for the caller
		[ "$(<"$path")" != demo ] || sysfs=${path%/dm/name}/ssdcache
	done
	# The first to open it makes the kernel look for partitions.
	: <"$device"
	"$DEMO_CTL" drop-clean demo
	"$DEMO_CTL" reset demo
}

remove_cache() {
	"$DEMO_CTL" remove demo
}
