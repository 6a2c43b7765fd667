#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# In the guest of virtual-time.sh: builds the stack, runs the workload, saves the targets' statistics. The environment holds
# the settings.
#
#	guest.sh FILE...|COMMAND...

set -euo pipefail
out=$SSDCACHE_OUT

# The origin: a null_blk (built into this kernel), which takes no time itself if there is an ssdflash.
nullb=/sys/kernel/config/nullb/nullb0
mkdir "$nullb"
echo "$KEEP_DATA" >$nullb/memory_backed
echo "$SIZE" >$nullb/size
echo 1024 >$nullb/hw_queue_depth
echo 1 >$nullb/discard
# The default would split requests at 255 sectors, in the middle of a page.
echo 2048 >$nullb/max_sectors
if [ -n "$FLASH" ]; then
	echo 0 >$nullb/irqmode
else
	echo 2 >$nullb/irqmode
	echo $((LATENCY_US * 1000)) >$nullb/completion_nsec
fi
echo 1 >$nullb/power
DEV=/dev/nullb0
sectors=$((SIZE * 2048))

read -ra words <<<"$FLASH"
if [ ${#words[@]} -gt 0 ]; then
	dmsetup create flash --table "0 $sectors ssdflash $DEV ${#words[@]} ${words[*]}"
	DEV=/dev/mapper/flash
fi
read -ra words <<<"$CACHE"
if [ ${#words[@]} -gt 0 ]; then
	dmsetup create cache --table "0 $sectors ssdcache $DEV ${#words[@]} ${words[*]}"
	DEV=/dev/mapper/cache
fi
export DEV
# Do not count reads by programs that probe new devices.
[ -z "$FLASH" ] || dmsetup message flash 0 reset_stats
[ -z "$CACHE" ] || dmsetup message cache 0 reset_stats

status=0
case $WORKLOAD in
replay)
	read -ra words <<<"$REPLAY"
	[[ " $REPLAY " = *" --closed "* ]] || words+=(--depth 1024)
	# As in the simulator, a request also waits for the flushes of the one before.
	if [ -n "$CACHE" ] && [[ " $REPLAY " = *" --closed "* ]]; then
		words+=(--settle "/sys/block/dm-$(dmsetup info -c --noheadings -o minor cache)/ssdcache/quiescent")
	fi
	# The host takes the real time of the replay from the times of this file and of the result.
	: >"$out/replay.start"
	"$TOOLS/ssdcache-trace" replay --feeder "${words[@]}" --wrap --device "$DEV" "$@" >"$out/replay.json" ||
		status=$?
	# If there is a result, only requests failed; the result counts them.
	[ -s "$out/replay.json" ] || exit "$status"
	;;
fio) fio --clocksource=clock_gettime --output="$out/fio.txt" "$1" ;;
command) "$@" ;;
esac

# Let flushes and garbage collection end. Waiting costs no real time.
sleep 60
if [ -n "$CACHE" ]; then
	dmsetup table cache >"$out/cache.table"
	"$TOOLS/ssdcachectl" stats cache --json >"$out/cache.json"
	dmsetup remove cache
fi
if [ -n "$FLASH" ]; then
	dmsetup table flash >"$out/flash.table"
	"$TOOLS/ssdcachectl" stats flash --json >"$out/flash.json"
	dmsetup remove flash
fi
: >"$out/whole"
exit "$status"
