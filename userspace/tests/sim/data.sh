# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# Real traces with all policies, schemes and prefetchers: each read must be right.

real=("$demo")
# Checked reads of a MiB each take their time.
for name in msr_web0_100k ms_tpcc_small fiu_mail_10k systor17_additional ${SSDC_LONG:+blk_java_btrfs}; do
	[ ! -r "$traces/$name.csv.gz" ] || real+=("$traces/$name.csv.gz")
done
runs=()
on_request=" $("$sim" --describe | jq -r '.replacement[] | select(.on_request) | .name' | paste -sd' ') "
for policy in $(names replacement); do
	# Without SSDC_LONG, one run is enough for policies that do not know more than lru.
	if [[ -z ${SSDC_LONG-} && $on_request = *" $policy "* ]]; then
		runs+=("--replacement $policy --admission read-write")
		continue
	fi
	for admission in write-buffer read-write l-corw:period_ms=20,rar_window=20,cold=500,tt_low=1,rt_low=1; do
		runs+=("--replacement $policy --admission $admission")
	done
	for prefetch in c-miner:window=64,segment=8 rop pattern:window=64,min_support=2,transaction=8 \
		pattern-plus:window=64,min_support=2,transaction=8,tau_max=10000; do
		runs+=("--replacement $policy --prefetch $prefetch")
	done
done
for admission in $(names admission); do
	runs+=("--admission $admission")
done
# The report of a run without its "command".
report() {
	"$sim" --json --limit "${SSDC_LONG:+2}600" --dram 512k "$@" | grep -v '"command"'
}

# Each trace takes its share of the runs; with SSDC_LONG all of them. Copies take time only if data are checked.
for i in "${!real[@]}"; do
	for ((j = 0; j < ${#runs[@]}; j++)); do
		[ -n "${SSDC_LONG-}" ] || [ $((j % ${#real[@]})) = "$i" ] || continue
		report --verify ${runs[j]} "${real[i]}" > "$scratch/checked"
		report --flush-at-end ${runs[j]} "${real[i]}" | cmp - "$scratch/checked" >&2 || echo "with ${runs[j]}" >&2
	done 2> "$scratch/errors"
	is "$(basename "${real[i]}"): policies, schemes and prefetchers, data checked, the same without" "" "$(cat "$scratch/errors")"
done
