# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# What policies and admission schemes keep and evict. Counts are worked out by hand, for 16 frames. --verify flushes at
# the end: counts of that are forced_flushed.

# Full after 16 writes. W0 hits. W16 evicts: LRU page 1, as 0 was just used; FIFO page 0.
# The last W0 hits with LRU; with FIFO it misses and evicts page 1.
is "lru keeps what was used" \
	"writes=19 write_hits=2 write_absorbed=18 evictions=1 batch_flushed=1" \
	"$(stats "writes write_hits write_absorbed evictions batch_flushed" \
		--replacement lru -- $fill W0 W16 W0)"
# With clean victims, nothing waits: a write that evicts is not absorbed even so.
stats "" --admission read-write -- $(pages R 0 15) W16 > /dev/null
is "absorbed: the report says what it counts" "absorbed 0.0000 page writes for which no eviction was started" \
	"$(awk '$1 == "absorbed" { $1 = $1; print }' "$scratch/report")"
# 16 frames hold 0 to 15; of these 3 is used again, but last, and all others before it except
# 7, which never is. W16 evicts 7; W17 evicts 16, never used again; W18 evicts 17.
again="$(pages W 0 2) $(pages W 4 6) $(pages W 8 15) W3"
is "opt evicts what is used last" \
	"write_hits=15 evictions=3 never_used=3 spared=0" \
	"$(stats "write_hits evictions never_used spared" --replacement opt -- \
		$fill W16 W17 W18 $again)"
# All are used again. W16 has to evict 3, which is used last: it has neighbours, but so have the
# 15 others. W7, W16 and the 14 pages up to W3 hit; W3 evicts again.
is "opt spares no page if all have neighbours" \
	"write_hits=16 evictions=2 spared=0" \
	"$(stats "write_hits evictions spared" --replacement opt:avoid_thrashing=16 -- \
		$fill W16 W7 W16 $again)"
# None of 20, 30, 40, … has a neighbour but 30 and 31; 31 is used last, and spared for 20.
apart="W20 W30 W31 $(for ((i = 4; i <= 16; i++)); do echo W${i}0; done)"
is "opt spares a page with a neighbour" \
	"write_hits=15 evictions=2 spared=1" \
	"$(stats "write_hits evictions spared" --replacement opt:avoid_thrashing=2 -- \
		$apart W200 $(for ((i = 4; i <= 16; i++)); do echo W${i}0; done) W30 W20 W31)"
# A read of a page is a use where reads enter; where they do not, the next write is.
# Requests of 1 to 8 pages, in which opt itself can be beaten; a discard of whole pages now and then.
python3 - > "$scratch/long" <<'PROGRAM'
import random
random.seed(7)
print("# ssdcache-trace 1")
for ms in range(4000):
    op = random.choice("RWWWRWRWRWRWRWRWRWRD" if ms % 50 == 0 else "RW")
    page = int(random.paretovariate(0.6)) * 3 % 200
    print(f"{ms}000000,{op},{page * 8},{8 * random.randint(1, 8)},")
PROGRAM
above=
bound=$("$sim" --json --closed --dram 128k --replacement opt --admission read-write "$scratch/long" |
	python3 -c 'import json, sys; print(json.load(sys.stdin)["replacement"]["stats"]["bound_hits"])')
for policy in $(names replacement); do
	for scheme in write-buffer read-write corw-4; do
		hits=$("$sim" --json --closed --dram 128k --replacement "$policy" --admission $scheme "$scratch/long" |
			python3 -c 'import json, sys; s = json.load(sys.stdin)["stats"]; print(s["read_hits"] + s["write_hits"])')
		[ "$hits" -le "$bound" ] || above+=" $policy $scheme $hits"
	done
done
is "no policy has more hits than the bound of opt" "" "$above"
is "the bound: a page may pass by; the discarded one does not hit" "2 0" "$(
	for words in "R0 R1 R2 R0 R3 R4 R1 D2 R2" "R0 D0 R0"; do
		trace $words > "$scratch/trace"
		"$sim" --json --closed --dram 64k --replacement opt --admission read-write "$scratch/trace" |
			python3 -c 'import json, sys; print(json.load(sys.stdin)["replacement"]["stats"]["bound_hits"])'
	done | paste -sd' ')"
