#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: allocations of create, resume, reload, message and suspend fail, once or from one on: a reason, no leak
# lane: uml-debug
# timeout: 1800
# kmemleak: yes

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

setup_faults() {
	need_faults
	# Linux 6.1 leaks a name when it cannot show a new slab in sysfs, so create the slabs of bios first.
	make_nullb 16
	make_cache other "$NULLB" dram 64k
	make_nullb 16
	make_flash other-flash "$NULLB" 16384 profile s002 blocks 0
	make_nullb 16
}

# In the mode fail, one allocation of a request fails, and kvmalloc() may find its memory by vmalloc(). In the mode
# drought, all that follow it fail, too, also those of the way back.
mode=fail

# faults REQUEST: repeat the request with each of its allocations failing; the answers are in $scratch/failed
faults() {
	local status=0

	[ "$mode" != drought ] || faults_on 100
	dm-batch <<<"$mode $*" >"$scratch/failed" || status=$?
	[ "$mode" != drought ] || faults_off
	expect "status of dm-batch" "$status" -eq 0
	expect "requests" "$(wc -l <"$scratch/failed")" -ge 3
	if grep '^-E' "$scratch/failed"; then
		fail "the request failed, but no allocation did"
	fi
}

# refusals TARGET: print how many requests the target refused
refusals() {
	grep -cE "^\+E.*$1: " "$scratch/failed" || :
}

# reasons LEAST [TARGET]: the target (ssdcache) refused at least LEAST requests, each with a reason
reasons() {
	local target=${2-ssdcache}

	sort "$scratch/failed" | uniq -c | sort -rn
	if grep -E "$target: *(\(|\$)|Unknown error|$target: [0-9]+:[0-9]+: *\$" "$scratch/failed"; then
		fail "no reason is given"
	fi
	expect "requests that $target refused" "$(refusals "$target")" -ge "$1"
	if grep -E '^\+E' "$scratch/failed" | grep -vE '^\+E(NOMEM|INVAL|BUSY)'; then
		fail "an odd error"
	fi
}

creates() {
	setup_faults
	faults "try c0 0 32768 ssdcache $NULLB $*"
	reasons 25
	expect_fail dmsetup info c0
	blkio write "$NULLB" 0 4k 1
	make_cache c0 "$NULLB" dram 64k
}

reloads() {
	setup_faults
	make_cache c0 "$NULLB" dram 64k
	blkio write /dev/mapper/c0 0 64k 1
	faults "load c0 0 32768 ssdcache $NULLB 2 dram 128k"
	reasons 25
	expect_stat c0 dirty -eq 16
	expect_value c0 frames 16
	blkio check /dev/mapper/c0 0 64k 1
}

# Allocations of the first resume. After a failure the next try succeeds.
resumes() {
	setup_faults
	table "$NULLB" dram 64k replacement cflru
	dm-batch <<<"prepare c0 $TABLE"
	faults "resume c0 (resume c0;status c0;remove c0;prepare c0 $TABLE)"
	expect "resumes that failed" "$(grep -c '^+E' "$scratch/failed")" -ge 10
}

# A resume of ssdflash makes hundreds of allocations, and a new device takes much longer than one of ssdcache.
sparse() {
	[ "$mode" != fail ] || [ -n "${SSDC_LONG-}" ] || mode=fail/12
}

# Create and first resume of ssdflash.
flash() {
	local table

	setup_faults
	table="0 16384 ssdflash $NULLB 4 profile s002 blocks 0"
	faults "try f0 $table"
	# It has few allocations, and one may not get its turn, as in messages().
	[ "$(refusals ssdflash)" -ge 5 ] || faults "try f0 $table"
	reasons 5 ssdflash
	sparse
	dm-batch <<<"prepare f0 $table"
	faults "resume f0 (resume f0;status f0;remove f0;prepare f0 $table)"
	expect "resumes that failed" "$(grep -c '^+E' "$scratch/failed")" -ge 10
	dmsetup resume f0
	expect_value f0 profile s002
	expect_value f0 stats/channel_busy_ns/3 0
}

