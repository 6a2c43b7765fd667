#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: REQ_PREFLUSH and REQ_FUA with volatile and with protected DRAM
# lane: uml-debug
# long: uml vm-6.1 vm-6.12 vm-newest vm-kcsan

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# The origin has a volatile cache, so that it gets FLUSH requests. Requests of cache and origin are traced.
setup() {
	make_nullb 16 cache_size=1
	make_cache c0 "$NULLB" dram 1m "$@"
	trace_start ssdcache:ssdcache_request ssdcache:ssdcache_complete block:block_rq_issue block:block_rq_complete
}

# The first and last line of the trace that match, as "first last"; "0 0" if none does.
lines() {
	grep -nE "$1" "$scratch/trace" | awk -F: 'NR == 1 { first = $1 } { last = $1 } END { print first + 0, last + 0 }'
}

# ordered WHAT BEFORE AFTER: both match lines, and all that match BEFORE precede all that match AFTER
ordered() {
	local before after

	before=$(lines "$2")
	after=$(lines "$3")
	if [ "${before% *}" = 0 ] || [ "${after% *}" = 0 ] || [ "${before#* }" -ge "${after% *}" ]; then
		cat "$scratch/trace"
		fail "$1: '$2' in lines $before, '$3' in lines $after"
	fi
}

none_of() {
	! grep -E "$1" "$scratch/trace" || fail "should not be: $1"
}

preflush_volatile() {
	setup
	blkio write /dev/mapper/c0 0 256k 1 16k
	blkio write /dev/mapper/c0 1m 512 2
	expect_stat c0 dirty -eq 65
	blkio flush /dev/mapper/c0
	expect_stat c0 dirty -eq 0
	trace_stop >"$scratch/trace"
	blkio check "$NULLB" 0 256k 1
	blkio check "$NULLB" 1m 512 2
	expect_stat c0 forced_flushed -eq 65
	expect_stat c0 flushes -eq 1
	ordered "pages before the origin's FLUSH" 'block_rq_complete.* W[^ ]* .* \+ [1-9]' 'block_rq_issue.* FF? '
	ordered "the origin's FLUSH before its end" 'block_rq_issue.* FF? ' 'block_rq_complete.* FF? '
	ordered "the origin's FLUSH before the host's" 'block_rq_complete.* FF? ' 'ssdcache_complete: .* flush '
}

preflush_protected() {
	setup dram_mode protected
	blkio write /dev/mapper/c0 0 256k 1 16k
	blkio flush /dev/mapper/c0
	expect_stat c0 dirty -eq 64
	expect_stat c0 flushes -eq 1
	trace_stop >"$scratch/trace"
	none_of 'block_rq_issue'
	blkio check "$NULLB" 0 256k 0
	blkio check /dev/mapper/c0 0 256k 1
	# A suspend flushes all the same.
	dmsetup suspend c0
	expect_stat c0 dirty -eq 0
	dmsetup resume c0
	blkio check "$NULLB" 0 256k 1
}

# A FLUSH without dirty pages must reach the origin, whose cache may hold pages that were flushed earlier.
preflush_of_evicted() {
	setup
	blkio write /dev/mapper/c0 0 64k 1
	message c0 flush
	expect_stat c0 dirty -eq 0
	trace_start block:block_rq_issue
	blkio flush /dev/mapper/c0
	trace_stop >"$scratch/trace"
	grep -qE 'block_rq_issue.* FF? ' "$scratch/trace"
}

# A FLUSH while the origin does not answer must not complete.
preflush_waits() {
	local flush

	make_nullb 16
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 1m
	blkio write /dev/mapper/c0 0 64k 1
	hold origin
	blkio flush /dev/mapper/c0 &
	flush=$!
	wait_stat c0 flushing -eq 16
	sleep 0.3
	kill -0 "$flush"
	# A write after the FLUSH is neither lost nor waited for.
	blkio write /dev/mapper/c0 1m 64k 2
	release origin
	wait "$flush"
	blkio check "$NULLB" 0 64k 1
	blkio check /dev/mapper/c0 1m 64k 2
}

many_flushes() {
	local i pids=()

	setup
	for i in 1 2 3 4 5 6 7 8; do
		{
			blkio write /dev/mapper/c0 "${i}m" 32k "$i"
			blkio flush /dev/mapper/c0
			blkio check "$NULLB" "${i}m" 32k "$i"
		} &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i"
	done
	expect_stat c0 flushes -eq 8
}

# RWF_DSYNC is a write with FUA followed by a FLUSH. When the write ends, its pages must be on the origin.
fua_volatile() {
	setup
	blkio write /dev/mapper/c0 1m 64k 1
	blkio fua /dev/mapper/c0 0 8k 2
	trace_stop >"$scratch/trace"
	expect_stat c0 fua_writes -eq 1
	sed -i '/ssdcache_request.* flush /,$d' "$scratch/trace"
	ordered "FUA's pages before its end" 'block_rq_complete.* W[^ ]* .* 0 \+ 16 ' 'ssdcache_complete: .* write 0 \+ 16,'
	ordered "origin's FLUSH or FUA before its end" 'block_rq_complete.* (FF?|FW[^ ]*|W[^ ]*F[^ ]*) ' \
		'ssdcache_complete: .* write 0 \+ 16,'
	# FUA flushes no other pages.
	none_of 'block_rq_issue.* 2[0-9][0-9][0-9] \+ '
	blkio check "$NULLB" 0 8k 2
}

fua_protected() {
	setup dram_mode protected
	blkio fua /dev/mapper/c0 0 8k 2
	trace_stop >"$scratch/trace"
	expect_stat c0 fua_writes -eq 1
	expect_stat c0 dirty -eq 2
	none_of 'block_rq_issue'
	blkio check "$NULLB" 0 8k 0
}

# After a change from protected to volatile, the next FLUSH writes the pages that earlier ones did not.
mode_change() {
	setup dram_mode protected
	blkio write /dev/mapper/c0 0 64k 1
	blkio flush /dev/mapper/c0
	blkio check "$NULLB" 0 64k 0
	message c0 set dram_mode volatile
	blkio flush /dev/mapper/c0
	blkio check "$NULLB" 0 64k 1
}

run_test "PREFLUSH, volatile: all pages, then the origin's cache, then it completes" preflush_volatile
run_test "PREFLUSH, protected: completes at once, nothing is written" preflush_protected
run_test "PREFLUSH with nothing dirty flushes the origin" preflush_of_evicted
run_test "PREFLUSH does not complete before the origin" preflush_waits
run_test "many concurrent FLUSH requests" many_flushes
run_test "FUA, volatile: its pages and no others are on stable media before it completes" fua_volatile
run_test "FUA, protected: completes in DRAM" fua_protected
run_test "FLUSH after dram_mode changed to volatile" mode_change
