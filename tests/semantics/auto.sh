#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: a cache chooses its policies: table, messages, status, sysfs, tracepoint; on, off, suspended, reloaded
# lane: uml-debug
# long: vm-6.12

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

tree=$(cd "$(dirname "$0")/../.." && pwd -P)
ctl=$tree/userspace/build/bin/ssdcachectl
trace_tool=$tree/userspace/build/bin/ssdcache-trace
spec=auto:candidates=lru+lfu,period=100,memory=100

# phase hot|sliding REQUESTS: reads of single pages. "hot": each of 12 pages twice, then 12 other pages once: lfu keeps the 12, lru has
# none of them. "sliding": each page is used again after 8 others: lru has it, lfu keeps the 12.
phase() {
	awk -v phase="$1" -v nr="$2" 'BEGIN {
		print "# ssdcache-trace 1"
		for (i = 0; i < nr; i++) {
			if (phase == "hot")
				page = i % 36 < 24 ? int(i % 36 / 2) : 1000 + i
			else
				page = 2000 + int(i / 2) - (i % 2) * 4
			printf "%d000,R,%d,8,\n", i, page * 8
		}
	}' >"$scratch/$1.csv"
}

# use PHASE REQUESTS [PERIOD]: have the cache read so, with its decision after each period of 100 requests or PERIOD. A period that ended
# before the last decision would have none, as it happens on a busy machine.
use() {
	local part

	phase "$1" "$2"
	rm -f "$scratch/part."*
	# shellcheck disable=SC2016 # for the shell of split
	tail -n +2 "$scratch/$1.csv" | split -l "${3:-100}" -d -a 3 --filter='{ echo "# ssdcache-trace 1"; cat; } >"$FILE"' - "$scratch/part."
	for part in "$scratch/part."*; do
		"$trace_tool" replay --closed --device /dev/mapper/c0 "$part" >/dev/null
		wait_quiescent c0
	done
}

setup() {
	make_nullb 32
	make_cache c0 "$NULLB" dram 64k admission read-write "$@"
}

follows_phases() {
	setup replacement "$spec"
	trace_start ssdcache:ssdcache_decision ssdcache:ssdcache_switch
	use hot 1000
	expect_value c0 replacement lfu
	expect_value c0 stats/auto/live lfu/read-write
	expect_stat c0 auto/requests -eq 1000
	expect_stat c0 auto/switches -eq 1
	expect_stat c0 auto/late -eq 0
	use sliding 1000
	trace_stop >"$scratch/trace"
	expect_value c0 replacement lru
	expect_stat c0 auto/switches -eq 2
	expect_stat c0 auto/periods -eq 20
	expect_stat c0 auto/known -ge 16
	target_dir c0
	expect_eq "decisions" "$(wc -l <"$TARGET_DIR/stats/auto/decisions")" 20
	expect_match "first decision" "$(head -n 1 "$TARGET_DIR/stats/auto/decisions")" '^100 1 0 [01] [0-9]+ [0-9]+$'
	traced "ssdcache_decision: origin [0-9:]+ request 100 from 0 to [01] \((lru|lfu)\) costs \{0x[0-9a-f]+,0x[0-9a-f]+\}"
	expect_eq "decisions traced" "$(grep -c ssdcache_decision "$scratch/trace")" 20
	traced "ssdcache_switch: origin [0-9:]+ replacement lfu"
	get c0 stats/auto/live_requests
	expect_eq "live requests" "$((${VALUE% *} + ${VALUE#* }))" 2000
	expect_value c0 stats/auto/candidates "lru/read-write lfu/read-write"
	expect_match "hits of the shadows" "$(show c0 stats/shadow/hit_ppm)" '^[0-9]+ [0-9]+$'
	expect_value c0 stats/shadow/rate_ppm "1000000 1000000"
	# The directories of the policies follow.
	[ ! -e "$TARGET_DIR/params/replacement/window" ] || fail "lru has no window"
}