# Create and first resume of ssdflash on a zoned origin, whose first resume also starts the log.
zoned() {
	local table

	setup_faults
	make_nullb 64 zoned=1 zone_size=1
	table="0 65536 ssdflash $NULLB 10 channels 2 chips 1 dies 1 page_bytes 4096 over_provisioning 40"
	# A thousand pages are allocated each time. Not each of them fails.
	if [ -n "${SSDC_LONG-}" ]; then
		echo 1 >/sys/kernel/debug/fail_page_alloc/min-order
		faults "try f0 $table"
		reasons 5 ssdflash
		echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
	fi
	sparse
	dm-batch <<<"prepare f0 $table"
	faults "resume f0 (resume f0;status f0;remove f0;prepare f0 $table)"
	expect "resumes that failed" "$(grep -c '^+E' "$scratch/failed")" -ge 10
	dmsetup resume f0
	blkio write /dev/mapper/f0 0 64k 1
	blkio check /dev/mapper/f0 0 64k 1
}

messages() {
	setup_faults
	make_cache c0 "$NULLB" "$@"
	blkio write /dev/mapper/c0 0 64k 1
	# The policy makes two allocations. If the slab allocator needs a new slab just then, that allocation fails instead, and
	# one of the two is left out: try again.
	for _ in 1 2 3 4; do
		faults "message c0 replacement cflru (message c0 replacement cflru;message c0 replacement lru)"
		! grep -E '^\+E.*ssdcache: .*no memory' "$scratch/failed" || break
	done
	grep -qE '^\+E.*ssdcache: .*no memory' "$scratch/failed"
	# The pages stay, and the files are back.
	expect_stat c0 dirty -eq 16
	message c0 replacement cflru
	expect_value c0 params/replacement/window 50
	blkio check /dev/mapper/c0 0 64k 1
}

# A choice that cannot begin leaves all as it was.
begins_choice() {
	setup_faults
	make_cache c0 "$NULLB" dram 64k replacement cflru
	blkio write /dev/mapper/c0 0 64k 1
	faults "message c0 replacement auto:candidates=fifo (message c0 replacement auto:candidates=fifo;message c0 replacement cflru)"
	reasons 15
	expect_stat c0 dirty -eq 16
	expect_value c0 replacement cflru
	expect_value c0 auto off
	blkio check /dev/mapper/c0 0 64k 1
}

# Every plug-in of a kind, with no memory from some allocation on: it is refused with a reason, or it is set and works: an
# allocation whose failure is ignored shows when the plug-in is used.
plugins() {
	local kind=$1 other=$2 least=$3 plugin refused=0

	setup_faults
	make_cache c0 "$NULLB" dram 64k admission read-write
	blkio write /dev/mapper/c0 0 64k 1
	names_of c0 "$kind"
	mode=drought
	for plugin in "${NAMES[@]}"; do
		[ "$plugin" != "$other" ] || continue
		echo "$plugin:"
		faults "message c0 $kind $plugin (io c0;message c0 $kind $other)"
		reasons 0
		[ "$(refusals ssdcache)" = 0 ] || refused=$((refused + 1))
	done
	expect "plug-ins that were refused" "$refused" -ge "$least"
	message c0 "$kind" "$plugin"
	blkio write /dev/mapper/c0 4k 4k 2
	blkio check /dev/mapper/c0 0 4k 1 4k 2 56k 1
	dmsetup remove c0
	blkio check "$NULLB" 0 4k 1 4k 2 56k 1
}

# The resume that puts a new table in the place of the old one, which may hand over pages that it could not write. It keeps
# the files in sysfs, so it allocates little, and most failures are those of directories that are left out.
new_table_resumes() {
	local table

	setup_faults
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 64k retry_ms 20
	blkio write /dev/mapper/c0 0 64k 1
	[ "$1" = flushed ] || swap_table origin "0 32768 error"
	table="0 32768 ssdcache /dev/mapper/origin 4 dram 64k retry_ms 20"
	dm-batch <<<"reload c0 $table"
	faults "resume c0 (resume c0;status c0;reload c0 $table)"
	sort "$scratch/failed" | uniq -c
	if grep -E '^\+E' "$scratch/failed" | grep -v '^+ENOMEM'; then
		fail "an odd error"
	fi
	dmsetup clear c0
	[ "$1" = flushed ] || expect_stat c0 dirty -eq 16
	blkio check /dev/mapper/c0 0 64k 1
	[ "$1" = flushed ] || swap_table origin "0 32768 linear $NULLB 0"
	message c0 flush
	blkio check "$NULLB" 0 64k 1
}

