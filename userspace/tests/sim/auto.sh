# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# auto as the policy and as the admission scheme.

# Reads far apart, 10 ms each. Phase A uses each of 12 pages twice, then 12 other pages once: lfu keeps the 12. Phase B uses each page
# again after 8 others: lru has it, lfu keeps the 12 of phase A.
phases() {
	awk -v periods="$1" -v alternate="${2:-1}" 'BEGIN {
		print "# ssdcache-trace 1"
		for (i = 0; i < periods * 100; i++) {
			if (int(i / 100 / (periods / 2 / alternate)) % 2 == 0)
				page = i % 36 < 24 ? int(i % 36 / 2) : 10000 + i
			else
				page = 20000 + int(i / 2) - (i % 2) * 4
			printf "%d0000000,R,%d,8,\n", i, page * 8
		}
	}'
}
# auto ",WORD,..." OPTION...: a run with words of auto, and defaults for those that are not given
auto() {
	local words=$1 word

	for word in candidates=lru+lfu period=100 memory=100; do
		[[ $words == *,"${word%%=*}"=* ]] || words=,$word$words
	done
	"$sim" --json --dram 64k --admission read-write --read-us 100 --replacement "auto:${words#,}" "${@:2}"
}
phases 20 > "$scratch/trace"
is "auto: the policy of each phase, within three periods" "300 1, 1300 0" \
	"$(auto "" "$scratch/trace" | jq -r '[.auto.decisions[] | select(.from != .to) |
		"\(if .request <= 300 then 300 elif .request > 1000 and .request <= 1300 then 1300 else .request end) \(.to)"] | join(", ")')"
is "auto: the report is of the live mix: better than each policy" "true" \
	"$(auto "" "$scratch/trace" | jq -s '.[0].stats.read_hits > ([.[1:][].stats.read_hits] | max)' - <(for policy in lru lfu; do
		"$sim" --json --dram 64k --admission read-write --read-us 100 --replacement $policy "$scratch/trace"
	done))"
# The policy of the first candidate is live for a part of the run only: the run's hits are not those of its shadow.
is "auto: shadows of all addresses have the hits of their own policies" "lru false, lfu false: as full runs" "$(
	auto "" --shadow lru,lfu --shadow-sizes 100 --shadow-rate 100 "$scratch/trace" > "$scratch/shadows.json"
	jq -rj '.shadow.candidates | map("\(.replacement) \(.sizes[0].uncertain)") | join(", ")' "$scratch/shadows.json"
	for policy in lru lfu; do
		"$sim" --json --dram 64k --admission read-write --read-us 100 --replacement $policy "$scratch/trace"
	done | jq '.stats | .read_hits * 1000000 / .read_pages | floor' |
		diff - <(jq '.shadow.candidates[].sizes[0].hit_ppm' "$scratch/shadows.json") > /dev/null && echo ": as full runs")"
is "auto: no longer trace makes the shadows of a sample certain" "  Hits with ? are uncertain, as they are not corrected. Use --shadow-rate 100." \
	"$("$sim" --dram 64k --admission read-write --read-us 100 --replacement auto:candidates=lru+lfu,period=100,memory=100 \
		--shadow lru,lfu --shadow-sizes 3200 --shadow-rate 50 "$scratch/trace" | grep "Hits with ?")"
refuses "auto: region" "region: 4k is not a power of two from 8k, a page, to 1g" --page 8k --dram 128k --replacement auto:region=4 "$scratch/trace"
refuses "auto: the scheme of a candidate" 'admission: "auto" is not one of' --replacement auto:candidates=lru/auto "$scratch/trace"
is "auto: the scheme of a candidate is not offered auto" "corw-8" \
	"$("$sim" --replacement auto:candidates=lru/auto "$scratch/trace" 2>&1 | awk '{ print $NF }')"
is "auto: one candidate is that policy" "true" "$(for policy in auto:candidates=lfu lfu; do
	"$sim" --json --dram 64k --admission read-write --replacement $policy "$scratch/trace" | jq 'del(.command, .auto)'
done | jq -s '.[0] == .[1] and .[0].stats.read_hits > 0')"
is "auto: data are right while policies change" "0" \
	"$(auto ",hysteresis=0" --verify "$scratch/trace" > /dev/null; echo $?)"
