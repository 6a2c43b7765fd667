# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# Caches with several shards. Regions have 1024 pages; the first four belong to the shards 0, 2, 0 and 3 of four.

# some_pages SEED REGION...: 800 reads and writes of one or two pages, at random, of 48 pages of each region
some_pages() {
	awk -v seed="$1" -v regions="${*:2}" 'BEGIN {
		nr = split(regions, region, " ")
		for (srand(seed); n < 800; n++)
			printf "%s:%d+%d\n", rand() < 0.6 ? "W" : "R",
				region[1 + int(rand() * nr)] * 8192 + int(rand() * 48) * 8 * (1 + int(rand() * 2)), 8 + 8 * int(rand() * 2)
	}'
}

# numbers OPTION...: counts and latencies of $scratch/trace
numbers() {
	"$sim" --json --admission read-write "$@" "$scratch/trace" | jq -c '[.latency, (.stats | del(.reserve_bytes)), .replacement]'
}

trace $(some_pages 1 0 1 2 3) F > "$scratch/trace"
for spec in lru req-block vs-batch-plus; do
	is "shards: 1 is as none, $spec" "" "$(diff <("$sim" --json --dram 256k --replacement $spec "$scratch/trace" | jq 'del(.command)') \
		<("$sim" --json --dram 256k --replacement $spec --shards 1 "$scratch/trace" | jq 'del(.command)'))"
done
trace $(some_pages 2 3) > "$scratch/trace"
for spec in lru cflru-ef-sc req-block co-active; do
	is "shards: a region has a part of the DRAM, $spec" "$(numbers --dram 128k --replacement $spec --flush-us 30)" \
		"$(numbers --dram 512k --shards 4 --replacement $spec --flush-us 30)"
done
# A shard at a time, and all of them.
some_pages 3 0 1 2 3 > "$scratch/all"
names='read_hits write_hits evicted_pages through_flushed write_pages'
alone=()
for regions in '[02]' 1 3; do
	trace $(awk -F '[:+]' -v regions="$regions" 'int($2 / 8192) ~ regions' "$scratch/all") > "$scratch/trace"
	alone+=("$("$sim" --json --closed --dram 128k --admission read-write "$scratch/trace" |
		jq -c --arg names "$names" '[.stats[$names | split(" ")[]]]')")
done
trace $(cat "$scratch/all") > "$scratch/trace"
is "shards: counts are sums" "$(printf '%s\n' "${alone[@]}" | jq -sc 'transpose | map(add)')" \
	"$("$sim" --json --closed --dram 512k --shards 4 --admission read-write "$scratch/trace" |
		jq -c --arg names "$names" '[.stats[$names | split(" ")[]]]')"
is "shards: requests are cut at the ends of regions" "writes=3 write_pages=1030 flushes=0" \
	"$(stats "writes write_pages flushes" --dram 1m --shards 4 -- W:8168+8240)"
is "shards: so are discards of few regions" "discards=3 dropped_pages=1 used=2" \
	"$(stats "discards dropped_pages used" --dram 1m --shards 4 -- W0 W1024 W3072 D:8+24568)"
is "shards: a discard of many regions has a part in each shard" "discards=4 dropped_pages=3 used=1" \
	"$(stats "discards dropped_pages used" --dram 1m --shards 4 -- W0 W1024 W3072 W12288 D:8+106488)"
is "shards: a FLUSH goes to all" "flushes=4 sync_passes=4" "$(trace W0 F W1024 > "$scratch/trace"
	"$sim" --dram 1m --shards 4 "$scratch/trace" | awk '$1 == "flushes" || $1 == "sync_passes" { print $1 "=" $2 }' | paste -sd' ')"
# Each shard asks as soon as its page is on the origin, so the first goes alone, and the others share the next.
is "shards: FLUSHes of the origin are shared" "275" "$(trace W0 W1024 W3072 W4096 F > "$scratch/trace"
	"$sim" --dram 1m --shards 4 --flush-us 100 --json "$scratch/trace" | jq '.latency.flush.max_ns / 1000')"
is "shards: the report says that latencies are of parts" "0 1" "$(for nr in 1 4; do
	"$sim" --dram 1m --shards $nr "$scratch/trace" | grep -A 6 '^latency' | grep -c 'of parts of requests, one for each shard'
	done | paste -sd' ')"
# Two at a time, whatever the cuts: each of these reads has a part in the first region and one in the second.
trace $(printf "R:8184+16 %.0s" {1..100}) > "$scratch/trace"
is "shards: --depth counts requests, not their parts" "$("$sim" --depth 2 --dram 1m "$scratch/trace" --json | jq .run.simulated_ns)" \
	"$("$sim" --depth 2 --dram 1m --shards 4 "$scratch/trace" --json | jq .run.simulated_ns)"
for spec in lru cflru-ef-sc req-block vs-batch-plus bplru:block=48,padding=on; do
	"$sim" --verify --depth 8 --dram 1m --shards 3 --replacement $spec --admission read-write --flash s002 --fold --limit 3000 \
		"$demo" > /dev/null 2> "$scratch/errors"
	is "shards: data checked, $spec" "" "$(grep -v 'gc_threshold' "$scratch/errors")"
done
is "shards: an axis of a sweep" "1 2 4" "$("$sim" sweep --shards 1,2,4 --dram 1m --output "$scratch/shards" "$scratch/trace" > /dev/null 2>&1
	jq -rs 'map(.result.config.shards // 1) | sort | join(" ")' "$scratch/shards/cells.jsonl")"
refuses "shards: 0" "--shards: '0' is not a number from 1 to 64" --shards 0 "$scratch/trace"
refuses "shards: 65" "--shards: '65' is not a number from 1 to 64" --shards 65 "$scratch/trace"
refuses "shards: too little DRAM" "shards: 5 is not from 1 to 4: each needs 16 pages of dram" --dram 256k --shards 5 "$scratch/trace"
refuses "shards: a log of one engine" "--log-decisions has no meaning with several --shards" --shards 2 --log-decisions x "$scratch/trace"
refuses "shards: values over time" "--series has no meaning with several --shards" --shards 2 --series x "$scratch/trace"
refuses "shards: shadows" "--shadow has no meaning with several --shards" --shards 2 --shadow lru "$scratch/trace"
refuses "shards: auto" "--replacement auto has no meaning with several --shards" --shards 2 --replacement auto "$scratch/trace"
refuses "shards: admission auto" "--admission auto has no meaning with several --shards" --shards 2 --admission auto "$scratch/trace"
refuses "shards: opt" "--replacement opt has no meaning with several --shards" --shards 2 --replacement opt "$scratch/trace"
refuses "shards: no cache" "--shards has no meaning with --no-cache" --no-cache --flash s002 --shards 2 "$scratch/trace"