# Files of several kinds.
reads_sysfs() {
	local file

	setup_faults
	make_cache c0 "$NULLB" dram 64k
	make_nullb 16
	make_flash f0 "$NULLB" 16384 profile s002 blocks 0
	target_dir c0
	files=("$TARGET_DIR"/{state,available_replacement,stats/dirty,stats/read_latency_us,params/dram})
	target_dir f0
	for file in "${files[@]}" "$TARGET_DIR"/stats/*; do
		[ -f "$file" ] || continue
		cat "$file" >"$scratch/want"
		faults "read $file"
		if grep '^+E' "$scratch/failed" | grep -v '^+ENOMEM'; then
			fail "an odd error"
		fi
		cmp "$file" "$scratch/want"
	done
}

# A suspend that lacks memory flushes all dirty pages, at the latest on the next try.
suspends() {
	local n

	setup_faults
	make_cache c0 "$NULLB" dram 64k dram_mode protected
	for n in 1 2 3; do
		blkio write /dev/mapper/c0 0 64k "$n"
		faults "suspend c0 (suspend c0;resume c0)"
		blkio check "$NULLB" 0 64k "$n"
	done
}

# Several faults: every N-th allocation fails.
shaky() {
	local kind interval

	setup_faults
	for kind in failslab fail_page_alloc; do
		echo Y >"/sys/kernel/debug/$kind/task-filter"
		echo 100 >"/sys/kernel/debug/$kind/probability"
		echo -1 >"/sys/kernel/debug/$kind/times"
	done
	for interval in 1 2 3 5 7 11 13 17 19 23 29 31 37 41 43 47 53 59 61 67 71 73 79 83 89 97; do
		for kind in failslab fail_page_alloc; do
			echo "$interval" >"/sys/kernel/debug/$kind/interval"
		done
		dm-batch <<<"shaky try c0 0 32768 ssdcache $NULLB 4 dram 64k replacement lfu"
	done >"$scratch/failed"
	sort "$scratch/failed" | uniq -c
	expect "tables that failed" "$(grep -c '^E' "$scratch/failed")" -ge 10
	if grep -E 'ssdcache: *(\(|$)|Unknown error' "$scratch/failed"; then
		fail "no reason is given"
	fi
	for kind in failslab fail_page_alloc; do
		echo 0 >"/sys/kernel/debug/$kind/probability"
		echo N >"/sys/kernel/debug/$kind/task-filter"
	done
	make_cache c0 "$NULLB" dram 64k
}

run_test "create, lru" creates "2 dram 64k"
run_test "create, other plug-ins, pages of 8k" creates "8 dram 128k page 8k replacement cflru-ef-sc:threshold=5 admission read-write"
run_test "create, shards" creates "6 dram 192k shards 3 replacement req-block"
run_test "create, a policy that allocates memory" creates "4 dram 128k replacement req-block"
run_test "create, a policy with a graph" creates "4 dram 128k replacement vs-batch-plus"
run_test "create, an admission scheme that allocates memory" creates "4 dram 128k admission l-corw"
run_test "reload" reloads
run_test "the first resume" resumes
run_test "create and first resume of ssdflash" flash
run_test "create and first resume of ssdflash on zones" zoned
run_test "change of the replacement policy" messages dram 64k
run_test "change of the replacement policy, shards" messages dram 192k shards 3
run_test "create, auto" creates "4 dram 64k replacement auto:candidates=fifo"
run_test "change to auto" begins_choice
run_test "the resume of a reload" new_table_resumes flushed
run_test "suspend" suspends
run_test "change to each prefetcher, drought" plugins prefetch none 4
mode=drought
run_test "create, a policy with a graph, drought" creates "4 dram 128k replacement vs-batch-plus"
run_test "change to auto, drought" begins_choice
run_test "create, a prefetcher, drought" creates "6 dram 128k admission read-write prefetch pattern-plus"
if [ -n "${SSDC_LONG-}" ]; then
	run_test "create, auto, drought" creates "4 dram 64k replacement auto:candidates=fifo"
	run_test "change to each policy, drought" plugins replacement lru 5
	run_test "change to each scheme, drought" plugins admission read-write 1
	run_test "the first resume, drought" resumes
	run_test "the resume of a reload that takes over dirty pages, drought" new_table_resumes kept
	run_test "create and first resume of ssdflash, drought" flash
	run_test "suspend, drought" suspends
fi
mode=fail
run_test "the resume of a reload that takes over dirty pages" new_table_resumes kept
if [ -n "${SSDC_LONG-}" ]; then
	run_test "reading sysfs" reads_sysfs
fi
run_test "create, many faults" shaky