is "auto: the second phase is noticed within the memory, with a longer one later" "true" "$(for memory in 250 1000; do
	auto ",memory=$memory,hysteresis=3" "$scratch/trace" | jq '.auto.decisions[] | select(.from == 1 and .to == 0) | .request'
done | jq -s '1000 < .[0] and .[0] <= 1250 and .[0] < .[1] and .[1] <= 2000')"
phases 120 30 > "$scratch/trace"
is "auto: does not flap if phases alternate" "true" "$(auto "" "$scratch/trace" | jq '.auto.stats.switches <= 15')"
is "auto: admission schemes" "read-write" \
	"$(auto ",candidates=lru/write-buffer+lru/read-write" "$scratch/trace" | jq -r .config.admission)"
schemes() {
	"$sim" --json --dram 64k --read-us 100 --admission "auto:candidates=write-buffer+read-write$1" "${@:2}" "$scratch/trace"
}
is "auto: the admission scheme of one policy" "cflru:window=30 read-write 1" \
	"$(schemes ,period=100,memory=100 --replacement cflru:window=30 | jq -r '[.config.replacement, .config.admission, .auto.stats.switches] | join(" ")')"
is "auto: schemes are chosen as candidates of replacement auto are" "true" "$({
	schemes ,period=50 --replacement lru
	"$sim" --json --dram 64k --read-us 100 --replacement auto:candidates=lru/write-buffer+lru/read-write,period=50 "$scratch/trace"
} | jq -s 'map(del(.command)) | .[0] == .[1] and (.[0].auto.decisions | length) > 10')"
is "auto: policies and schemes" "lru/write-buffer lru/read-write lfu/l-corw fifo/write-buffer fifo/read-write" \
	"$(schemes "" --replacement auto:candidates=lru+lfu/l-corw+fifo | jq -r '[.auto.candidates[] | .replacement + "/" + .admission] | join(" ")')"
is "auto: write-buffer is the first scheme" "write-buffer read-write" \
	"$("$sim" --json --dram 64k --admission auto "$scratch/trace" | jq -r '[.auto.candidates[].admission] | join(" ")')"
# Writes to 12 pages, and every eighth to a new page: lru keeps the 12, fifo does not. They arrive thousands of times as fast as the device
# writes, so the responses of a period, in 1/256 ns, add up to more than 64 bits.
awk 'BEGIN {
	print "# ssdcache-trace 1"
	for (i = 0; i < 30000; i++)
		printf "%d00000,W,%d,8,\n", i, (i % 8 ? i * 5 % 12 : 1000 + i) * 8
}' > "$scratch/backlog"
is "auto: a backlog of hours makes no candidate cheap" "lru 0, lru 1" "$(for candidates in lru+fifo fifo+lru; do
	auto ",candidates=$candidates,memory=1000000,period=500" --write-us 10000000 "$scratch/backlog" |
		jq -r '"\(.config.replacement) \(.auto.stats.switches)"'
done | paste -sd, | sed 's/,/, /')"
phases 20 > "$scratch/trace"
is "auto: in a sweep" "auto:candidates=lru+lfu,period=100 lru" "$("$sim" sweep --dram 64k --admission read-write \
	--replacement lru,auto:candidates=lru+lfu,period=100 --output "$scratch/auto-sweep" "$scratch/trace" > /dev/null &&
	python3 -c 'import csv, sys
print(*sorted(row["replacement"] for row in csv.DictReader(sys.stdin)))' < "$scratch/auto-sweep/cells.csv")"
is "auto: the sample is that of shadows" "2" "$(auto "" --shadow-rate 50 --shadow-region 4k --shadow-pages 8 "$scratch/trace" | jq '.auto.candidates | length')"
refuses "auto: unknown word" "'window=3' is not one of candidates= period= memory= hysteresis= goal= change= rate= region= pages=" --replacement auto:window=3 "$scratch/trace"
refuses "auto: unknown policy" "nosuch" --replacement auto:candidates=lru+nosuch "$scratch/trace"
refuses "auto: period" 'period: "5" is not a number from 10' --replacement auto:period=5 "$scratch/trace"
refuses "auto: a log of one policy" "--log-decisions: auto changes the policy" --replacement auto --log-decisions x "$scratch/trace"