# What is asked for is shown, and recreates the cache.
table_and_status() {
	local pattern=${spec//+/\\+},hysteresis=5

	setup replacement "$spec,hysteresis=5"
	expect_match "table" "$(dmsetup table c0)" " 6 dram 64k replacement $pattern admission read-write$"
	expect_match "status" "$(dmsetup status c0)" " replacement lru admission read-write prefetch none auto $pattern dram_mode "
	expect_value c0 auto "$spec,hysteresis=5"
	use hot 1000
	expect_match "table" "$(dmsetup table c0)" " replacement $pattern "
	expect_match "status" "$(dmsetup status c0)" " replacement lfu "
	dmsetup suspend c0
	dmsetup resume c0
	expect_value c0 replacement lfu
	# A reload begins anew.
	reload_cache c0 "$NULLB" dram 64k admission read-write replacement "$spec"
	expect_value c0 replacement lru
	expect_stat c0 auto/requests -eq 0
	use hot 1000
	expect_value c0 replacement lfu
	reload_cache c0 "$NULLB" dram 64k
	expect_value c0 auto off
	[ ! -e "$TARGET_DIR/stats/auto" ] || fail "stats/auto is still there"
}

# The tool shows it, and gives advice by the shadows.
tool() {
	setup
	expect_fail "$ctl" advise --live c0
	expect_match "without a choice" "$OUTPUT" "c0 has no shadows: 'ssdcachectl set c0 replacement auto'"
	"$ctl" set c0 replacement "$spec"
	expect_eq "get" "$("$ctl" get c0 auto)" "$spec"
	expect_fail "$ctl" advise --live c0
	expect_match "before a decision" "$OUTPUT" "c0 has decided nothing yet"
	use hot 1000
	"$ctl" stats c0 >"$scratch/stats"
	grep -q "^  auto  *$spec" "$scratch/stats" || fail "$(<"$scratch/stats")"
	grep -q "^  switches  *1 decisions" "$scratch/stats" || fail "$(<"$scratch/stats")"
	"$ctl" advise --live c0 >"$scratch/advice"
	grep -q "^With 64k of DRAM: lfu, read-write, .*; it is live" "$scratch/advice" || fail "$(<"$scratch/advice")"
	grep -q "at request [0-9]*: from lru, read-write to lfu, read-write" "$scratch/advice" || fail "$(<"$scratch/advice")"
	"$ctl" set c0 replacement lru
	expect_fail "$ctl" get c0 auto
}

# Times of an origin that does not tell them are measured: of pages, of pieces of host reads, and of reads past DRAM.
measures() {
	local known

	make_nullb 32 irqmode=2 completion_nsec=3000000
	make_cache c0 "$NULLB" dram 64k admission "$1" replacement "$spec,period=10"
	expect_stat c0 auto/read_ns -eq 75000
	use hot 200
	expect_stat c0 auto/read_ns -ge 3000000
	expect_stat c0 auto/write_ns -eq 75000
	blkio write /dev/mapper/c0 0 512k 1 8k
	blkio flush /dev/mapper/c0
	use hot 200
	expect_stat c0 auto/write_ns -ge 3000000
	# What is given stays.
	message c0 replacement "$spec,read_us=7,period=10"
	use hot 200
	expect_stat c0 auto/read_ns -eq 7000
	dmsetup remove c0
	make_flash f0 "$NULLB" 65536 profile s002 blocks 0
	make_cache c0 /dev/mapper/f0 dram 128k page 8k admission "$1" replacement "$spec,period=10"
	get c0 stats/auto/read_ns
	known=$VALUE
	use hot 200
	expect_stat c0 auto/read_ns -eq "$known"
	expect_ne "time of a page of the flash" "$known" 75000
}

on_and_off() {
	local way

	setup replacement fifo
	expect_value c0 auto off
	for way in message put; do
		$way c0 replacement "$spec"
		expect_value c0 replacement lru
		use hot 1000
		expect_value c0 replacement lfu
		message c0 reset_stats
		expect_stat c0 auto/requests -eq 0
		expect_stat c0 auto/switches -eq 0
		expect_value c0 stats/shadow/accesses "0 0"
		use hot 200
		expect_stat c0 auto/requests -eq 200
		expect_value c0 stats/shadow/accesses "200 200"
		# A choice replaces another one.
		message c0 replacement auto:candidates=clock,period=50
		expect_value c0 replacement clock
		use hot 100 50
		expect_stat c0 auto/kept -eq 2
		$way c0 replacement cflru:window=30
		expect_value c0 auto off
		expect_value c0 replacement cflru:window=30
		[ ! -e "$TARGET_DIR/stats/auto" ] || fail "stats/auto is still there"
		[ ! -e "$TARGET_DIR/stats/shadow" ] || fail "stats/shadow is still there"
		use sliding 300
		expect_value c0 replacement cflru:window=30
	done
	message c0 replacement "$spec,change=off"
	use hot 1000
	expect_value c0 replacement lru
	expect_stat c0 auto/switches -eq 0
	expect_match "last decision" "$(show c0 stats/auto/decisions | tail -n 1)" '^1000 1 0 1 '
}

schemes() {
	setup replacement auto:candidates=lru+lfu/write-buffer
	expect_value c0 stats/auto/candidates "lru/read-write lfu/write-buffer"
	message c0 admission corw-1:period_ms=20
	expect_value c0 stats/auto/candidates "lru/corw-1:period_ms=20 lfu/write-buffer"
	expect_value c0 admission corw-1:period_ms=20
	grep -q "replacement auto:candidates=lru+lfu/write-buffer admission corw-1:period_ms=20$" <<<"$(dmsetup table c0)" ||
		fail "table: $(dmsetup table c0)"
	expect_fail message c0 admission nosuch
	expect_value c0 admission corw-1:period_ms=20
	message c0 replacement auto:candidates=lru/write-buffer+lru/read-write,period=100,memory=100
	expect_value c0 admission write-buffer
	# Of no candidate, but in the table line
	expect_fail message c0 admission nosuch
	expect_fail put c0 admission "read-write write-buffer"
	use hot 1000
	expect_value c0 admission read-write
	expect_value c0 replacement lru
}

# Long names of many candidates do not fit the page of a file in sysfs, which must not show a part of them only.
long_candidates() {
	local scheme=corw-1:period_ms=20 i

	for ((i = 0; i < 18; i++)); do
		scheme+=,period_ms=20
	done
	setup replacement auto:candidates=lru+fifo+lfu+clock+sieve+s3-fifo+2q+arc+lirs+mq+fab+cflru+bplru+vbbms+ecr
	message c0 admission "$scheme"
	expect_eq "candidates" "$(show c0 stats/auto/candidates | wc -w)" 15
	expect_match "the last candidate" "$(show c0 stats/auto/candidates)" " ecr/$scheme$"
	message c0 replacement auto:candidates=lru+fifo+lfu+clock+sieve+s3-fifo+2q+arc+lirs+mq+fab+cflru+bplru+vbbms+ecr+lcr
	expect_fail show c0 stats/auto/candidates
	expect_match "the reason" "$OUTPUT" "File too large"
	expect_value c0 stats/auto/live "lru/$scheme"
	expect_fail "$ctl" advise --live c0
	expect_match "advice" "$OUTPUT" "candidates"
}

# The admission scheme is chosen, for one policy or for several.
chooses_schemes() {
	local schemes=auto:candidates=write-buffer+read-write,period=100,memory=100 pattern

	pattern=${schemes//+/\\+}
	make_nullb 32
	make_cache c0 "$NULLB" dram 64k replacement cflru:window=30 admission "$schemes"
	expect_match "table" "$(dmsetup table c0)" " 6 dram 64k replacement cflru:window=30 admission $pattern$"
	expect_match "status" "$(dmsetup status c0)" " admission write-buffer prefetch none auto_admission $pattern dram_mode "
	expect_value c0 auto off
	expect_value c0 auto_admission "$schemes"
	expect_value c0 stats/auto/candidates "cflru:window=30/write-buffer cflru:window=30/read-write"
	use hot 1000
	expect_value c0 replacement cflru:window=30
	expect_value c0 admission read-write
	expect_stat c0 auto/switches -eq 1
	expect_match "list" "$("$ctl" list)" "cflru:window=30 +auto: read-write"
	"$ctl" advise --live c0 >"$scratch/advice"
	grep -q "^With 64k of DRAM: cflru:window=30, read-write, .*; it is live" "$scratch/advice" || fail "$(<"$scratch/advice")"
	expect_fail "$ctl" set c0 auto_admission off
	expect_match "how to set it" "$OUTPUT" "'ssdcachectl set c0 admission auto'"

	# A scheme ends the choice; another choice begins with the policy as it is.
	message c0 set window 40
	message c0 admission write-buffer
	expect_value c0 auto_admission off
	expect_value c0 replacement cflru:window=40
	[ ! -e "$TARGET_DIR/stats/auto" ] || fail "stats/auto is still there"
	put c0 admission "$schemes"
	expect_value c0 stats/auto/candidates "cflru:window=40/write-buffer cflru:window=40/read-write"
	expect_fail message c0 admission auto:candidates=nosuch
	expect_fail message c0 replacement nosuch
	expect_match "last error" "$(show c0 last_error)" '^replacement: "nosuch" is not one of .* auto$'
	expect_value c0 auto_admission "$schemes"
	expect_value c0 replacement cflru:window=40

	# Another policy, and others to choose among.
	message c0 replacement lru
	expect_value c0 stats/auto/candidates "lru/write-buffer lru/read-write"
	message c0 replacement auto:candidates=lru+lfu/read-write
	expect_value c0 stats/auto/candidates "lru/write-buffer lru/read-write lfu/read-write"
	expect_value c0 auto auto:candidates=lru+lfu/read-write
	use hot 1000
	expect_value c0 replacement lfu
	expect_value c0 admission read-write
	message c0 admission read-write
	expect_value c0 auto_admission off
	expect_value c0 stats/auto/candidates "lru/read-write lfu/read-write"
	message c0 admission "$schemes"
	expect_fail message c0 replacement auto:candidates=lru/read-write
	expect_match "last error" "$(show c0 last_error)" 'each policy names a scheme: none is left to choose'
	# The policy that is not chosen may be tuned.
	message c0 replacement cflru:window=30
	message c0 set window 45
	expect_match "table" "$(dmsetup table c0)" " replacement cflru:window=45 admission $pattern$"
	message c0 admission "$schemes,goal=p99"
	expect_value c0 replacement cflru:window=45
	expect_value c0 stats/auto/candidates "cflru:window=45/write-buffer cflru:window=45/read-write"
	reload_cache c0 "$NULLB" dram 64k admission "$schemes"
	expect_value c0 auto off
	expect_value c0 stats/auto/candidates "lru/write-buffer lru/read-write"
	message c0 admission write-buffer
	expect_value c0 auto_admission off
}

while_suspended() {
	setup replacement fifo
	dmsetup suspend c0
	put c0 replacement "$spec"
	expect_value c0 replacement lru
	put c0 replacement lfu
	put c0 replacement "$spec"
	dmsetup resume c0
	use hot 1000
	expect_value c0 replacement lfu
}

# A table that takes over the dirty pages of another takes over its policies, and what chooses among them.
taken_over() {
	make_nullb 16
	make_linear origin "$NULLB"
	make_cache c0 /dev/mapper/origin dram 64k admission read-write retry_ms 20 replacement "$spec"
	use hot 1000
	expect_value c0 replacement lfu
	blkio write /dev/mapper/c0 0 32k 1
	swap_table origin "0 32768 error"
	reload_cache c0 /dev/mapper/origin dram 128k replacement auto:candidates=fifo
	expect_stat c0 dirty -eq 8
	expect_value c0 replacement lfu
	expect_value c0 stats/auto/live lfu/read-write
	expect_value c0 auto "$spec"
	swap_table origin "0 32768 linear $NULLB 0"
	message c0 flush
	use sliding 1000
	expect_value c0 replacement lru
	blkio check /dev/mapper/c0 0 32k 1
	dmsetup remove c0
	blkio check "$NULLB" 0 32k 1
}

[ -x "$trace_tool" ] || fail "$trace_tool is missing: make userspace"
run_test "the policy of each phase is live, and each decision is reported" follows_phases
run_test "table line, status line, reload" table_and_status
run_test "ssdcachectl" tool
run_test "times of the origin, read-write" measures read-write
run_test "times of the origin, write-buffer" measures write-buffer
run_test "messages and sysfs begin and end it" on_and_off
run_test "admission schemes" schemes
run_test "the admission scheme is chosen" chooses_schemes
run_test "names of candidates that exceed a page" long_candidates
run_test "changes while suspended" while_suspended
run_test "a table takes it over" taken_over
