#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: data acknowledged by FLUSH or FUA survive a crash at any later moment, for every policy
# lane: uml
# long: uml-debug vm-6.12

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

requests=1500
[ -z "${SSDC_LONG-}" ] || requests=20000

# setup WORD...: a cache on a log-writes device, which logs everything that reaches the media of the origin
setup() {
	need_driver log-writes null_blk
	make_nullb 16 discard=1
	origin=$NULLB
	make_nullb 1024
	log=$NULLB
	sectors_of "$origin"
	dmsetup create log --table "0 $SECTORS log-writes $origin $log"
	make_cache c0 /dev/mapper/log "$@"
}

# The log is complete once the devices above it are removed.
close_log() {
	dmsetup remove c0
	dmsetup remove log
	truncate -s 16M "$scratch/replayed"
}

write_and_crash() {
	local seed=$1

	shift
	setup "$@"
	crash-writer --device /dev/mapper/c0 --requests "$requests" --seed "$seed" --reads 20 --fua 4 --flushes 2 \
		--discards 2 --journal "$scratch/journal" --mark log
	close_log
}

# survives SEED WORD...: at each mark, everything acknowledged before it is there
survives() {
	write_and_crash "$@"
	crash-replay --log "$log" --to "$scratch/replayed" --journal "$scratch/journal"
}

# With protected DRAM, crash-replay must find losses. If not, the test finds nothing.
protected_dram_is_lost() {
	write_and_crash 7 dram 2m dram_mode protected
	status=0
	crash-replay --log "$log" --to "$scratch/replayed" --journal "$scratch/journal" >"$scratch/losses" || status=$?
	cat "$scratch/losses"
	expect_eq "exit status of crash-replay" "$status" 1
	grep -q '^lost: mark ' "$scratch/losses"
}

# A FUA write reaches the media without any FLUSH.
fua_alone() {
	setup dram 2m admission read-write
	crash-writer --device /dev/mapper/c0 --requests "$requests" --seed 9 --reads 20 --fua 10 --flushes 0 \
		--journal "$scratch/journal" --mark log
	close_log
	crash-replay --log "$log" --to "$scratch/replayed" --journal "$scratch/journal"
}

# Policies and page sizes change all the time.
survives_switching() {
	local i=0 writer

	setup dram 1m admission read-write
	names_of c0 replacement
	crash-writer --device /dev/mapper/c0 --requests $((4 * requests)) --seed 11 --reads 20 --fua 4 --flushes 2 \
		--journal "$scratch/journal" --mark log &
	writer=$!
	while kill -0 "$writer" 2>/dev/null; do
		put c0 replacement "${NAMES[i % ${#NAMES[@]}]}"
		put c0 admission "$([ $((i % 4)) -lt 2 ] && echo read-write || echo write-buffer)"
		case $((i % 5)) in
		2) message c0 flush ;;
		3) message c0 drop_clean ;;
		4) reload_cache c0 /dev/mapper/log dram "$((1 + i % 3))m" admission read-write page $((4 << (i % 3)))k ;;
		esac
		i=$((i + 1))
	done
	wait "$writer"
	echo "$i changes"
	expect changes "$i" -ge 5
	close_log
	crash-replay --log "$log" --to "$scratch/replayed" --journal "$scratch/journal"
}

run_test "fifo, 4k" survives 1 dram 1m replacement fifo
run_test "lru, 64k" survives 2 dram 4m page 64k replacement lru admission read-write
run_test "lfu, 8k" survives 3 dram 1m page 8k replacement lfu admission read-write
run_test "cflru, 16k" survives 4 dram 2m page 16k replacement cflru admission read-write
run_test "cflru-ef, 4k" survives 5 dram 1m replacement cflru-ef admission read-write
run_test "lru, written through" survives 6 dram 1m admission corw-1:period_ms=10,rar_window=10,cold=1000
run_test "cflru-ef-sc, 32k, periodic flush" survives 8 dram 2m page 32k replacement cflru-ef-sc flush_interval_s 1
run_test "bplru with padding, 4k" survives 7 dram 1m replacement bplru:block=16,padding=on
run_test "vbbms, 8k" survives 8 dram 1m page 8k replacement vbbms admission read-write
for policy in fab req-block vs-batch vs-batch-plus co-active ecr lcr mq-ssd; do
	run_test "$policy, 4k" survives 9 dram 1m replacement $policy admission read-write
done
run_test "with a prefetcher" survives 10 dram 1m admission read-write prefetch rop
run_test "FUA without FLUSH" fua_alone
run_test "changing policies, sizes and page sizes" survives_switching
run_test "losses with protected DRAM are found" protected_dram_is_lost
