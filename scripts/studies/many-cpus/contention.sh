#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In a VM with several CPUs that run at the same time: how often, and how long, hits of 4 KiB wait for locks, by jobs and depth.
# $SSDCACHE_OUT/contention.tsv has a line per stack and combination: label, jobs, depth, requests, ns per request, file with the trace.
# many_cpus_data.py reads the traces.
#
# A spinning CPU is seen by a probe on the slow path of spin locks: the tracepoint lock:contention_begin leaves out a CPU that waits alone.
# Mutexes and semaphores have the tracepoint.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=hits.sh
. "$(dirname "$0")/hits.sh"

out=$SSDCACHE_OUT/contention.tsv
: >"$out"
combinations=(1x1 1x8 1x32 2x1 2x8 2x32 4x1 4x8 4x32)	# jobs x depth
requests=${REQUESTS:-16384}
tracing=/sys/kernel/tracing

set_up_probes() {
	echo mono >$tracing/trace_clock
	echo 16384 >$tracing/buffer_size_kb
	{
		echo 'p:spin/wait native_queued_spin_lock_slowpath lock=%di'
		echo 'r:spin/waited native_queued_spin_lock_slowpath'
	} >$tracing/kprobe_events
	echo stacktrace >$tracing/events/spin/wait/trigger
	echo stacktrace >$tracing/events/lock/contention_begin/trigger
	echo 0 >$tracing/tracing_on
	# Before the requests: code is replaced while nothing runs it.
	echo 1 >$tracing/events/spin/enable
	echo 1 >$tracing/events/lock/enable
}

measure() {
	local label=$1 combination file

	for combination in "${combinations[@]}"; do
		file=contention.${label//[^a-z0-9]/-}.$combination.trace
		echo >$tracing/trace
		echo 1 >$tracing/tracing_on
		hits "${combination%x*}" "${combination#*x}" "$requests" "$SSDCACHE_OUT/contention.json"
		echo 0 >$tracing/tracing_on
		grep -v '^#' $tracing/trace >"$SSDCACHE_OUT/$file" || :
		printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$label" "${combination%x*}" "${combination#*x}" "$requests" \
			"$(cost_of "$SSDCACHE_OUT/contention.json")" "$file" | tee -a "$out"
	done
}

setup_disks
set_up_probes
each_stack measure
