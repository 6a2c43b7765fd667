#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest of capture.sh: runs an application on ext4 while blktrace records the requests to the disk, a loop device or an ssdflash on
# that.

set -Eeuo pipefail
shopt -s inherit_errexit
trap 'echo "${BASH_SOURCE[0]##*/}:$LINENO: failed: $BASH_COMMAND" >&2' ERR
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../demo/blktrace-lib.sh
. "$here/../demo/blktrace-lib.sh"
# shellcheck source-path=SCRIPTDIR source=applications.sh
. "$here/applications.sh"

mountpoint=/run/capture
mkdir /run/disk "$mountpoint"
mount -t hostfs -o "$CAPTURE_DISK" none /run/disk
loop=$(losetup --find --show /run/disk/disk)
device=$loop
if [ -n "$CAPTURE_FLASH" ]; then
	read -ra words <<<"profile ${CAPTURE_FLASH//[:,=]/ }"
	dmsetup create flash --table "0 $(blockdev --getsz "$loop") ssdflash $loop ${#words[@]} ${words[*]}"
	device=/dev/dm-$(dmsetup info -c --noheadings -o minor flash)
fi
mkfs.ext4 -q -J size=32 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$device"
sync
echo 3 >/proc/sys/vm/drop_caches

blktrace_begin "${device##*/}"
mount "$device" "$mountpoint"
cd "$mountpoint"
"app_$1" >"$SSDCACHE_OUT/output.txt" 2>&1
cd /
umount "$mountpoint"
blktrace_end "$CAPTURE_TRACE" "$SSDCACHE_OUT/$1.csv.zst"
[ -z "$CAPTURE_FLASH" ] || dmsetup remove flash
losetup -d "$loop"
{
	sed -n "/^# $1: what /,/^[^#]/s/^# //p" "$here/applications.sh" | sed "1s/: what /: /"
	"$CAPTURE_TRACE" info "$SSDCACHE_OUT/$1.csv.zst"
} >"$SSDCACHE_OUT/$1.txt"