# Twice 17 pages, of which 16 are in DRAM: one misses in the second round.
is "the bound: DRAM without the reserve" "16 16" "$(
	trace $(pages R 0 16) $(pages R 0 16) > "$scratch/trace"
	"$sim" --json --closed --dram 64k --replacement opt --admission read-write "$scratch/trace" |
		python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["stats"]["read_hits"], r["replacement"]["stats"]["bound_hits"])')"
# Flash pages of 8 KiB: the discard of half of one leaves page 0 in DRAM, that of all of it does not.
is "the bound: discards are narrowed to flash pages" "1 1 0 0" "$(
	for words in "W0 D0 R0" "W0 D:0+16 R0"; do
		trace $words > "$scratch/trace"
		"$sim" --json --closed --dram 128k --flash shin23:blocks=0 --replacement opt "$scratch/trace" 2> "$scratch/doubt" |
			python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["stats"]["read_hits"], r["replacement"]["stats"]["bound_hits"])'
	done | paste -sd' ')"
is "opt: reads count where they enter" "read_hits=1 read_hits=0" \
	"$(for admission in read-write write-buffer; do
		stats read_hits --replacement opt --admission $admission -- \
			$fill W16 R0 $(pages W 1 16) W0
	done | paste -sd' ')"
# 5 is discarded before it is used again: it is the first to go, although its next write is the first.
is "opt: a discard ends what is worth keeping" "write_hits=15 dropped_pages=0" \
	"$(stats "write_hits dropped_pages" --replacement opt -- $fill W16 D5 W5 $(pages W 0 4) $(pages W 6 15))"
is "fifo does not" \
	"writes=19 write_hits=1 write_absorbed=17 evictions=2 batch_flushed=2" \
	"$(stats "writes write_hits write_absorbed evictions batch_flushed" \
		--replacement fifo -- $fill W0 W16 W0)"

# Page 0 is written three times, then 1 to 15 once: 2 hits. W16 evicts: LRU page 0, the least
# recent; LFU page 1, the first of those written once. The last W0 then hits with LFU only.
is "lru forgets how often a page was used" "write_hits=2 evictions=2" \
	"$(stats "write_hits evictions" --replacement lru -- W0 W0 W0 $(pages W 1 15) W16 W0)"
is "lfu does not" "write_hits=3 evictions=1" \
	"$(stats "write_hits evictions" --replacement lfu -- W0 W0 W0 $(pages W 1 15) W16 W0)"

# 0 to 7 dirty, 8 to 11 clean, 12 to 15 dirty; W16 needs a frame. Over the whole list the clean
# page 8 leaves; within the last 25 % (pages 0 to 3) none is clean, so 0 does. LRU: 0.
mixed="$(pages W 0 7) $(pages R 8 11) $(pages W 12 15) W16"
is "cflru: a clean page leaves first" "evicted_pages=1 evicted_clean=1 batch_flushed=0" \
	"$(stats "evicted_pages evicted_clean batch_flushed" --admission read-write \
		--replacement cflru:window=100 -- $mixed)"
is "cflru: not from outside its window" "evicted_pages=1 evicted_clean=0 batch_flushed=1" \
	"$(stats "evicted_pages evicted_clean batch_flushed" --admission read-write \
		--replacement cflru:window=25 -- $mixed)"
is "lru: clean or dirty is all the same" "evicted_pages=1 evicted_clean=0 batch_flushed=1" \
	"$(stats "evicted_pages evicted_clean batch_flushed" --admission read-write \
		--replacement lru -- $mixed)"

# Blocks of 4: 0 1 2 are one, then 4, 8, … 60 fill 13 more frames with one page each (of blocks that are written once).
# W64 evicts: FAB the three pages together, BPLRU the block written least recently, which is the same one here. W0, W1 then
# miss and find two free frames. After a rewrite of 0 BPLRU keeps them and block 4 leaves.
blocks="W0 W2 W1 $(for ((i = 4; i <= 52; i += 4)); do echo W$i; done)"
is "fab evicts a group" "write_hits=0 evictions=1 evicted_pages=3" \
	"$(stats "write_hits evictions evicted_pages" --replacement fab:block=4 -- $blocks W64 W0 W1)"
is "bplru does, too" "write_hits=0 evictions=1 evicted_pages=3" \
	"$(stats "write_hits evictions evicted_pages" --replacement bplru:block=4 -- $blocks W64 W0 W1)"
