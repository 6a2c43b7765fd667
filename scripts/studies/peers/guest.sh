#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest of virtual-time.sh, with $DEV as the flash device: runs a workload twice on a stack, then writes what is dirty to flash.
# The environment holds STACK, WORDS, MIB, SECTORS, TRACE (a capture or a .fio file), RESULT (directory), TOOLS.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=stacks.sh
. "$here/stacks.sh"

# snapshot NAME: the statistics of the flash device, and what the stack says
snapshot() {
	"$TOOLS/ssdcachectl" stats flash --json >"$RESULT/$1.flash.json"
	state_of "$STACK" >"$RESULT/$1.state"
}

# work PASS
work() {
	case $TRACE in
	*.fio)
		DEV=/dev/mapper/top fio --clocksource=clock_gettime --output-format=json --output="$RESULT/$1.fio.json" "$TRACE"
		;;
	*) "$TOOLS/ssdcache-trace" replay --feeder --depth 4096 --wrap --device /dev/mapper/top "$TRACE" >"$RESULT/$1.replay.json" ;;
	esac
}

# shellcheck disable=SC2153 # WORDS is not words
read -ra words <<<"$WORDS"
"make_$STACK" "${words[@]}"
# What making the stack wrote and read is not counted.
sleep 1
dmsetup message flash 0 reset_stats
for pass in first second; do
	work "$pass"
	snapshot "$pass"
	sleep 60
done
snapshot idle
"flush_$STACK"
# Let garbage collection end.
sleep 10
snapshot flushed
dmsetup table flash >"$RESULT/flash.table"
dmsetup table top >"$RESULT/top.table"
remove_stack "$STACK"
