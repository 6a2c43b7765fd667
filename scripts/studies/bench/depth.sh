#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the VM, with time as a count of instructions: what a hit of 4 KiB costs, half of them reads, by jobs and depth, of dm-linear on a RAM
# disk and of caches whose cache (or DRAM tier) is in RAM. There is one CPU, so the time that the requests take is what they cost, wherever
# it is spent. Writes a line per stack to $SSDCACHE_OUT/depth.tsv: stack, then ns per request for each of $combinations.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../many-cpus/hits.sh
. "$(dirname "$0")/../many-cpus/hits.sh"

out=$SSDCACHE_OUT/depth.tsv
combinations=(1x1 1x8 1x32 2x1 2x8 2x32 4x1 4x8 4x32)	# jobs x depth
requests=32768

measure() {
	local combination

	printf '%s' "$1" >>"$out"
	for combination in "${combinations[@]}"; do
		hits "${combination%x*}" "${combination#*x}" $requests "$SSDCACHE_OUT/depth.json"
		printf '\t%s' "$(cost_of "$SSDCACHE_OUT/depth.json")" >>"$out"
	done
	echo >>"$out"
	tail -n 1 "$out"
}

{
	printf 'jobs x depth'
	printf '\t%s' "${combinations[@]}"
	echo
} >"$out"
setup_disks
each_stack measure
