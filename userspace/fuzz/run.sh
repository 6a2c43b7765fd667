#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Fuzzes all targets with libFuzzer, or minimises the corpora in the tree.
#
#	run.sh run BUILD RUNS SEED	RUNS inputs over all targets, starting from the corpora; prints TAP
#	run.sh merge BUILD		inputs found by runs that cover something new -> corpus/
#
# BUILD is the folder of "make fuzz-clang-bin", and keeps what is found: BUILD/found/TARGET, and inputs that fail,
# BUILD/failed/TARGET-*. The same SEED finds the same if BUILD/found is removed first.

set -u -o pipefail

usage() {
	echo "usage: ${0##*/} run BUILD RUNS SEED | merge BUILD" >&2
	exit 2
}

verb=${1-} build=${2-}
here=$(cd "$(dirname "$0")" && pwd -P)
# A share of the inputs each, in percent: a run of the simulator takes as long as many traces.
declare -A share=([ctl]=8 [flash]=26 [readers]=50 [sim]=1 [tables]=10 [traces]=5)
targets=(ctl flash readers sim tables traces)
# Targets that take the inputs and words of another.
declare -A like=([readers]=traces)
# Bytes of an input: a few lines of any format are enough for what reads one after the other.
declare -A longest=([readers]=400)

# shellcheck source-path=SCRIPTDIR source=../tests/tap.sh
. "$here/../tests/tap.sh"

# has_libfuzzer: can clang link a target?
has_libfuzzer() {
	local program status

	[ -n "$(type -P clang)" ] && program=$(mktemp) || return
	clang -x c -fsanitize=fuzzer,address -o "$program" - 2>/dev/null \
		<<<'int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size) { return !data || !size; }'
	status=$?
	rm -f "$program"
	return $status
}

# fuzz TARGET RUNS SEED: prints a line of facts
fuzz() {
	local target=$1 log=$build/log.$1 status inputs=${like[$1]-$1} folders

	folders=("$build/found/$target" "$here/corpus/$inputs")
	[ ! -d "$here/regress/$inputs" ] || folders+=("$here/regress/$inputs")
	mkdir -p "$build/found/$target" "$build/failed"
	# Freed memory that is kept back long costs page faults, and long stacks of allocations cost time.
	ASAN_OPTIONS=quarantine_size_mb=1:malloc_context_size=4 "$build/fuzz/bin/$target" -runs="$2" -seed="$3" -max_len="${longest[$target]-2048}" \
		-timeout=60 -rss_limit_mb=2500 -entropic=0 -reload=0 -detect_leaks=0 -dict="$here/dict/$inputs" -print_final_stats=1 \
		-artifact_prefix="$build/failed/$target-" "${folders[@]}" >"$log" 2>&1
	status=$?
	awk -v target="$target" '/ cov: / { cov = $0; sub(/.* cov: /, "", cov); sub(/ .*/, "", cov) }
		/stat::number_of_executed_units:/ { runs = $2 }
		END { print target ": " runs + 0 " inputs, " cov + 0 " edges covered" }' "$log"
	return $status
}

run() {
	local runs=$1 seed=$2 target facts status

	for target in "${targets[@]}"; do
		facts=$(fuzz "$target" $((runs * share[$target] / 100)) "$seed")
		status=$?
		result $status "fuzz: $facts" "$(grep -aE '^fuzz:|ERROR|SUMMARY|runtime error|Test unit' "$build/log.$target" | head -n 12)"
	done
}

# Only inputs that reach new code, not those that reach the same more often: the corpora must stay small.
merge() {
	local target folders other

	for target in "${targets[@]}"; do
		[ -z "${like[$target]-}" ] || continue
		folders=("$here/corpus/$target" "$build/found/$target")
		for other in "${!like[@]}"; do
			[ "${like[$other]}" != "$target" ] || folders+=("$build/found/$other")
		done
		mkdir -p "${folders[@]}"
		rm -rf "$build/merged"
		mkdir -p "$build/merged"
		"$build/fuzz/bin/$target" -merge=1 -use_counters=0 -max_len=2048 -detect_leaks=0 "$build/merged" "${folders[@]}" \
			>"$build/log.merge.$target" 2>&1 || exit
		rm -rf "$here/corpus/$target"
		mv "$build/merged" "$here/corpus/$target"
		echo "$target: $(find "$here/corpus/$target" -type f | wc -l) inputs"
	done
}

case $verb in
run)
	[ $# = 4 ] || usage
	if ! has_libfuzzer; then
		for target in "${targets[@]}"; do
			skip "fuzz: $target" "clang with libFuzzer is missing: scripts/lab/deps.sh fuzz installs it"
		done
	elif make -s -C "$here/.." BUILD="$(dirname "$build")" fuzz-clang-bin >&2; then
		run "$3" "$4"
	else
		result 1 "fuzz: the targets build"
	fi
	finish
	;;
merge)
	[ $# = 2 ] || usage
	merge
	;;
*) usage ;;
esac
