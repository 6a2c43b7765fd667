# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# Decisions against the papers' page loops, and thrash events counted again from the log of decisions.

# LRU evicts 0, 1, 2, … for W16, W0, W1. 0 comes back while 2, 3 and 4 have been there all the time;
# 1 likewise. 16 never left before. W100 comes back, too, but nothing is near it.
is "thrashing: pages that come back to their neighbours" "thrash_events=2" \
	"$(stats thrash_events -- $fill W16 W0 W1)"
is "thrashing: what has no neighbours does not count" "evictions=2 thrash_events=0" \
	"$(stats "evictions thrash_events" --replacement fifo -- \
		W100 $(for ((i = 2; i <= 17; i++)); do echo W${i}00; done) W100)"
# 0 to 3 leave, then all others but the last; when 0 comes back its neighbours are gone, or new.
is "thrashing: neighbours have to have stayed" "thrash_events=0" \
	"$(stats thrash_events -- $(pages W 0 3) $(pages W 20 31) $(pages W 40 51) $(pages W 0 3))"
# 64 frames, requests of up to 16 and up to 80 pages among 256: many find pages that they have just evicted.
for longest in 16 80; do
	python3 -c 'import random, sys
random.seed(1)
print("# ssdcache-trace 1")
for i in range(1000):
    page = random.choice((random.randrange(240), random.randrange(64), i % 240))
    print("%d000000,%s,%d,%d," % (i, random.choice("RW"), page * 8, random.randint(1, int(sys.argv[1])) * 8))' $longest > "$scratch/trace"
	for policy in lru fifo lfu cflru:window=33 bplru:block=64 vbbms req-block; do
		"$sim" --closed --dram 256k --replacement "$policy" --admission read-write \
			--log-decisions "$scratch/log" "$scratch/trace" > /dev/null
		python3 "$tests/page-loop.py" "${policy%:*}" 64 "$scratch/log" | sed 's/.*: //'
	done
done > "$scratch/loops"
is "closed: all decisions are those of the papers' page loops" "14 the same" "$(sort "$scratch/loops" | uniq -c | sed 's/^ *//')"
span=1
for policy in $(names replacement); do
	# A scheme and a span for each policy, in turn; lru has some events, others may have none.
	admission=$([ $span = 1 ] && echo write-buffer || echo read-write)
	"$sim" --json --limit 3000 --dram 512k --replacement "$policy" --admission "$admission" --thrash-span $span \
		--log-decisions "$scratch/log" "$demo" > "$scratch/json"
	counted=$(python3 "$tests/count-thrash.py" $((128 * span)) "$scratch/log")
	python3 -c 'import json, sys; print(json.load(sys.stdin)["stats"]["thrash_events"] - int(sys.argv[1]))' \
		"$counted" < "$scratch/json"
	[ "$counted" -gt 0 ] || [ "$policy" != lru ] || echo "none: $policy $admission"
	span=$((4 - span))
done > "$scratch/differences"
is "thrashing: counted again from the log of decisions, all policies" "0" "$(sort -u "$scratch/differences")"
# Times are 16 bits: more than twice as many evictions, with pages that stay all the while.
python3 - > "$scratch/long.csv" <<'PYTHON'
import random

random.seed(1)
print("# ssdcache-trace 1")
for i in range(200000):
    page = 10 * random.randrange(16) if random.random() < 0.25 else random.randrange(4000)
    print(f"{i},W,{8 * page},8,")
PYTHON
"$sim" --json --closed --dram 1m --replacement lfu --thrash-span 16 --log-decisions "$scratch/log" \
	"$scratch/long.csv" > "$scratch/json"
is "thrashing: counted again, over many evictions" \
	"thrash_events=$(python3 "$tests/count-thrash.py" 4096 "$scratch/log")" \
	"$(python3 -c 'import json, sys
stats = json.load(sys.stdin)["stats"]
assert stats["evicted_pages"] > 2 * 65536
print("thrash_events=%d" % stats["thrash_events"])' < "$scratch/json")"
# More than 16384 slots: time is coarse, here in eights.
python3 - > "$scratch/coarse.csv" <<'PYTHON'
import random

random.seed(1)
print("# ssdcache-trace 1")
for i in range(60000):
    print(f"{i},W,{8 * random.randrange(10000)},8,")
PYTHON
# The log must be whole before it is read.
"$sim" --json --closed --dram 8m --replacement lru --thrash-span 64 --log-decisions "$scratch/log" "$scratch/coarse.csv" > "$scratch/json"
is "thrashing: counted again, in coarse time" \
	"$(python3 "$tests/count-thrash.py" 131072 "$scratch/log")" \
	"$(python3 -c 'import json, sys; print(json.load(sys.stdin)["stats"]["thrash_events"])' < "$scratch/json")"
