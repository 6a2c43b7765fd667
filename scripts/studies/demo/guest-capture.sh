#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest: runs the workload on ext4 on ssdcache on flash while blktrace records the requests to ssdcache. Results:
# capture.csv.zst, phases.txt, capture-stats.json.

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=guest-lib.sh
. "$here/guest-lib.sh"
# shellcheck source-path=SCRIPTDIR source=blktrace-lib.sh
. "$here/blktrace-lib.sh"

dram=16m
mountpoint=/run/demo

# New flash: its age has no influence on what applications request.
make_disk 1024 1
make_cache "$DEMO_FLASH" --dram "$dram"
modprobe ext4
# A small journal, to suit a small device, and nothing left to be initialised later.
mkfs.ext4 -q -J size=4 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$device"
"$DEMO_CTL" flush demo
"$DEMO_CTL" drop-clean demo
"$DEMO_CTL" reset demo

mkdir -p "$mountpoint"
disk=${sysfs%/ssdcache}
disk=${disk##*/}
blktrace_begin "$disk"
uptime=$(</proc/uptime)
echo "start ${uptime%% *}" >"$SSDCACHE_OUT/start.txt"

mount -o discard "$device" "$mountpoint"
rmdir "$mountpoint/lost+found"
"$here/workload.sh" "$mountpoint" "$SSDCACHE_OUT/phases.txt"
umount "$mountpoint"

blktrace_end "$DEMO_TRACE" "$SSDCACHE_OUT/capture.csv.zst"
"$DEMO_CTL" stats demo --json >"$SSDCACHE_OUT/capture-stats.json"
remove_cache
