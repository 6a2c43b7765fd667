#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Smoke test of the lab itself: builds a small device-mapper target for each kernel, runs it in each kind of guest, and
# checks that errors in a guest are reported. Takes about five minutes without KVM once the kernels are there. Prints TAP.

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../tap.sh
. "$SSDCACHE_LAB/tap.sh"

need dmsetup dmsetup
work=$(mktemp -d "$SSDCACHE_CACHE/smoke.XXXXXX")
trap 'rm -rf "$work"' EXIT

# check TEXT STATUS COMMAND...: one test; COMMAND must end with STATUS
check() {
	local text=$1 wanted=$2 start=$SECONDS status=0

	shift 2
	start_group "$@" </dev/null >"$work/log" 2>&1
	wait $! || status=$?
	groups=()
	if [ "$status" = "$wanted" ]; then
		tap_ok "$text ($((SECONDS - start)) s)"
	elif [ "$status" = 3 ]; then
		tap_skip "$text" "$(tail -n 1 "$work/log")"
	else
		tap_not_ok "$text: status $status instead of $wanted" "$work/log"
	fi
}

cat >"$work/dm-smoke.c" <<'SOURCE'
// SPDX-License-Identifier: GPL-2.0
#include <linux/device-mapper.h>
#include <linux/module.h>
#include <linux/slab.h>

static bool broken, dies;
module_param(broken, bool, 0600);
module_param(dies, bool, 0);

static int smoke_ctr(struct dm_target *ti, unsigned int argc, char **argv)
{
	/* A write past its end, which KASAN has to report. */
	volatile char *p = kmalloc(10, GFP_KERNEL);

	if (p && broken)
		p[12] = 1;
	kfree((void *)p);
	WARN_ON(broken);
	return 0;
}

static int smoke_map(struct dm_target *ti, struct bio *bio)
{
	zero_fill_bio(bio);
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

static struct target_type smoke = {
	.name = "smoke",
	.version = { 1, 0, 0 },
	.module = THIS_MODULE,
	.ctr = smoke_ctr,
	.map = smoke_map,
};

static int __init smoke_init(void)
{
	BUG_ON(dies);
	return dm_register_target(&smoke);
}
module_init(smoke_init);

static void __exit smoke_exit(void)
{
	dm_unregister_target(&smoke);
}
module_exit(smoke_exit);

MODULE_DESCRIPTION("Smoke test of the lab");
MODULE_LICENSE("GPL");
SOURCE

# build NAME KERNEL.SH-ARGUMENT...: builds the module in $work/NAME
# shellcheck disable=SC2317 # called by check
build() {
	local dir=$work/$1 kernel arguments=()

	shift
	kernel=$("$SSDCACHE_LAB/kernel.sh" "$@") || return
	[ "$1" != uml ] || arguments+=(ARCH=um)
	mkdir "$dir" && cp "$work/dm-smoke.c" "$dir" && echo 'obj-m := dm-smoke.o' >"$dir/Makefile" &&
		make -C "$kernel" M="$dir" "${arguments[@]}" modules
}

# The guest's script. Its status, 7, must come out.
cat >"$work/use" <<'USE'
dmsetup create smoke --table "0 2048 smoke"
[ "$(head -c 4096 /dev/mapper/smoke | tr -d '\0' | wc -c)" = 0 ]
dmsetup remove smoke
rmmod dm-smoke
exit 7
USE
use=(-- bash -e "$work/use")

cd "$work" || die "cannot enter $work"
for series in 6.1 6.12 newest; do
	check "module for Linux $series" 0 build "$series" headers "$series"
done
check "module for UML" 0 build uml uml
check "module for UML, debug" 0 build uml-debug uml --debug

check "UML" 7 "$SSDCACHE_LAB/uml.sh" --module uml/dm-smoke.ko "${use[@]}"
check "UML, debug" 7 "$SSDCACHE_LAB/uml.sh" --debug --module uml-debug/dm-smoke.ko "${use[@]}"
check "UML, a day of virtual time" 0 "$SSDCACHE_LAB/uml.sh" --time-travel -- sleep 86400
# shellcheck disable=SC2016 # expanded in the guest
check "UML, a report of the kernel" 99 "$SSDCACHE_LAB/uml.sh" --debug --module uml-debug/dm-smoke.ko -- \
	bash -c 'echo 1 >/sys/module/dm_smoke/parameters/broken; dmsetup create smoke --table "0 2048 smoke"'
check "UML, timeout" 124 "$SSDCACHE_LAB/uml.sh" --timeout 6 -- sleep 1000

for series in 6.1 6.12 newest; do
	check "QEMU, Linux $series" 7 "$SSDCACHE_LAB/vm.sh" --kernel "$series" --module "$series/dm-smoke.ko" "${use[@]}"
done
check "QEMU, instructions as time" 7 "$SSDCACHE_LAB/vm.sh" --icount --module 6.1/dm-smoke.ko "${use[@]}"
truncate -s 1M "$work/disk"
# shellcheck disable=SC2016 # expanded in the guest
check "QEMU, disks, modules and results" 0 "$SSDCACHE_LAB/vm.sh" --disk "$work/disk" --out "$work/out" -- \
	bash -ec 'modprobe -a dm-cache null_blk brd dm-flakey dm-log-writes dm-zoned; blockdev --getsize64 /dev/vda >$SSDCACHE_OUT/size'
check "QEMU, results outside" 0 grep -qx 1048576 "$work/out/size"
check "QEMU, Linux 6.1, a BUG that ends a process as it should fail" 99 "$SSDCACHE_LAB/vm.sh" -- bash -c 'modprobe dm-mod; ! insmod 6.1/dm-smoke.ko dies=1'
check "QEMU, a panic" 99 "$SSDCACHE_LAB/vm.sh" -- bash -c 'echo c >/proc/sysrq-trigger'
# The first process does not exist.
# shellcheck disable=SC2317 # called by check
boot_twice() {
	local status=0

	"$SSDCACHE_LAB/vm.sh" --append INIT=/none -- true 2>"$work/tries" || status=$?
	cat "$work/tries"
	[ "$status" = 98 ] && grep -q "trying again" "$work/tries"
}
check "QEMU, a panic before the command is tried again" 0 boot_twice
tap_end
