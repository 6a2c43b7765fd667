#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: load the module; create, write, read and remove a cache; unload the module
# lane: uml-debug vm-6.1 vm-6.12 vm-newest

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

write_and_read() {
	make_nullb 64
	make_cache c0 "$NULLB" dram 1m
	blkio write /dev/mapper/c0 0 4m 1 64k
	blkio check /dev/mapper/c0 0 4m 1
	wait_quiescent c0
	expect_stat c0 writes -eq 64
	expect_stat c0 write_bytes -eq $((4 << 20))
	expect_stat c0 dirty -le 256
	dmsetup remove c0
	blkio check "$NULLB" 0 4m 1
}

# Creating a device of a target that the kernel does not know loads the module, by its name or an alias.
loads_by_name() {
	make_nullb 16
	read -r kernels_modprobe </proc/sys/kernel/modprobe
	{
		modinfo -F name "$SSDCACHE_KO"
		modinfo -F alias "$SSDCACHE_KO"
	} | tr - _ >"$scratch/names"
	cat >"$scratch/modprobe" <<-SCRIPT
		#!/bin/bash
		! grep -qFx -f "$scratch/names" <(tr - _ <<<"\${!#}") || exec insmod "$SSDCACHE_KO"
	SCRIPT
	chmod +x "$scratch/modprobe"
	echo "$scratch/modprobe" >/proc/sys/kernel/modprobe
	unload_module
	make_cache c0 "$NULLB" dram 1m
	dmsetup remove c0
	unload_module
	make_flash f0 "$NULLB" 16384 profile s002
	echo "$kernels_modprobe" >/proc/sys/kernel/modprobe
}

run_test "data get through a cache to its origin" write_and_read
run_test "each target loads the module" loads_by_name
module_loaded || load_module
