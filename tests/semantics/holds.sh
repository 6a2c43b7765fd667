#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: how long the cache's lock is held, and by whom: the module parameter holds, stats/holds in sysfs
# lane: uml-debug
# long: vm-6.12 vm-kcsan

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

parameter=/sys/module/dm_ssdcache/parameters/holds
holders="read write flush discard read_ended page_ended forward_ended next_ready next_io background message statistics"

# sum FILE: prints the sum of a row
sum() {
	local number total=0

	for number in $(show c0 "stats/holds/$1"); do
		total=$((total + number))
	done
	echo "$total"
}

off_counts_nothing() {
	make_nullb 16
	make_cache c0 "$NULLB" dram 1m
	expect_eq "parameter" "$(<"$parameter")" N
	blkio write /dev/mapper/c0 0 64k 1
	expect_value c0 stats/holds/count 0
	expect_value c0 stats/holds/write "0 0"
	expect_value c0 stats/holds/longest "0 none"
}

# The rows agree with each other, whatever has happened.
agree() {
	local name nr longest by total=0 most=0 last=0 i=0

	for name in $holders; do
		read -r nr longest < <(show c0 "stats/holds/$name")
		total=$((total + nr))
		if [ "$longest" -gt "$most" ]; then
			most=$longest
		fi
	done
	expect_eq "holds by all" "$total" "$(show c0 stats/holds/count)"
	expect_eq "holds in the histogram" "$(sum histogram)" "$total"
	read -r longest by < <(show c0 stats/holds/longest)
	expect_eq "longest hold" "$longest" "$most"
	read -r nr nr < <(show c0 "stats/holds/$by")
	expect_eq "longest hold by $by" "$nr" "$most"
	for nr in $(show c0 stats/holds/histogram); do
		[ "$nr" = 0 ] || last=$i
		i=$((i + 1))
	done
	expect "longest hold, of the last bucket" "$most" -ge $((1 << (last - 1)))
	expect "longest hold, of the last bucket" "$most" -lt $((1 << last))
}

on_counts() {
	local nr total name

	make_nullb 16 discard=1
	make_cache c0 "$NULLB" dram 256k
	echo 1 >"$parameter"
	blkio write /dev/mapper/c0 0 512k 1 4k
	blkio check /dev/mapper/c0 0 512k 1 4k
	blkio flush /dev/mapper/c0
	blkio discard /dev/mapper/c0 0 64k
	message c0 drop_clean
	wait_quiescent c0
	show c0 stats/reads >/dev/null
	# Statistics that are read count, too: stop before the rows are compared.
	echo 0 >"$parameter"
	# A hit takes the lock twice.
	read -r nr _ < <(show c0 stats/holds/write)
	expect "holds by 128 writes" "$nr" -ge 256
	read -r nr _ < <(show c0 stats/holds/read_ended)
	expect "holds by reads that ended" "$nr" -ge 1
	for name in read flush discard page_ended forward_ended next_ready next_io background message statistics; do
		read -r nr _ < <(show c0 "stats/holds/$name")
		expect "holds by $name" "$nr" -ge 1
	done
	agree
	# Off: numbers stay.
	total=$(show c0 stats/holds/count)
	blkio write /dev/mapper/c0 0 64k 2
	expect_value c0 stats/holds/count "$total"
	message c0 reset_stats
	expect_value c0 stats/holds/count 0
	expect_value c0 stats/holds/longest "0 none"
	# On again: they begin anew.
	echo Y >"$parameter"
	blkio write /dev/mapper/c0 0 64k 3
	echo N >"$parameter"
	agree
	expect "holds by a write" "$(show c0 stats/holds/count)" -lt "$total"
}

# The parameter changes under load. A hold that began before is not counted as one since then.
toggled() {
	local load

	make_nullb 16
	make_cache c0 "$NULLB" dram 256k
	until [ -e "$scratch/stop" ]; do
		burst /dev/mapper/c0 1000 4096 8388608
	done &
	load=$!
	for _ in {1..8}; do
		kill -0 "$load"
		echo 1 >"$parameter"
		blkio write /dev/mapper/c0 8m 4k 1
		echo 0 >"$parameter"
		agree
	done
	all_end "$load"
}

refused() {
	expect_fail sh -c "echo maybe >$parameter"
	expect_eq "parameter" "$(<"$parameter")" N
}

run_test "off: nothing is counted" off_counts_nothing
run_test "on: who holds the lock how long" on_counts
run_test "switched on and off under load" toggled
run_test "a word that is neither yes nor no is refused" refused
