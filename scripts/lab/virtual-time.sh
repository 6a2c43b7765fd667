#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs a workload on a stack of ssdcache and ssdflash in virtual time and prints the targets' statistics as JSON. Time passes
# only while everything waits, so a trace of days takes only as long as its requests, and the same input gives the same
# output.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

usage() {
	cat <<USAGE
usage: ${0##*/} [OPTION]... --replay TRACE...
       ${0##*/} [OPTION]... --fio JOBFILE
       ${0##*/} [OPTION]... -- COMMAND...
The stack, from the bottom; job file and command find its device in \$DEV:
  --size SIZE       size of the device, such as 8g (1g)
  --flash WORDS     an ssdflash; WORDS of its table line, such as "profile shin23" or "channels 8 read_ns 50000"
  --latency-us N    without --flash: time of each request (75)
  --cache WORDS     an ssdcache on it, such as "dram 32m page 8k replacement cflru-ef-sc"
  --keep-data       keep what is written, in the guest's memory
The replay:
  --closed          each request waits for the one before
  --speed X         divide arrival times by X
  --limit N         only the first N requests
The run:
  --memory SIZE     memory of the guest (1G)
  --timeout SEC     real time after which the guest is killed (600)
  --output FILE     write the JSON to FILE instead of stdout
  --no-build        use the module and the tools as they are, to save time in a series of runs
Exit status: 0 done; 1 the workload, the stack, or some requests (the JSON counts them) failed; 2 bad usage or a bad trace.
USAGE
}

bad() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 2
}

workload='' size=1g flash='' latency_us=75 cache='' keep_data=0 replay=() memory=1G timeout=600 output='' no_build='' files=()
while [ $# -gt 0 ]; do
	case $1 in
	--size | --flash | --latency-us | --cache | --speed | --limit | --memory | --timeout | --output | --fio)
		[ $# -ge 2 ] || bad "$1 needs a value"
		case $1 in
		--size) size=$2 ;;
		--flash) flash=$2 ;;
		--latency-us) latency_us=$2 ;;
		--cache) cache=$2 ;;
		--speed | --limit) replay+=("$1" "$2") ;;
		--memory) memory=$2 ;;
		--timeout) timeout=$2 ;;
		--output) output=$2 ;;
		--fio) workload=fio files=("$2") ;;
		esac
		shift
		;;
	--keep-data) keep_data=1 ;;
	--no-build) no_build=1 ;;
	--closed) replay+=("$1") ;;
	--replay) workload=replay ;;
	--)
		shift
		workload=command files=("$@")
		break
		;;
	--help)
		usage
		exit
		;;
	-*) bad "unknown option '$1': '${0##*/} --help' lists the options" ;;
	*)
		[ "$workload" = replay ] || bad "\"$1\": name --replay, --fio or -- first"
		files+=("$1")
		;;
	esac
	shift
done
[ -n "$workload" ] || bad "nothing to run: name --replay TRACE, --fio JOBFILE or -- COMMAND; '${0##*/} --help' shows more"
[ ${#files[@]} -gt 0 ] || bad "no ${workload/replay/trace to replay}: '${0##*/} --help' shows the usage"
megabytes=$(numfmt --from=iec "${size^^}" 2>/dev/null) || bad "--size: \"$size\" is not a size such as 512m, 8g"
megabytes=$((megabytes >> 20))
[ $megabytes -gt 0 ] || bad "--size: \"$size\" is less than 1m"
[[ $latency_us =~ ^[0-9]{1,7}$ ]] || bad "--latency-us: \"$latency_us\" is not a number from 0 to 9999999"
if [ $workload != command ]; then
	for ((i = 0; i < ${#files[@]}; i++)); do
		[ -r "${files[i]}" ] || bad "${files[i]}: cannot be read"
		files[i]=$(realpath "${files[i]}")
	done
fi

need python3 python3
kernel=$("$SSDCACHE_LAB/kernel.sh" uml)
build=$SSDCACHE_TREE/build/${kernel##*/}
if [ -z "$no_build" ]; then
	step "build of the module and the tools" make -s -C "$SSDCACHE_TREE" module feeder userspace KDIR="$kernel" ARCH=um
elif [ ! -e "$build/scripts/lab/feeder/ssdcache-feeder.ko" ]; then
	bad "--no-build: there is no ${build#"$PWD/"}/scripts/lab/feeder/ssdcache-feeder.ko"
fi
mkdir -p "$SSDCACHE_CACHE/run"
out=$(mktemp -d "$SSDCACHE_CACHE/run/virtual.XXXXXX")
trap 'rm -rf "$out"' EXIT
# The guest has its own /tmp and /run: files there are copied, unless they are in the tree or in the cache.
if [ $workload != command ]; then
	for ((i = 0; i < ${#files[@]}; i++)); do
		case ${files[i]} in
		"$SSDCACHE_TREE"/* | "$SSDCACHE_CACHE"/*) ;;
		/tmp/* | /run/*)
			mkdir -p "$out/files/$i"
			cp "${files[i]}" "$out/files/$i/"
			files[i]=$out/files/$i/${files[i]##*/}
			;;
		esac
	done
fi

status=0
SIZE=$megabytes FLASH=$flash LATENCY_US=$latency_us CACHE=$cache KEEP_DATA=$keep_data WORKLOAD=$workload REPLAY="${replay[*]}" \
	TOOLS=$SSDCACHE_TREE/userspace/build/bin start_group "$SSDCACHE_LAB/uml.sh" --time-travel --memory "$memory" --timeout "$timeout" \
	--out "$out" --module "$build/dm-ssdcache/dm-ssdcache.ko" --module "$build/scripts/lab/feeder/ssdcache-feeder.ko" \
	-- "$SSDCACHE_LAB/virtual/guest.sh" "${files[@]}" </dev/null >"$out/stdout" 2>"$out/stderr"
wait $! || status=$?
groups=()
if [ $status != 0 ]; then
	# The other lines give the reason; this one names a log that is about to be removed.
	cat "$out/stdout" "$out/stderr" | sed '/^uml\.sh: the command ended with status/d' >&2
	sed -n 's/^.*device-mapper: [a-z]*: [0-9:]*: //p' "$out/dmesg.txt" >&2
	[ -e "$out/whole" ] || { [ $workload$status = replay2 ] && exit 2; } || exit 1
fi
if [ $workload = replay ]; then
	awk -v start="$(stat -c %.9Y "$out/replay.start")" -v end="$(stat -c %.9Y "$out/replay.json")" '
		/"requests":/ { printf "%d requests in %.2f s of real time, %.0f/s\n", $2, end - start, $2 / (end - start) }
	' "$out/replay.json" >&2
fi
# Without --output, do not reopen stdout: that would truncate a file.
[ -z "$output" ] || exec >"$output"
python3 "$SSDCACHE_LAB/virtual/report.py" "$out"
[ $status = 0 ] || exit 1
