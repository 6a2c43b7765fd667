#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The launchers of guests (launcher.sh) notice each kind of error that a kernel writes into its log, and nothing else. Prints a
# line for each case that went wrong.

set -u
lab=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck source-path=SCRIPTDIR source=../launcher.sh
. "$lab/launcher.sh"
# shellcheck disable=SC2034 # for guest_reports
log=$work/log job=$work
failures=0

# reports_are WHETHER LINE...: of a guest whose kernel wrote these lines after the command has started
reports_are() {
	local wanted=$1 found=no

	shift
	printf '[    1.000000] %s\r\n' "BUG: of the boot" "ssdcache: command starts" "$@" >"$log"
	! guest_reports || found=yes
	[ $found = "$wanted" ] || {
		echo "reported: $found, should be $wanted: $*"
		failures=$((failures + 1))
	}
}

# As Linux 6.1 writes them, unless a comment says otherwise.
reports_are yes "kernel BUG at drivers/md/dm-ssdcache/engine/write.c:5!"
reports_are yes "invalid opcode: 0000 [#1] PREEMPT SMP NOPTI"
# Later kernels say Oops first.
reports_are yes "Oops: invalid opcode: 0000 [#1] PREEMPT SMP NOPTI"
reports_are yes "divide error: 0000 [#2] PREEMPT SMP NOPTI"
reports_are yes "general protection fault, probably for non-canonical address 0xdead000000000108: 0000 [#1] PREEMPT SMP"
reports_are yes "BUG: kernel NULL pointer dereference, address: 0000000000000010"
reports_are yes "BUG: KASAN: use-after-free in ssdc_step+0x10/0x20 [dm_ssdcache]"
reports_are yes "BUG: KCSAN: data-race in ssdc_step / ssdc_next_io"
reports_are yes "BUG: sleeping function called from invalid context at mm/slab.h:274"
reports_are yes "BUG kmalloc-64 (Tainted: G           OE     ): Right Redzone overwritten"
reports_are yes "BUG ssdcache_request (Not tainted): Object already free"
reports_are yes "WARNING: CPU: 0 PID: 12 at lib/refcount.c:28 refcount_warn_saturate+0xba/0x110"
reports_are yes "WARNING: possible circular locking dependency detected"
reports_are yes "INFO: trying to register non-static key."
reports_are yes "INFO: task dmsetup:123 blocked for more than 120 seconds."
reports_are yes "sysfs: cannot create duplicate filename '/devices/virtual/block/dm-0/ssdcache'"
reports_are yes "UBSAN: shift-out-of-bounds in dm-ssdcache/engine/write.c:5:10"
reports_are yes "kmemleak: 2 new suspected memory leaks (see /sys/kernel/debug/kmemleak)"
reports_are yes "Kernel panic - not syncing: Attempted to kill init! exitcode=0x00007f00"
reports_are yes "list_add corruption. prev->next should be next (0), but was 1."

reports_are no
# A busy host causes them.
reports_are no "watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [kworker/0:1:12]"
reports_are no "BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 30s!"
reports_are no "device-mapper: ssdcache: 253:0: errors of the origin: [#3] is no key" "ssdcache-test: two caches (debug)"
# A guest that boots again
reports_are no "Linux version 6.1.0-56-amd64" "BUG: of the next boot" "ssdcache: command starts"
reports_are yes "Linux version 6.1.0-56-amd64" "ssdcache: command starts" "kernel BUG at mm/slub.c:379!"
[ $failures = 0 ]
