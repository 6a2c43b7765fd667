#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: ssdcache-feeder, which submits the requests of a replay: misuse, failures, slots, signals, memory
# lane: uml
# long: uml-debug vm-6.1 vm-6.12
# extra: scripts/lab/feeder

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

tree=$(cd "$(dirname "$0")/../.." && pwd -P)
trace_tool=$tree/userspace/build/bin/ssdcache-trace
ko=$SSDCACHE_EXTRA/ssdcache-feeder.ko

# trace LINE...: write a capture with these lines to $scratch/t.csv
trace() {
	printf '%s\n' '# ssdcache-trace 1' "$@" >"$scratch/t.csv"
}

# replay DEVICE WORD...: replay $scratch/t.csv; the result is in $scratch/r.json
replay() {
	"$trace_tool" replay --feeder --device "$@" "$scratch/t.csv" >"$scratch/r.json" 2>"$scratch/r.err"
}

# expect_field FILTER WANT: apply a jq filter to the result
expect_field() {
	expect_eq "$1" "$(jq -c "$1" "$scratch/r.json")" "$2"
}

feeder_is_free() {
	local users

	read -r users </sys/module/ssdcache_feeder/refcnt
	[ "$users" = 0 ]
}

misuse() {
	make_nullb 1
	feeder-misuse "$NULLB" >"$scratch/answers"
	diff - "$scratch/answers" <<-'ANSWERS'
		no such file: EBADF
		not a block device: ENOTBLK
		not open for writing: EBADF
		no such file to settle: EBADF
		depth 0: EINVAL
		depth 4097: EINVAL
		closed 2: EINVAL
		another ioctl: ENOTTY
		itself to settle: EINVAL
		a bad address: EFAULT
		write before set-up: ENXIO
		read before set-up: 0
		set-up: 0
		set-up again: EBUSY
		a part of a request: EINVAL
		a request at a bad address: EFAULT
		read into too little: EINVAL
		read of nothing: 0
		a request: 24
		another, with no room: 0
		a result to a bad address: EFAULT
		its result: 64
		another operation: EINVAL
		a read of nothing: EINVAL
		a flush of something: EINVAL
		a read with FUA: EINVAL
		FUA 2: EINVAL
		not zero: EINVAL
		beyond the end: EINVAL
		far beyond the end: EINVAL
		more than there is: EINVAL
		too long: EINVAL
		the last sectors: 24
	ANSWERS
}

# All requests to the second half of the device fail.
failures() {
	local status=0

	make_nullb 16
	dmsetup create half <<-TABLE
		0 16384 linear $NULLB 0
		16384 16384 error
	TABLE
	trace 0,W,0,8, 1000,R,16384,8, 2000,W,20000,16,F 3000,R,0,8, 4000,D,24000,8, 5000,F,0,0,
	replay /dev/mapper/half || status=$?
	expect_eq status $status 1
	expect_field '[.errors, .latency[].count]' '[3,1,1,1,0]'
	expect_eq "what is said" "$(<"$scratch/r.err")" \
		"ssdcache-trace: request 2: a read of 8 sectors at sector 16384: Input/output error"
}

# All operations and many sizes, some larger than the contiguous memory behind one vector.
kinds() {
	make_nullb 256 discard=1
	trace 0,R,0,131072, 0,W,1,8191,F 0,W,7,1, 0,F,0,0, 0,D,0,262144, 0,R,513,1025,
	replay "$NULLB"
	expect_field '[.errors, (.latency[] | .count, .bytes / 512)]' '[0,2,132097,2,8192,1,0,1,262144]'
	# Writes are of zeroes, even after reads of other data.
	blkio write "$NULLB" 0 64k 1
	trace 0,R,0,128, 1000000,W,0,64,
	replay "$NULLB"
	blkio check "$NULLB" 32k 32k 1
	cmp -n 32768 "$NULLB" /dev/zero
}

slots() {
	make_nullb 16 irqmode=2 completion_nsec=20000000
	trace 0,W,0,8, 0,W,8,8, 0,W,16,8, 2000000000,W,24,8,
	replay "$NULLB" --depth 1
	expect_field '[.late, .max_late_ns >= 40000000]' '[2,true]'
	replay "$NULLB" --depth 3
	expect_field .late 0
	replay "$NULLB" --depth 3 --speed max
	expect_field '[.requests, .errors]' '[4,0]'
	# Closed: one request after the other, whatever their times.
	replay "$NULLB" --closed
	expect_field '.elapsed_ns >= 80000000' true
}

# The replay is killed while it waits for the time of a request, without and with a request in flight.
killed() {
	local pid latency_ns

	for latency_ns in 0 1500000000; do
		make_nullb 16 irqmode=2 completion_nsec=$latency_ns
		trace 0,W,0,8, 3600000000000,W,8,8,
		"$trace_tool" replay --feeder --device "$NULLB" "$scratch/t.csv" &
		pid=$!
		pause 0.5
		kill -0 $pid
		kill -9 $pid
		poll 20 "the feeder is free" feeder_is_free
		wait $pid || :
		rmmod ssdcache_feeder
		insmod "$ko"
		remove_all
	done
}

refusals() {
	local status=0

	make_nullb 16
	printf '# ssdcache-trace 1\n0,W,0,8,\n1,W,0,x,\n' >"$scratch/t.csv"
	replay "$NULLB" || status=$?
	expect_eq status $status 2
	expect_match "what is said" "$(<"$scratch/r.err")" '^ssdcache-trace: [^ ]*t.csv:3: expected a number of sectors'
	expect_eq "result" "$(<"$scratch/r.json")" ''
	# Refused before the first request is submitted.
	trace 0,W,0,8, 1,W,32768,8,
	status=0
	replay "$NULLB" || status=$?
	expect_eq status $status 2
	expect_match "what is said" "$(<"$scratch/r.err")" '^ssdcache-trace: request 2: a write at sectors 32768 to 32775'
	rmmod ssdcache_feeder
	status=0
	replay "$NULLB" --wrap || status=$?
	insmod "$ko"
	expect_eq status $status 1
	expect_match "what is said" "$(<"$scratch/r.err")" 'No such file or directory: is the module ssdcache-feeder loaded\?$'
}

# The memory of a replay does not depend on the length of the trace.
memory() {
	make_nullb 16
	expect "growth in KiB" "$(python3 - "$trace_tool" "$NULLB" "$scratch/t.csv" <<-'PYTHON'
		import os, subprocess, sys

		def peak(nr):
		    with open(sys.argv[3], "w") as out:
		        print("# ssdcache-trace 1", file=out)
		        for i in range(nr):
		            print(f"{i},{'RW'[i % 2]},{i % 4096 * 8},8,", file=out)
		    child = subprocess.Popen((sys.argv[1], "replay", "--feeder", "--depth", "4", "--device", *sys.argv[2:]),
		                             stdout=subprocess.DEVNULL)
		    status, usage = os.wait4(child.pid, 0)[1:]
		    assert status == 0
		    return usage.ru_maxrss

		print(peak(40000) - peak(4000))
	PYTHON
	)" -lt 200
}

need_tool jq
insmod "$ko"
run_test "misuse is refused" misuse
run_test "requests that fail are counted" failures
run_test "all operations and sizes" kinds
run_test "slots, late requests, closed loop" slots
run_test "a bad trace or a missing module gives one clear line" refusals
run_test "a replay that is killed" killed
run_test "memory does not depend on the length of the trace" memory
rmmod ssdcache_feeder