is "bplru keeps a block that was written again" "write_hits=2 evictions=1 evicted_pages=1" \
	"$(stats "write_hits evictions evicted_pages" --replacement bplru:block=4 -- $blocks W0 W64 W1)"
is "fab does not" "write_hits=1 evictions=1 evicted_pages=3" \
	"$(stats "write_hits evictions evicted_pages" --replacement fab:block=4 -- $blocks W0 W64 W1)"
# Page 3 of the block is read, and the block written as a whole.
is "bplru with padding" "evicted_pages=3 batch_flushed=3 pad_flushed=1 padded_pages=1" \
	"$(stats "evicted_pages batch_flushed pad_flushed padded_pages" \
		--replacement bplru:block=4,padding=on -- $blocks W64)"
# 9 of 16 frames are for random requests. W12 is the tenth page: 0 1 2 leave, which makes room for W13.
is "vbbms evicts from the region that is full" \
	"evictions=1 evicted_pages=3 random_pages=8 sequential_pages=0" \
	"$(stats "evictions evicted_pages random_pages sequential_pages" --replacement vbbms -- \
		$(pages W 0 8) W12 W13)"
# A request of 8 pages, one of 7, and one page of the first again, which is split off. W30 evicts: IRL's tail has
# 2 accesses, 7 pages, age 4; DRL's 1 access, 1 page, age 2. The other 7 pages of the first request leave; 7, 1 and
# 1 pages of the others stay.
is "req-block evicts what is left of a request" "evictions=1 evicted_pages=7 drl_pages=1 irl_pages=9" \
	"$(stats "evictions evicted_pages drl_pages irl_pages" --replacement req-block -- \
		W:0+64 W:64+56 W0 W16 W30)"

# 0 to 9 fill 10 frames, pages that are far from each other the rest. All are equally high, so each sees all others: W100
# evicts 0, and with it as many pages as there are channels. By Alg. 1 and eq. 2 only 1 leaves with 0, as 2 is behind 1.
runs="$(pages W 0 9) W20 W30 W40 W50 W60 W70"
strict=vs-batch-plus:lower=near,touch=off
is "vs-batch-plus evicts what is visible" "evictions=1 evicted_pages=4 companions=3 hit_list=1" \
	"$(stats "evictions evicted_pages companions hit_list" --replacement vs-batch-plus -- $runs W100)"
is "$strict evicts what is near" "evictions=1 evicted_pages=2 rebuilds=1 companions=1 hit_list=1" \
	"$(stats "evictions evicted_pages rebuilds companions hit_list" --replacement $strict -- $runs W100)"
is "vs-batch evicts one" "evictions=1 evicted_pages=1" \
	"$(stats "evictions evicted_pages" --replacement vs-batch -- $runs W100)"
# As many tails leave as there are channels, which is a fifth of the graph's pages, and no reason to build it anew.
is "vs-batch:evict=idle evicts tails" "evictions=1 evicted_pages=4 rebuilds=1 eviction_list=12" \
	"$(stats "evictions evicted_pages rebuilds eviction_list" --replacement vs-batch:evict=idle -- $runs W100)"
# 5 is hit: 4 and 6, near and not higher, move to the Adjacent list with it.
is "vs-batch-plus moves neighbours of a page that is hit" "hit_list=1 hot_list=0 adjacent_list=2 eviction_list=13" \
	"$(stats "hit_list hot_list adjacent_list eviction_list" --replacement $strict -- $runs W5)"
# Every page is cold at first; the second write of 0 in the same second is not, and stays until the end.
is "mq-ssd flushes cold pages, which leave" "used=0 early_flushed=3 forced_flushed=1 left_clean=4" \
	"$(stats "used early_flushed forced_flushed left_clean" --replacement mq-ssd -- W0 W1 W2 W0)"
is "mq-ssd may keep them" "used=3 early_flushed=3 forced_flushed=1 left_clean=0" \
	"$(stats "used early_flushed forced_flushed left_clean" --replacement mq-ssd:keep_clean=on -- W0 W1 W2 W0)"
