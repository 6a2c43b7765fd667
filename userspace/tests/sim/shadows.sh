# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# Shadows of a run: sizes, samples, corrections.

# 16 frames, 32 pages again and again: LRU has no hit; 32 frames hold all of them after the first round.
trace $(pages W 0 31) $(pages W 0 31) $(pages W 0 31) > "$scratch/trace"
is "shadows: twice the DRAM" "0 666666" \
	"$("$sim" --json --closed --dram 64k --shadow lru --shadow-sizes 100,200 --shadow-rate 100 "$scratch/trace" |
		jq -r '[.shadow.candidates[0].sizes[].hit_ppm] | join(" ")')"
# Live, lru hits 52 % of this trace, and 3 to 55 % of its samples, of 4 to 27 regions: other sizes cannot be told from them.
"$sim" --json --dram 8m --admission read-write --shadow lru,fifo "$demo" > "$scratch/shadows.json"
sizes='.shadow.candidates[] | .sizes[]'
is "shadows: no correction beyond 0 or 100 %" "0" "$(jq "[$sizes | select(.hit_ppm == 0 or .hit_ppm == 1000000)] | length" "$scratch/shadows.json")"
is "shadows: what cannot be corrected is the sample's" "50,400 true" "$(jq -r "[$sizes | select(.corrected | not)] |
	(.[:2] | map(.size_percent | tostring) | join(\",\")) + \" \" + (all(.hit_ppm == .sampled_ppm and .uncertain) | tostring)" "$scratch/shadows.json")"
is "shadows: few regions are uncertain, but for the live policies and size" "1 of 10: lru 100" \
	"$(jq -r '[.shadow.candidates[] | .replacement as $name | .sizes[] | {name: $name, size_percent, uncertain}] |
		map(select(.uncertain | not)) as $sure | "\($sure | length) of \(length): " + ($sure | map("\(.name) \(.size_percent)") | join(", "))' \
		"$scratch/shadows.json")"
"$sim" --dram 8m --admission read-write --shadow lru,fifo "$demo" > "$scratch/shadows"
is "shadows: uncertain hits are marked" "9 1" "$(sed -n '/^shadows/,$p' "$scratch/shadows" |
	awk '/^  (lru|fifo) / { marked += $7 ~ /\?$/ } /Hits with \? are uncertain: the sample has fewer than 30 regions/ { notes++ } END { print marked, notes }')"
is "shadows: all addresses are certain" "0" "$("$sim" --dram 8m --admission read-write --shadow lru,fifo --shadow-rate 100 "$demo" |
	sed -n '/^shadows/,$p' | grep -cF '?')"
is "shadows: all but opt, which knows the run" "$(names replacement | grep -vx opt | sort | xargs)" \
	"$("$sim" --json --dram 64k --shadow all --shadow-sizes 100 "$scratch/trace" |
		jq -r '.shadow.candidates[].replacement' | sort | xargs)"
is "shadows: each admission scheme" "lru read-write, cflru:window=30 read-write, lru corw-1, cflru:window=30 corw-1" \
	"$("$sim" --json --dram 64k --shadow lru,cflru:window=30 --shadow-admission read-write,corw-1 "$scratch/trace" |
		jq -r '[.shadow.candidates[] | .replacement + " " + .admission] | join(", ")')"
build_samples
is "shadows: all policies with all schemes, and a plug-in" "$((($(names replacement | grep -cvx opt) + 1) * $(names admission | wc -l)))" \
	"$("$sim" --plugin "$mru" --json --dram 64k --shadow all,mru --shadow-admission all --shadow-sizes 100 --limit 5 "$scratch/trace" |
		jq '[.shadow.candidates[] | .replacement + " " + .admission] | unique | length')"
windows() { seq -s, -f 'cflru:window=%g' "$1"; }
corw="corw-1,corw-2,corw-3,corw-4,corw-5,corw-6,corw-7,corw-8"
is "shadows: as many as there may be" 512 "$("$sim" --json --dram 64k --shadow "$(windows 64)" --shadow-admission $corw --shadow-sizes 100 \
	"$scratch/trace" | jq '.shadow.candidates | length')"
refuses "shadows: too many" "shadow: 513 candidates are not from 1 to 512" --shadow "$(windows 57)" --shadow-admission $corw,read-write "$scratch/trace"
is "shadows do not change the run" "" "$(diff <("$sim" --json --dram 64k "$scratch/trace" | jq 'del(.command)') \
	<("$sim" --json --dram 64k --shadow lru,lfu "$scratch/trace" | jq 'del(.command, .shadow)'))"
refuses "shadows: none, but a rate" "--shadow-rate has no meaning without --shadow, --replacement auto or --admission auto" --shadow-rate 5 "$scratch/trace"
refuses "shadows: none, but sizes" "--shadow-sizes has no meaning without --shadow" --replacement auto --shadow-sizes 50 "$scratch/trace"
refuses "shadows: of no cache" "--shadow has no meaning with --no-cache" --no-cache --flash s002 --shadow lru "$scratch/trace"
refuses "shadows: rate" "--shadow-rate: '0' is not a number from 0.0001 to 100" --shadow lru --shadow-rate 0 "$scratch/trace"
refuses "shadows: region" "--shadow: shadow: region: 2k is not a power of two from 4k, a page, to 1g" --shadow lru --shadow-region 2k "$scratch/trace"
refuses "shadows: unknown policy" "nosuch" --shadow lru,nosuch "$scratch/trace"
refuses "shadows: opt" "--shadow: opt has no shadow" --shadow opt "$scratch/trace"
refuses "shadows: of a run of opt" "the estimates need a shadow of --replacement, and opt has no shadow" --replacement opt --shadow lru "$scratch/trace"
