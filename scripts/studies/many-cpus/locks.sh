#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the VM, with time as a count of instructions: which locks a hit of 4 KiB takes, and for how long. For each stack, fio runs twice:
# without probes, for the cost of a request, and with probes on the functions that take and give locks. $SSDCACHE_OUT/locks.tsv has a line
# per stack: label, ns per request without probes, requests with them, file with the trace. many_cpus_data.py reads the traces.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=hits.sh
. "$(dirname "$0")/hits.sh"

out=$SSDCACHE_OUT/locks.tsv
: >"$out"
requests=2048
tracing=/sys/kernel/tracing
takers=(_raw_spin_lock _raw_spin_lock_irq _raw_spin_lock_irqsave _raw_spin_lock_bh _raw_read_lock _raw_write_lock mutex_lock
	down_write down_read)
givers=(_raw_spin_unlock _raw_spin_unlock_irq _raw_spin_unlock_irqrestore _raw_spin_unlock_bh _raw_read_unlock _raw_write_unlock
	mutex_unlock up_write up_read)

set_up_probes() {
	local name

	# The time stamp counter counts instructions; other clocks are shown in us.
	echo x86-tsc >$tracing/trace_clock
	echo 65536 >$tracing/buffer_size_kb
	{
		for name in "${takers[@]}"; do
			echo "p:take/$name $name lock=%di caller=\$stack0:symbol"
		done
		for name in "${givers[@]}"; do
			echo "p:give/$name $name lock=%di"
		done
	} >$tracing/kprobe_events
}

# probes 0|1
probes() {
	echo "$1" >$tracing/events/sched/sched_switch/enable
	echo "$1" >$tracing/events/give/enable
	echo "$1" >$tracing/events/take/enable
}

measure() {
	local label=$1 file cost

	file=locks.${label//[^a-z0-9]/-}.trace
	# More of them, as fio tells the time in ms.
	hits 2 8 $((requests * 8)) "$SSDCACHE_OUT/locks.json"
	cost=$(cost_of "$SSDCACHE_OUT/locks.json")
	echo >$tracing/trace
	probes 1
	hits 2 8 $requests "$SSDCACHE_OUT/locks.json"
	probes 0
	grep -v '^#' $tracing/trace >"$SSDCACHE_OUT/$file"
	printf '%s\t%s\t%s\t%s\n' "$label" "$cost" $requests "$file" | tee -a "$out"
}

setup_disks
set_up_probes
each_stack measure