# Page 0 is written back and, written again, hot; a quarter of 16 frames may be clean: 1 to 4, of one burst.
is "co-active writes cold pages to idle chips" "early_flushed=5 rewritten_clean=1 forced_flushed=3" \
	"$(stats "early_flushed rewritten_clean forced_flushed" \
		--replacement co-active:cold_share=100,pause_ms=60000 -- W0 W0 W1 W2 W3 W4 W5 W6)"

# Half of 16 frames may be dirty. The 9th and the 10th page each make one too many: one page is
# flushed early after each, 0 and 1.
early=threshold=50,adapt=off
is "cflru-ef flushes down to its threshold" \
	"early_flushes=2 early_flushed=2 forced_flushed=8 clean_list=10" \
	"$(stats "early_flushes early_flushed forced_flushed clean_list" \
		--replacement cflru-ef:$early -- $(pages W 0 9))"
# Page 0 has been written twice: at its turn it gets a second chance and page 1 is flushed.
is "cflru-ef-sc gives a second chance" "early_flushed=1 second_chances=1" \
	"$(stats "early_flushed second_chances" --replacement cflru-ef-sc:$early -- W0 W0 \
		$(pages W 1 8))"
# Not idle for long enough between the requests, which are 1 ms apart; all at the end.
is "no early flush before idle_us" "early_flushes=1 early_flushed=2" \
	"$(stats "early_flushes early_flushed" --idle_us 2000 \
		--replacement cflru-ef:$early -- $(pages W 0 9))"

# With looks=2, all pages were hit: two have another round, and page 2 leaves all the same.
is "clock: a page that was hit has another round" "read_hits=2 bypassed_reads=2 spared=1" \
	"$(stats "read_hits bypassed_reads spared" --replacement clock -- $fill R0 W16 W17 R0 R1 R2)"
is "clock: the looks of an eviction are bounded" "read_hits=17 bypassed_reads=1 spared=2 cut_short=1" \
	"$(stats "read_hits bypassed_reads spared cut_short" --replacement clock:looks=2 -- $fill $(pages R 0 15) W16 R2 R3)"
# The hand passes page 0, which was hit, and evicts page 1, then page 2.
is "sieve: a visited page is spared" "read_hits=2 bypassed_reads=2 spared=1" \
	"$(stats "read_hits bypassed_reads spared" --replacement sieve -- $fill R0 W16 W17 R0 R1 R2)"
is "sieve: the looks of an eviction are bounded" "read_hits=17 bypassed_reads=1 spared=2 cut_short=1" \
	"$(stats "read_hits bypassed_reads spared cut_short" --replacement sieve:looks=2 -- $fill $(pages R 0 15) W16 R2 R3)"

# ---- admission schemes ----

is "write-buffer: reads stay outside" \
	"read_pages=3 read_hits=0 admitted_reads=0 bypassed_reads=3 used=0" \
	"$(stats "read_pages read_hits admitted_reads bypassed_reads used" -- R0 R0 R0)"
is "write-buffer: what was written is read from DRAM" "read_hits=1 bypassed_reads=0" \
	"$(stats "read_hits bypassed_reads" -- W0 R0)"
is "read-write: a page is read once" \
	"read_pages=3 read_hits=2 admitted_reads=1 bypassed_reads=0 used=1" \
	"$(stats "read_pages read_hits admitted_reads bypassed_reads used" \
		--admission read-write -- R0 R0 R0)"

# Intervals of 5 ms, a request per ms: after the first interval, of nothing but reads of a page, it enters. A request at the very end of an
# interval comes before the end.
is "corw: reads enter while they prevail" "read_hits=1 admitted_reads=1 bypassed_reads=6" \
	"$(stats "read_hits admitted_reads bypassed_reads" --admission corw-8:period_ms=5 -- \
		R7 R7 R7 R7 R7 R7 R7 R7)"
# Intervals of 2 ms. After the second, without writes, less is written than in the mean.
is "corw: writes go through while there are few" "through_flushed=1 forced_flushed=2" \
	"$(stats "through_flushed forced_flushed" --admission corw-8:period_ms=2 -- W0 W1 R90 R91 R92 W2)"
is "corw: such a write ends in DRAM" 0.000 \
	"$(latency write 8 --admission corw-8:period_ms=2 -- W0 W1 R90 R91 R92 W2)"
is "corw: or on the origin" 75.000 \
	"$(latency write 8 --admission corw-8:period_ms=2,wt_sync=on -- W0 W1 R90 R91 R92 W2)"
