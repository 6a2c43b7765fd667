#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Tests of ssdcache-sim: tiny traces whose counts are worked out by hand in the
# comments, what the readers accept and refuse, and data checks on real traces
# where there are some. The tests are in sim/, a suite per file.
#
#	[SUITES="NAME..."] sim-tests.sh SSDCACHE-SIM [TRACE-FOLDER]
#
# Prints TAP; fails if any test does.

# Words of a trace are split on purpose, and some variables are for the suites.
# shellcheck disable=SC2034,SC2046,SC2086
set -u -o pipefail

sim=$(realpath "${1:?usage: sim-tests.sh SSDCACHE-SIM [TRACE-FOLDER]}") || exit 2
traces=${2-}
tests=$(cd "$(dirname "$0")" && pwd -P)
tree=$(cd "$tests/../.." && pwd -P)
all=$(cd "$tests/sim" && printf '%s ' *.sh | sed 's/\.sh / /g; s/ $//')
for suite in ${SUITES:=$all}; do
	if [ ! -f "$tests/sim/$suite.sh" ]; then
		echo "sim-tests.sh: SUITES: '$suite' is not one of $all" >&2
		exit 2
	fi
done
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$tests/tap.sh"

# trace WORD...: a capture, one request per ms. Rn, Wn: page n; W:sector+length (also R:, D:,
# and with a final F for FUA); F: FLUSH; Dn: discard of page n.
trace() {
	local word op rest flags ms=0
	echo "# ssdcache-trace 1"
	for word; do
		op=${word:0:1}
		rest=${word:1}
		flags=
		case $rest in
		'')	rest=0,0;;
		:*F)	flags=F; rest=${rest#:}; rest=${rest%F}; rest=${rest/+/,};;
		:*)	rest=${rest#:}; rest=${rest/+/,};;
		*)	rest=$((rest * 8)),8;;
		esac
		echo "$((ms++))000000,$op,$rest,$flags"
	done
}

# Pages $2 to $3, one request $1 each.
pages() {
	local page
	for ((page = $2; page <= $3; page++)); do
		echo "$1$page"
	done
}

# split_words OPTION... -- WORD...: the options in the caller's $options, and the trace of the words
split_words() {
	options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	trace "$@" > "$scratch/trace"
}

# stats "NAMES" OPTION... -- WORD...: run a trace with 16 frames, print these statistics.
stats() {
	local names=$1 options
	shift
	split_words "$@"
	"$sim" --dram 64k --verify "${options[@]}" "$scratch/trace" > "$scratch/report" || return
	for name in $names; do
		awk -v name="$name" '$1 == name { print name "=" $2; exit }' "$scratch/report"
	done | paste -sd' '
}

# latency OP FIELD OPTION... -- WORD...: as above; FIELD 3 is the mean, 8 the maximum, in us.
latency() {
	local op=$1 field=$2
	shift 2
	stats "" "$@" > /dev/null
	awk -v op="$op" -v field="$field" '
		/^latency/ { on = 1 }
		on && $1 == op { print $field; exit }' "$scratch/report"
}

# refuses NAME PATTERN ARGUMENT...: exit code 2, one line that has the pattern, no output.
refuses() {
	local name=$1 pattern=$2 status
	shift 2
	"$sim" "$@" > "$scratch/out" 2> "$scratch/err" < /dev/null
	status=$?
	if [ $status = 2 ] && [ ! -s "$scratch/out" ] && [ "$(wc -l < "$scratch/err")" = 1 ] &&
	   grep -q -- "$pattern" "$scratch/err"; then
		is "$name" refused refused
	else
		is "$name" "exit 2 and a line with: $pattern" "exit $status and: $(cat "$scratch/err")"
	fi
}

# names KIND: of plug-ins
names() {
	"$sim" --describe=names | awk -v kind="$1" '$1 == kind { print $2 }'
}

# bad NAME MESSAGE LINE...: the trace of these lines is refused
bad() {
	printf '%s\n' "${@:3}" > "$scratch/bad"
	refuses "refused: $1" "$scratch/bad:$2" "$scratch/bad"
}

# build_samples: the policies of samples/policy as shared objects, $mru and $slru; make's messages are in $scratch/make
build_samples() {
	make -s -C "$tree/samples/policy" BUILD="$scratch/policies" > "$scratch/make" 2>&1
	mru=$scratch/policies/ssdcache-mru.so
	slru=$scratch/policies/ssdcache-slru.so
}

# bad_plugin FILE.so: compiles standard input
bad_plugin() {
	${CC:-gcc} -w -shared -fPIC -I "$tree/include/shim" -I "$tree/include" -x c -o "$scratch/$1" -
}

# For all suites: writes that fill DRAM, the first line of a capture, a trace of MSR Cambridge, a real trace.
fill=$(pages W 0 15)
head="# ssdcache-trace 1"
msr=$folder/msr.csv
cat > "$msr" << 'END'
128166372003061629,hm,1,Write,4096,8192,153
128166372003061639,hm,1,read,5000,100,2

128166372013061629,hm,1,Write,0,512
END
demo=$tree/traces/demo-ext4.csv.zst

for suite in $SUITES; do
	scratch=$folder/$suite
	mkdir "$scratch"
	# shellcheck source=/dev/null
	. "$tests/sim/$suite.sh"
done
finish
