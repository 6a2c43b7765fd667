#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# what: the CPU time that scripts/studies/bench measures counts work, and no waits
# lane: vm-6.1

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=../../scripts/studies/bench/cpu-ns.sh
. "$(dirname "$0")/../../scripts/studies/bench/cpu-ns.sh"

waits() {
	local waiting

	waiting=$(cpu_ns sleep 3)
	[ "$waiting" -lt 1500000000 ] || fail "3 s of sleep are $waiting ns of CPU time"
}

works() {
	local working spent

	# shellcheck disable=SC2016 # for the inner shell
	working=$(cpu_ns bash -c 'for ((i = 0; i < 50000; i++)); do :; done; times' 2>"$scratch/times")
	# User and system time of the shell: 0m0.123s 0m0.004s
	spent=$(awk -F '[ms ]' 'NR == 1 { printf "%d\n", (60 * ($1 + $4) + $2 + $5) * 1e9 }' "$scratch/times")
	[ "$spent" -gt 0 ] || fail "times: $(<"$scratch/times")"
	[ "$working" -ge $((spent * 9 / 10)) ] || fail "the loop took $spent ns, $working ns are counted"
}

run_test "waits do not count" waits
run_test "work counts" works
