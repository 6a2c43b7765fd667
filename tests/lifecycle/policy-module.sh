#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: a policy in its own module: it is found, used and replaced, and cannot be unloaded while in use
# lane: uml-debug
# extra: samples/policy

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

mru=$SSDCACHE_EXTRA/ssdcache-mru.ko
read -r kernels_modprobe </proc/sys/kernel/modprobe

# modprobe_is LINE...: the script that the kernel runs to load a module
modprobe_is() {
	printf '%s\n' '#!/bin/bash' "$@" >"$scratch/modprobe"
	chmod +x "$scratch/modprobe"
	echo "$scratch/modprobe" >/proc/sys/kernel/modprobe
}

mru_loaded() {
	grep -q '^ssdcache_mru ' /proc/modules
}

setup() {
	make_nullb 16
	echo "$kernels_modprobe" >/proc/sys/kernel/modprobe
}

by_hand() {
	setup
	log_mark
	expect_fail make_cache c0 "$NULLB" dram 64k replacement mru
	expect_log 'replacement: "mru" is not one of '
	insmod "$mru"
	make_cache c0 "$NULLB" dram 64k replacement mru:keep=2
	dm_dir c0
	grep -q "^mru	textbook	a sample	" "$DM_DIR/ssdcache/available_replacement"
	# Pages 0 to 15 fill the tier. mru evicts the most recently used page, except the two newest: page 13.
	blkio write /dev/mapper/c0 0 64k 1
	blkio write /dev/mapper/c0 1m 4k 2
	expect_stat c0 evicted_pages -eq 1
	expect_value c0 stats/replacement/passed_over 2
	blkio check "$NULLB" 52k 4k 1 8k 0
	expect_fail rmmod ssdcache_mru
	put c0 params/replacement/keep 0
	put c0 replacement lru
	rmmod ssdcache_mru
	expect_fail cat "$DM_DIR/ssdcache/stats/replacement/mru_list"
	expect_fail put c0 replacement mru
	blkio check /dev/mapper/c0 0 64k 1
}

# A name in a table line loads the module.
by_name() {
	setup
	modprobe_is "[ \"\${!#}\" != ssdcache-mru ] || exec insmod $mru"
	make_cache c0 "$NULLB" dram 64k replacement mru
	mru_loaded
	blkio write /dev/mapper/c0 0 256k 1
	blkio check /dev/mapper/c0 0 256k 1
	expect_fail rmmod ssdcache_mru
	dmsetup remove c0
	rmmod ssdcache_mru
	blkio check "$NULLB" 0 256k 1
}

# A change waits for its module while the table is replaced: it changes the old cache, and is not visible.
change_of_a_table_that_goes() {
	local store

	setup
	make_cache c0 "$NULLB" dram 64k replacement cflru
	modprobe_is ": >$scratch/asked" "until [ -e $scratch/go ]; do sleep 0.1; done" "exec insmod $mru"
	put c0 replacement mru &
	store=$!
	until [ -e "$scratch/asked" ]; do
		pause 0.05
	done
	table "$NULLB" dram 128k replacement cflru-ef
	dmsetup reload c0 --table "$TABLE"
	dmsetup resume c0 &
	until [ "$(dmsetup info -c --noheadings -o tables_loaded c0)" = Live ]; do
		pause 0.1
	done
	: >"$scratch/go"
	wait "$store"
	wait
	expect_value c0 dram_bytes 131072
	expect_value c0 replacement cflru-ef
	dm_dir c0
	[ -e "$DM_DIR/ssdcache/params/replacement/threshold" ]
	[ ! -e "$DM_DIR/ssdcache/stats/replacement/mru_list" ]
	rmmod ssdcache_mru
	cat "$DM_DIR/ssdcache/stats/replacement/"*
}

# store_failing N SPEC: the Nth allocation of the change fails. False once the change has fewer.
store_failing() {
	(
		echo "$1" >"/proc/self/task/$BASHPID/fail-nth"
		echo "$2" >"$DM_DIR/ssdcache/replacement" || :
		read -r left <"/proc/self/task/$BASHPID/fail-nth"
		echo 0 >"/proc/self/task/$BASHPID/fail-nth"
		[ "$left" = 0 ]
	) 2>>"$scratch/refused"
}

# A directory that shows the module's tables goes with the policy, even if its successor, or another one, cannot be made.
directories_that_cannot_be_made() {
	local dir n lacking=0

	[ -d /sys/kernel/debug/failslab ] || skip "this kernel has no fault injection"
	echo 0 >/sys/kernel/debug/failslab/verbose
	echo N >/sys/kernel/debug/failslab/ignore-gfp-wait
	setup
	insmod "$mru"
	make_cache c0 "$NULLB" dram 64k replacement mru:keep=2
	dm_dir c0
	dir=$DM_DIR/ssdcache
	for ((n = 1; n < 1000; n++)); do
		store_failing $n lru || break
		if [ "$(<"$dir/replacement")" = lru ]; then
			[ ! -e "$dir/params/replacement/keep" ]
			[ ! -e "$dir/stats/replacement/mru_list" ]
			[ -d "$dir/params/replacement" ] && [ -d "$dir/stats/replacement" ] || lacking=$((lacking + 1))
		fi
		put c0 replacement mru:keep=2
		[ -e "$dir/params/replacement/keep" ]
		[ -e "$dir/stats/replacement/mru_list" ]
	done
	expect "allocations of a change" "$n" -gt 5
	expect "changes with a directory that could not be made" "$lacking" -ge 2
	expect_value c0 replacement lru
	rmmod ssdcache_mru
}

run_test "loaded by hand" by_hand
run_test "loaded by name" by_name
run_test "a directory cannot be made" directories_that_cannot_be_made
run_test "a change that ends after its table was replaced" change_of_a_table_that_goes
echo "$kernels_modprobe" >/proc/sys/kernel/modprobe
