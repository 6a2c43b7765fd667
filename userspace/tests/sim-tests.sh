#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
# Tests of ssdcache-sim: tiny traces whose counts are worked out by hand in the
# comments, what the readers accept and refuse, and data checks on real traces
# where there are some.
#
#	sim-tests.sh SSDCACHE-SIM [TRACE-FOLDER]
#
# Prints TAP; fails if any test does.

# Words of a trace are split on purpose:
# shellcheck disable=SC2016,SC2046,SC2086
set -u -o pipefail

sim=${1:?usage: sim-tests.sh SSDCACHE-SIM [TRACE-FOLDER]}
traces=${2-}
here=$(cd "$(dirname "$0")" && pwd -P)
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# shellcheck source-path=SCRIPTDIR source=tap.sh
. "$here/tap.sh"

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

# stats "NAMES" OPTION... -- WORD...: run a trace with 16 frames, print these statistics.
stats() {
	local names=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	trace "$@" > "$scratch/trace"
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

# ---- policies ----
# --verify flushes at the end: counts of that are forced_flushed. 16 frames throughout.

fill=$(pages W 0 15)

# Full after 16 writes. W0 hits. W16 evicts: LRU page 1, as 0 was just used; FIFO page 0.
# The last W0 hits with LRU; with FIFO it misses and evicts page 1.
is "lru keeps what was used" \
	"writes=19 write_hits=2 write_absorbed=18 evictions=1 batch_flushed=1" \
	"$(stats "writes write_hits write_absorbed evictions batch_flushed" \
		--replacement lru -- $fill W0 W16 W0)"
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

# ---- plug-ins ----
# samples/policy as shared objects. Pages 0 to 15 fill DRAM, then the policy evicts one page for page 16.

policies=$scratch/policies
make -s -C "$here/../../samples/policy" BUILD="$policies" > "$scratch/make" 2>&1
is "plug-in: the samples build" "" "$(cat "$scratch/make")"
mru=$policies/ssdcache-mru.so
slru=$policies/ssdcache-slru.so

is "mru: the newest page leaves, page 15" "read_hits=1 bypassed_reads=1 mru_list=16" \
	"$(stats "read_hits bypassed_reads mru_list" --plugin "$mru" --replacement mru -- $fill W16 R0 R15)"
is "mru: keep 2, page 13 leaves" "read_hits=2 bypassed_reads=1 passed_over=2" \
	"$(stats "read_hits bypassed_reads passed_over" --replacement mru:keep=2 --plugin="$mru" -- $fill W16 R0 R15 R13)"
# Pages 0 and 1 were hit: page 2 leaves. With room for one protected page, page 0 is on probation again, as the newest.
is "slru: pages that were hit are protected" "read_hits=4 bypassed_reads=1 promoted=2" \
	"$(stats "read_hits bypassed_reads promoted" --plugin "$slru" --replacement slru -- $fill R0 R1 W16 R0 R1 R2)"
is "slru: the protected list is bounded" "protected_list=1 probation_list=15" \
	"$(stats "protected_list probation_list" --plugin "$slru" --replacement slru:protected=7 -- $fill R0 R1)"
is "plug-in: tunables and statistics in the report" "mru {'keep': 2} ['mru_list', 'passed_over']" \
	"$("$sim" --json --plugin "$mru" --replacement mru:keep=2 "$scratch/trace" | python3 -c 'import json, sys
policy = json.load(sys.stdin)["replacement"]
print(policy["name"], policy["params"], list(policy["stats"]))')"
is "plug-in: several, described wherever they are named" "opt mru slru" \
	"$("$sim" --plugin "$mru" --describe=names --plugin "$slru" | awk '$2 ~ /^(opt|mru|slru)$/ { print $2 }' | xargs)"

# bad_plugin FILE.so: compiles standard input
bad_plugin() {
	${CC:-gcc} -w -shared -fPIC -I "$here/../../include/shim" -I "$here/../../include" -x c -o "$scratch/$1" -
}
refuses "plug-in: no such file" "nowhere.so: cannot open" --plugin "$scratch/nowhere.so" x
refuses "plug-in: not a shared object" "invalid ELF header\|file too short" --plugin "$scratch/trace" x
refuses "plug-in: the name is taken" 'replacement "mru": the name is taken' --plugin "$mru" --plugin "$mru" x
echo 'int nothing;' | bad_plugin nothing.so
refuses "plug-in: registers nothing" "nothing.so: registers no policy" --plugin "$scratch/nothing.so" x
bad_plugin incomplete.so << 'EOF'
#include "dm-ssdcache-policy.h"
static struct ssdc_replacement_type bad = {
	.plugin.info = { "bad", "nowhere", "as published", "bad", .instance_bytes = sizeof(struct ssdc_replacement) },
};
ssdc_module_plugin(bad, "bad");
EOF
refuses "plug-in: an op is missing" 'replacement "bad": the op insert() must be set' --plugin "$scratch/incomplete.so" x
echo 'int ssdc_quiescent(void *e); int rests(void *e) { return ssdc_quiescent(e); }' | bad_plugin engine.so
refuses "plug-in: calls what the kernel module does not export" "undefined symbol: ssdc_quiescent" \
	--plugin "$scratch/engine.so" x
refuses "plug-in: no value" "--plugin needs a value: --plugin FILE" --plugin

# LRU with a bug of choice, from the 40th page on. --verify ends the run and names the policy and the rule.
bad_plugin wrong.so << 'EOF'
#include "dm-ssdcache-policy.h"
struct wrong {
	struct ssdc_replacement r;
	struct ssdc_list list;
	u32 bug, inserted;
};
static const char *const bugs[] = { "none", "insert", "twice", "far", "gone", "nobody", "many", "clean", "pad", "order", "again", "goes-on", "adopt", "pop", NULL };
enum { NONE, INSERT, TWICE, FAR, GONE, NOBODY, MANY, CLEAN, PAD, ORDER, AGAIN, GOES_ON, ADOPT, POP };
static struct wrong *to(const struct ssdc_replacement *r) { return (struct wrong *)r; }
static bool is(struct ssdc_replacement *r, u32 bug) { return to(r)->bug == bug && to(r)->inserted > 40; }
static int create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	ssdc_list_init(&to(r)->list);
	r->early_above = 2;
	r->eager = true;
	return 0;
}
static void insert(struct ssdc_replacement *r, ssdc_frame_t frame, const struct ssdc_host_request *rq, bool dirty)
{
	to(r)->inserted++;
	if (!is(r, INSERT))
		ssdc_list_add_head(r->entries, &to(r)->list, frame);
}
static void leave(struct ssdc_replacement *r, ssdc_frame_t frame) { ssdc_list_del(r->entries, &to(r)->list, frame); }
static void adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	if (to(r)->bug != ADOPT)
		ssdc_list_add_tail(r->entries, &to(r)->list, frame);
}
static ssdc_frame_t pop_hottest(struct ssdc_replacement *r)
{
	if (is(r, POP))
		return to(r)->list.head;
	return ssdc_list_pop_head(r->entries, &to(r)->list);
}
static void victims(struct ssdc_replacement *r, const struct ssdc_view *view, struct ssdc_batch *batch, unsigned int max)
{
	ssdc_frame_t frame;
	u32 i;

	if (is(r, NOBODY) || ssdc_list_empty(&to(r)->list))
		return;
	frame = ssdc_list_pop_tail(r->entries, &to(r)->list);
	ssdc_batch_add(batch, frame);
	if (is(r, TWICE))
		ssdc_batch_add(batch, frame);
	if (is(r, FAR))
		ssdc_batch_add(batch, ssdc_frame(123456789));
	for (i = 0; is(r, GONE) && i < r->nr_frames; i++)
		if (!(r->entries[i].flags & SSDC_E_POLICY) && batch->nr < 2)
			ssdc_batch_add(batch, ssdc_frame(i));
	for (i = 0; is(r, MANY) && i < 2 * max; i++)
		ssdc_batch_add(batch, frame);
	batch->pad_pages = is(r, PAD) ? 100000 : is(r, ORDER) ? 64 : 0;
	while (is(r, ORDER) && batch->nr < 9)
		ssdc_batch_add(batch, ssdc_list_pop_head(r->entries, &to(r)->list));
}
static bool early(struct ssdc_replacement *r, const struct ssdc_view *view, struct ssdc_batch *batch, unsigned int max)
{
	ssdc_frame_t frame = to(r)->list.head;

	if (is(r, CLEAN))
		while (frame != SSDC_NO_FRAME && (r->entries[ssdc_frame_nr(frame)].flags & SSDC_E_DIRTY))
			frame = r->entries[ssdc_frame_nr(frame)].next;
	if (is(r, CLEAN) && frame != SSDC_NO_FRAME)
		ssdc_batch_add(batch, frame);
	batch->goes_on = is(r, GOES_ON);
	return is(r, AGAIN);
}
static int check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	return ssdc_lists_check(r, &to(r)->list, NULL, 1, finding);
}
static const struct ssdc_tunable tunables[] = {
	{ .name = "bug", .doc = "which", .offset = offsetof(struct wrong, bug), .words = bugs },
};
static struct ssdc_replacement_type wrong = {
	.plugin = { .kind = SSDC_REPLACEMENT, .info = { "wrong", "nowhere", "a test", "LRU with a bug", .tunables = tunables,
		    .nr_tunables = 1, .instance_bytes = sizeof(struct wrong) } },
	.create = create, .insert = insert, .remove = leave, .no_view = true, .victims = victims, .early = early, .adopt = adopt,
	.pop_hottest = pop_hottest, .check = check,
};
ssdc_module_plugin(wrong, "wrong");
EOF
for i in {0..999}; do
	echo "$((i * 100000)),$([ $((i % 3)) = 0 ] && echo R || echo W),$((i * 7919 % 640 * 8)),8,"
done | sed '1i # ssdcache-trace 1' > "$scratch/wrong.csv"
# The same over regions of both of two shards.
awk -F, -v OFS=, 'NR > 1 { $3 *= 64 } 1' "$scratch/wrong.csv" > "$scratch/far.csv"
# wrong_policy BUG [OPTION]...: the exit code of a run with --verify, and its message, with N for small numbers of frames
wrong_policy() {
	local bug=$1 status=0

	shift
	"$sim" --plugin "$scratch/wrong.so" --replacement "wrong:bug=$bug" --dram 128k --admission read-write --verify "$@" \
		"$scratch/wrong.csv" > /dev/null 2> "$scratch/err" || status=$?
	echo "$status $(sed 's/\(frame\|page\) [0-9]\{1,4\}\b/\1 N/g' "$scratch/err")"
}
is "--verify: a right policy from a shared object" "0 " "$(wrong_policy none)"
is "--verify: a right policy in several shards" "0 " "$(wrong_policy none --dram 256k --shards 2)"
while IFS='|' read -r bug text; do
	is "--verify: a wrong policy: $bug" "1 ssdcache-sim: --verify: wrong: $text" "$(wrong_policy "$bug")"
done << 'EOF'
twice|victims() named frame N twice
far|victims() named frame 123456789, which is not one of its pages
gone|victims() named frame N, which is not one of its pages
nobody|victims() named no frame, and the policy has 32 pages
many|victims() named 1025 frames; at most 512 are allowed
clean|early() named frame N, which is clean
again|early() asked to be called again 1000000 times in a row and named no frame
goes-on|early() asked to be called again 1000000 times in a row and named no frame
pad|victims() asked for padding of 100000 pages; 2 to 512 are allowed
order|victims() asked for padding, and page N is not behind page N in one block of 64
adopt|wrong after adopt() of frame N: the policy holds 0 pages, the engine counts 1
pop|pop_hottest() named frame N, which is not one of its pages
EOF
is "--verify: a right policy from a shared object, chosen by its shadow" "0 " \
	"$(wrong_policy none --replacement auto:candidates=wrong+lru,period=100)"
is "--verify: a wrong policy: insert" \
	"1 ssdcache-sim: --verify: wrong: wrong after insert() of frame N: the policy holds N pages, the engine counts 32" \
	"$(wrong_policy insert | sed 's/holds [0-9]* pages/holds N pages/')"
is "--verify: a wrong policy in several shards" "1 ssdcache-sim: --verify: wrong: victims() named frame N twice" \
	"$(wrong_policy twice --dram 256k --shards 2)"
is "--verify: a wrong policy in several shards, after a change" \
	"1 ssdcache-sim: --verify: wrong: pop_hottest() named frame N, which is not one of its pages" \
	"$(wrong_policy pop --dram 256k --shards 2 "$scratch/far.csv")"
is "--verify: a wrong policy after a change, and a log of its decisions" \
	"1 ssdcache-sim: --verify: wrong: pop_hottest() named frame N, which is not one of its pages" \
	"$(wrong_policy pop --log-decisions "$scratch/decisions")"
is "--verify: a wrong policy, and a log of its decisions" "1 ssdcache-sim: --verify: wrong: victims() named frame N twice" \
	"$(wrong_policy twice --log-decisions "$scratch/decisions")"

# ---- shadows ----

# 16 frames, 32 pages again and again: LRU has no hit; 32 frames hold all of them after the first round.
# ---- times that go back ----
# goes_back MS: a trace of four requests, as of two captures in one file; the second one begins so much before the end of the first
goes_back() {
	printf '%s\n' '# ssdcache-trace 1' 0,W,0,8, "$((3000000000 + $1 * 1000000)),W,8,8," 3000000000,W,16,8, 3000000001,W,24,8, >"$scratch/back"
}
# remarks WORD...: what a run says of times
remarks() {
	"$sim" "$@" "$scratch/back" 2>&1 >/dev/null | grep 'time goes back'
}
remark="ssdcache-sim: time goes back before 2 requests, by up to 2.500 s: they get the time of the request before; if a file is several traces joined, give each as a file of its own"
goes_back 2500
is "times go back far: a run says so" "$remark" "$(remarks --dram 1m)"
is "times go back far: a sweep says so once" "$remark" "$(remarks sweep --dram 1m,2m --output "$scratch/back.d")"
is "times go back far: an advice says so once" "$remark" "$(remarks advise --dram 1m --replacement lru,fifo)"
is "times go back far, but do not count" "" "$(remarks --closed --dram 1m; remarks --depth 2 --dram 1m; remarks sweep --dram 1m,2m --depth 2 --output "$scratch/back.d")"
is "times go back far, and select requests" "$remark" "$(remarks --closed --before 9 --dram 1m)"
is "times go back far, and merge traces" "$remark" "$(remarks --closed --dram 1m "$scratch/trace")"
goes_back 1000
is "times go back by a second: nothing to say" "" "$(remarks --dram 1m)"

# ---- all requests at one time ----
# one_time WORD...: what a run says of it
one_time() {
	"$sim" "$@" "$scratch/once" 2>&1 >/dev/null | grep 'one time'
}
remark="ssdcache-sim: all requests of the trace have one time, so each waits for those before it; --depth 16 keeps 16 in flight instead"
printf '%s\n' '# ssdcache-trace 1' 5,W,0,8, 5,W,8,8, 5,W,16,8, >"$scratch/once"
is "one time: a run says so" "$remark" "$(one_time --dram 1m)"
is "one time: a sweep says so once" "$remark" "$(one_time sweep --dram 1m,2m --output "$scratch/once.d")"
is "one time: an advice says so in its text" " All requests of the trace have one time" \
	"$(one_time advise --dram 1m --replacement lru,fifo) $("$sim" advise --dram 1m --replacement lru,fifo "$scratch/once" 2>&1 | grep -o 'All requests of the trace have one time')"
is "one time, and only the order counts" "" "$(one_time --closed --dram 1m; one_time --depth 2 --dram 1m; one_time --closed --before 9 --dram 1m)"
is "one time, but one request" "" "$(one_time --limit 1 --dram 1m)"

# ---- shards ----
# Regions of 1024 pages; the first four belong to the shards 0, 2, 0 and 3 of four.

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
		"$here/../../traces/demo-ext4.csv.zst" > /dev/null 2> "$scratch/errors"
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

trace $(pages W 0 31) $(pages W 0 31) $(pages W 0 31) > "$scratch/trace"
is "shadows: twice the DRAM" "0 666666" \
	"$("$sim" --json --closed --dram 64k --shadow lru --shadow-sizes 100,200 --shadow-rate 100 "$scratch/trace" |
		jq -r '[.shadow.candidates[0].sizes[].hit_ppm] | join(" ")')"
# Live, lru hits 52 % of this trace, and 3 to 55 % of its samples, of 4 to 27 regions: other sizes cannot be told from them.
demo=$here/../../traces/demo-ext4.csv.zst
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

# ---- the reserve ----

# 16 frames, and by default 16 of the reserve. 48 writes within 48 ms evict 32 pages, and so wait for 32
# flushes, which take a second; 16 of the writes find no frame first.
is "reserve: a write waits for its victim, and first for a frame" "frame_waits=48 reserve_bytes=65536" \
	"$(stats "frame_waits reserve_bytes" --write-us 1000000 -- $(pages W 0 47))"
is "reserve: with a larger one, it waits for its victim only" "frame_waits=32 reserve_bytes=131072" \
	"$(stats "frame_waits reserve_bytes" --write-us 1000000 --reserve 128k -- $(pages W 0 47))"

# ---- auto ----

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

# ---- thrashing ----

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
		python3 "$here/page-loop.py" "${policy%:*}" 64 "$scratch/log" | sed 's/.*: //'
	done
done > "$scratch/loops"
is "closed: all decisions are those of the papers' page loops" "14 the same" "$(sort "$scratch/loops" | uniq -c | sed 's/^ *//')"
span=1
for policy in $(names replacement); do
	# A scheme and a span for each policy, in turn; lru has some events, others may have none.
	admission=$([ $span = 1 ] && echo write-buffer || echo read-write)
	"$sim" --json --limit 3000 --dram 512k --replacement "$policy" --admission "$admission" --thrash-span $span \
		--log-decisions "$scratch/log" "$here/../../traces/demo-ext4.csv.zst" > "$scratch/json"
	counted=$(python3 "$here/count-thrash.py" $((128 * span)) "$scratch/log")
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
	"thrash_events=$(python3 "$here/count-thrash.py" 4096 "$scratch/log")" \
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
	"$(python3 "$here/count-thrash.py" 131072 "$scratch/log")" \
	"$(python3 -c 'import json, sys; print(json.load(sys.stdin)["stats"]["thrash_events"])' < "$scratch/json")"

# ---- admission ----

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

# ---- parts of pages, several pages ----

is "a partly written page is completed before its flush" "fills=1 forced_flushed=1" \
	"$(stats "fills forced_flushed" -- W:3+1)"
is "two halves make a page" "write_hits=1 fills=0" "$(stats "write_hits fills" -- W:0+4 W:4+4)"
# Sector 3 is in DRAM; 0 to 2 and 4 to 7 are read from the origin.
is "a read around a written sector" "read_hits=0 bypassed_reads=2" \
	"$(stats "read_hits bypassed_reads" -- W:3+1 R0)"
# Page 0 has one valid sector. R0 uses it, so that W16 evicts page 1, and W0 hits. The last sector that R0
# reads is not valid.
is "a read of a partly valid page is a hit for the policy" "read_hits=0 write_hits=1 evictions=1" \
	"$(stats "read_hits write_hits evictions" --replacement lru -- W:3+1 $(pages W 1 15) R0 W16 W0)"
is "a read of a written sector" "read_hits=1 bypassed_reads=0" \
	"$(stats "read_hits bypassed_reads" -- W:3+1 R:3+1)"
is "the short page at the end of the origin is whole" "fills=0 forced_flushed=1" \
	"$(stats "fills forced_flushed" --origin-sectors 12 -- W:8+4)"
# Sectors 4 to 27 are half of page 0, pages 1 and 2, half of page 3.
is "a write across pages" "writes=1 write_pages=4 fills=2 forced_flushed=4" \
	"$(stats "writes write_pages fills forced_flushed" -- W:4+24)"
# Pages 2 and 3 are cached; 0, 1 and 4 are read in two pieces.
is "a read across cached and missing pages" "read_pages=5 read_hits=2 bypassed_reads=2" \
	"$(stats "read_pages read_hits bypassed_reads" -- W2 W3 R:0+40)"
# 3 MiB from sector 2000, to the middle of page 1018.
is "a request of 3 MiB is one request" "writes=1 write_pages=768 write_bytes=3145728" \
	"$(stats "writes write_pages write_bytes" -- W:2000+6144)"
is "and has one latency" 1 "$(latency write 2 -- W:2000+6144)"
# Sector 2048 is the first beyond 1 MiB. The write fills 8 of 16 frames with one request block; W252
# hits that block of 8 pages, more than delta, and splits. Two blocks of 4 would be small.
is "req-block: a request across 1 MiB is one block" "writes=2 write_pages=9 splits=1 upgrades=0" \
	"$(stats "writes write_pages splits upgrades" --replacement req-block -- W:2016+64 W252)"
# 8 pages are more than a block of 4, so sequential; two halves would be random.
is "vbbms: a request across 1 MiB is sequential" "random_writes=0 sequential_writes=1" \
	"$(stats "random_writes sequential_writes" --replacement vbbms -- W:2016+64)"
is "a read across 1 MiB is one read of the origin" "reads=1 bypassed_reads=1" \
	"$(stats "reads bypassed_reads" -- R:2016+64)"
# Of 5000 sectors each: 2048, 2048 and 904.
is "the engine reads at most 1 MiB at once" "reads=1 bypassed_reads=3" \
	"$(stats "reads bypassed_reads" -- R:2016+5000)"
is "a FUA write of 3 MiB is written, once" "writes=1 fua_writes=1 write_pages=768" \
	"$(stats "writes fua_writes write_pages" --dram 8m -- W:0+6144F)"
is "pages of 64k" "write_pages=2 fills=2 forced_flushed=2" \
	"$(stats "write_pages fills forced_flushed" --dram 1m --page 64k -- W:120+16)"

# ---- time ----

is "a read takes as long as the origin" 20.000 "$(latency read 8 --read-us 20 -- R0)"
is "a write does not" 0.000 "$(latency write 8 -- W0)"
is "unless all pages are dirty" 300.000 "$(latency write 8 --write-us 300 -- $fill W16)"
# The victim, page 0, is completed first: 20 us, then 300.
is "a partly written victim takes longer" 320.000 \
	"$(latency write 8 --read-us 20 --write-us 300 -- W:3+1 $(pages W 1 15) W16)"
is "copies take --dram-ns each" 2.500 "$(latency write 8 --dram-ns 1250 -- W:0+16)"
# 16 writes are at once, one waits for 75 us.
is "the mean of them" 4.411 "$(latency write 3 -- $fill W16)"

# ---- durability ----

is "saved time" "read_hits=1 write_hits=2 saved_us=4072" "$(stats "read_hits write_hits saved_us" -- W0 W0 W0 R0)"
is "saved time, with other latencies" "saved_us=210" \
	"$(stats saved_us --alpha_us 10 --beta_us 100 -- W0 W0 W0 R0)"
steps_ns() { # OPTION...: was any time of passes with mining counted?
	"$sim" --speed --prefetch pattern:window=64,mined=32,transaction=8 "$@" "$scratch/trace" 2> /dev/null |
		awk '$1 == "plugin_step_ns" { print ($2 > 0 ? "some" : "none") }'
}
reads=()
for i in {0..199}; do reads+=("R$((i % 8 * 8))"); done
trace "${reads[@]}" > "$scratch/trace"
is "the time of plug-ins' steps is measured with --time-steps only" "none some" "$(steps_ns) $(steps_ns --time-steps)"
"$sim" --json --prefetch pattern:window=64,mined=32,transaction=8 --read-us 900 "$scratch/trace" > "$scratch/json"
is "hits per prefetched page, late ones among them" "True True" "$(python3 -c 'import json, sys
of = json.load(sys.stdin)
stats = of["stats"]
print(stats["prefetch_late_hits"] > 0, of["ratios"]["hits_per_prefetch"] ==
      (stats["prefetch_hits"] + stats["prefetch_late_hits"]) / stats["prefetched_pages"])' < "$scratch/json")"
is "FLUSH writes what is dirty" "flushes=1 forced_flushed=2 sync_passes=2 dirty=0" \
	"$(stats "flushes forced_flushed sync_passes dirty" -- W0 W1 F)"
is "FLUSH waits for page writes and the origin" 85.000 "$(latency flush 8 --flush-us 10 -- W0 F)"
is "FLUSH in protected DRAM does not" 0.000 \
	"$(latency flush 8 --dram_mode protected --flush-us 10 -- W0 F)"
is "FUA waits for its page" 85.000 "$(latency write 8 --flush-us 10 -- W:0+8F)"
is "FUA in protected DRAM does not" 0.000 \
	"$(latency write 8 --dram_mode protected -- W:0+8F)"
is "a discarded page is gone" "discards=1 dropped_pages=1 used=0 forced_flushed=0" \
	"$(stats "discards dropped_pages used forced_flushed" -- W0 D0 R0)"
is "half a page discarded: the rest stays" "dropped_pages=0 used=1 fills=1 forced_flushed=1" \
	"$(stats "dropped_pages used fills forced_flushed" -- W0 D:0+4 R0)"
# Of pages 1 to 4 the flash, with pages of 8 KiB, can forget 2 and 3.
is "of a discard over flash, only whole pages of it" "discards=1 dropped_pages=2 used=3" \
	"$(stats "discards dropped_pages used" --flash s002 -- W1 W2 W3 W4 W6 D:8+32 D6)"
is "of discards over flash, those are counted of which something is left" "writes=1 discards=1" \
	"$(stats "writes discards" --flash s002 -- W0 D:0+1 D:8+1 D:0+64)"
# W0 at 0 ms; the sync pass at 1 s finds it.
printf '# ssdcache-trace 1\n0,W,0,8,\n1500000000,W,8,8,\n' > "$scratch/trace"
is "flush_interval_s" "periodic_flushed 1 dirty 1" \
	"$("$sim" --flush_interval_s 1 "$scratch/trace" |
		awk '$1 == "periodic_flushed" || $1 == "dirty" { print $1, $2 }' | paste -sd' ')"
is "nothing is flushed at the end unless asked" "0 1" \
	"$(trace W0 > "$scratch/trace"
	   "$sim" "$scratch/trace" | awk '$1 == "forced_flushed" { print $2 }' | tr '\n' ' '
	   "$sim" --flush-at-end "$scratch/trace" | awk '$1 == "forced_flushed" { print $2 }')"

# ---- traces ----

msr=$scratch/msr.csv
cat > "$msr" <<'END'
128166372003061629,hm,1,Write,4096,8192,153
128166372003061639,hm,1,read,5000,100,2

128166372013061629,hm,1,Write,0,512
END
report=$("$sim" "$msr")
# 3 requests; the second one is not in whole sectors: bytes 5000 to 5099 are in sector 9.
is "MSR: requests, blank lines, no response time" "reads 1 writes 2 read_bytes 512 write_bytes 8704" \
	"$(awk '$1 ~ /^(reads|writes|read_bytes|write_bytes)$/ { print $1, $2 }' <<< "$report" |
		paste -sd' ')"
is "MSR: times are in units of 100 ns" "3 requests in 1.000000 s" \
	"$(grep -o '^3 requests in [0-9.]* s' <<< "$report")"
is "--time-scale" "3 requests in 0.010000 s" \
	"$("$sim" --time-scale 0.01 "$msr" | grep -o '^3 requests in [0-9.]* s')"
is "--limit" 1 "$("$sim" --limit 1 "$msr" | awk '$1 == "writes" { print $2 }')"
is "CR LF" "$report" "$(sed 's/$/\r/' "$msr" > "$scratch/dos.csv"; "$sim" "$scratch/dos.csv")"
is "no line end at the end" "$report" \
	"$(head -c -1 "$msr" > "$scratch/cut.csv"; "$sim" "$scratch/cut.csv")"
is "standard input" "$report" "$("$sim" - < "$msr")"
gzip -c "$msr" > "$scratch/msr.csv.gz"
is "gzip" "$report" "$("$sim" "$scratch/msr.csv.gz")"
{ head -n 1 "$msr" | gzip -c; tail -n +2 "$msr" | gzip -c; } > "$scratch/members.gz"
is "gzip in several members" "$report" "$("$sim" "$scratch/members.gz")"
if type zstd > /dev/null 2>&1; then
	zstd -q "$msr" -o "$scratch/msr.csv.zst"
	is "zstd" "$report" "$("$sim" "$scratch/msr.csv.zst")"
	head -c 40 "$scratch/msr.csv.zst" > "$scratch/short.zst"
	refuses "zstd, cut off" "damaged compressed data" "$scratch/short.zst"
else
	skip "zstd" "there is no program zstd"
fi
head -c 40 "$scratch/msr.csv.gz" > "$scratch/short.gz"
refuses "gzip, cut off" "damaged compressed data" "$scratch/short.gz"

# Two disks: what is at 4096 bytes of the second one is behind the first one's MiB, page 257.
# Requests in order of time: 0 of a, 1 of b (of the second file), 2 of a.
printf '1000,a,0,Write,0,4096,0\n3000,a,0,Write,8192,4096,0\n' > "$scratch/a"
printf '2000,b,0,Write,4096,4096,0\n' > "$scratch/b"
"$sim" --log-decisions "$scratch/log" "$scratch/a" "$scratch/b" > /dev/null
is "several traces: merged by time, disks side by side" "0 257 2" \
	"$(awk '$1 == "I" { print $2 }' "$scratch/log" | paste -sd' ')"
# The time of the second request is before the first one's: it counts as the same.
printf '1000,a,0,Write,0,4096,0\n500,a,0,Write,4096,4096,0\n2000,a,0,Write,0,512,0\n' \
	> "$scratch/a"
is "times that go backwards" "3 requests in 0.000100 s" \
	"$("$sim" "$scratch/a" | grep -o '^3 requests in [0-9.]* s')"

# The formats are tested by ssdcache-trace/tests/formats.sh; here only that the options arrive.
printf '3,R,0,4096,1000000\n3,W,4096,4096,2000000\nx\n7,W,0,512,3000000\n' > "$scratch/alibaba"
refuses "--format: insists" "$scratch/alibaba:1: expected Read or Write and a comma, found \"4096,1000000\"" \
	--format msr "$scratch/alibaba"
refuses "--format: a name" "--format: 'cvs' is not one of any capture msr alibaba" --format cvs "$msr"
refuses "a bad line in another format" "$scratch/alibaba:3: expected a number of a device and a comma, found \"x\"" "$scratch/alibaba"
is "--skip-bad" "1 bad line skipped, the first: $scratch/alibaba:3: expected a number of a device and a comma, found \"x\"" \
	"$("$sim" --skip-bad "$scratch/alibaba" 2>&1 > /dev/null | sed 's/^ssdcache-sim: //')"
is "--skip-bad: JSON has the number" 1 "$("$sim" --json --skip-bad "$scratch/alibaba" 2> /dev/null | jq .run.skipped_lines)"
is "--after, --skip, --repeat" "reads 0 writes 2 write_bytes 1024" \
	"$("$sim" --skip-bad --after 1 --skip 1 --repeat 2 "$scratch/alibaba" 2> /dev/null |
		awk '$1 ~ /^(reads|writes|write_bytes)$/ { print $1, $2 }' | paste -sd' ')"
if [ -n "${SSDC_LONG-}" ]; then
	# 9 million requests have 206 MiB: too many for memory.
	awk 'BEGIN { print "# ssdcache-trace 1"; for (i = 0; i < 90000; i++) printf "%d,R,%d,8,\n", i * 1000, i % 1000 * 8 }' > "$scratch/t"
	is "requests that do not fit into memory" "reads 9000000 read_hits 8999000" \
		"$(ulimit -d 150000; "$sim" --admission read-write --repeat 100 "$scratch/t" | awk '$1 ~ /^(reads|read_hits)$/ { print $1, $2 }' | paste -sd' ')"
fi

bad() {
	printf '%s\n' "${@:3}" > "$scratch/bad"
	refuses "refused: $1" "$scratch/bad:$2" "$scratch/bad"
}
good=128166372003061629,hm,1,Write,0,512,0
bad "not a trace" "1: no known trace, found \"hello\": --format insists on one of capture, msr, alibaba, " hello
bad "MSR time" "2: expected a time in units of 100 ns and a comma, found \"x\"" $good x
bad "MSR time too large" "2: the time 999999999999999999 is not below" $good \
	999999999999999999,h,0,Read,0,1,0
bad "MSR host" "2: expected a host name and a comma, found \"hm\"" $good 1,hm
bad "MSR disk" "2: expected a disk number" $good 1,hm,x,Write,0,512,0
bad "MSR type" "2: expected Read or Write and a comma, found \"Erase," $good 1,hm,1,Erase,0,512,0
bad "MSR offset" "2: expected an offset of at most 4611686018427387904 bytes and a comma, found \"-1," $good 1,hm,1,Read,-1,1,0
bad "MSR size 0" "2: expected a size from 1 to" $good 1,hm,1,Read,0,0,0
bad "MSR cut off" "3: expected an offset" $good $good 1,hm,1,Read,
bad "capture version" "1: expected the header \"# ssdcache-trace 1\", found \"# ssdcache-trace 2\"" \
	"# ssdcache-trace 2"
head="# ssdcache-trace 1"
bad "capture time" "3: expected a time in ns" "$head" "# a comment" x,R,0,8,
bad "capture op" "2: expected R, W, D or F and a comma, found \"X," "$head" 0,X,0,8,
bad "capture sector" "2: expected a sector up to 18014398509481984 and a comma" "$head" 0,R,x,8,
bad "capture length 0" "2: expected a number of sectors from 1" "$head" 0,R,0,0,
bad "capture flags" "2: expected no flags, or F for a write, found \"F\"" "$head" 0,R,0,8,F
bad "a line that never ends" "1: a line of more than 4096 characters" "1,$(printf '%5000s' x)"
: > "$scratch/empty"
refuses "refused: an empty trace" "no requests" "$scratch/empty"
refuses "refused: a trace that is not there" "No such file" "$scratch/none"
refuses "refused: a folder" "Is a directory" "$scratch"

# ---- numbers at the ends of their ranges ----

# A write at the end of each of N disks of 2^53 sectors.
disks() {
	awk -v "n=$1" 'BEGIN { for (i = 0; i < n; i++) print 1000 + i ",h," i ",Write,4611686018427383808,4096,0" }'
}
# 2^11 such disks have 2^64 sectors. Unchecked, the requests were beyond an origin of 1 MiB.
disks 2048 > "$scratch/bad"
refuses "refused: disks of more than 2^54 sectors in all" \
	"$scratch/bad:3: the request makes the disks 27021597764222976 sectors in all: expected at most 18014398509481984" \
	"$scratch/bad"
disks 3 > "$scratch/bad"
disks 1 > "$scratch/c"
refuses "refused: disks of several files, the last line is one too many" "$scratch/bad:3: the request makes" \
	"$scratch/c" "$scratch/bad"
disks 2 > "$scratch/a"
is "2^54 sectors are accepted" 18014398509481984 "$("$sim" --dram 64k --verify --json "$scratch/a" | jq .config.origin_sectors)"
bad "capture beyond sector 2^54" "2: the request makes the disks 18014398509484032 sectors in all: expected at most 18014398509481984" \
	"$head" 0,W,18014398509481984,8,
bad "capture sector above 2^54" "2: expected a sector up to 18014398509481984 and a comma, found \"18014398509481985," \
	"$head" 0,W,18014398509481985,8,
bad "capture sector above 2^64" "2: expected a sector up to 18014398509481984 and a comma, found \"18446744073709551616," \
	"$head" 0,W,18446744073709551616,8,
bad "capture length above 2^32" "2: expected a number of sectors from 1 to 4294967295 (0 for F), found \"4294967296,\"" \
	"$head" 0,W,0,4294967296,
bad "MSR offset above 2^62" "1: expected an offset of at most 4611686018427387904 bytes and a comma, found \"4611686018427387905," \
	1,h,0,Read,4611686018427387905,1,0
bad "a gap of more than 2^62 ns" "3: 4611686018427387905 ns after the first request: expected at most 4611686018427387904" \
	"$head" 5,W,0,8, 4611686018427387910,W,0,8,
# Unchecked, the run never ended: nothing can happen after the end of time.
printf '%s\n' "$head" 0,W,0,8, 18446744073709551605,W,0,8, > "$scratch/bad"
refuses "refused: the end of time" "expected a time in ns and a comma\|ns after the first request" "$scratch/bad"
printf '%s\n' "$head" 0,W,0,8, > "$scratch/a"
printf '%s\n' "$head" 4611686018427387905,W,0,8, > "$scratch/b"
refuses "refused: files that are more than 2^62 ns apart" \
	"$scratch/b: a request 4611686018427387905 ns after the first one of all files: expected at most 4611686018427387904" \
	"$scratch/a" "$scratch/b"
printf '%s\n' "$head" 0,W,0,8, 4000000000000000000,W,0,8, > "$scratch/a"
refuses "refused: a time that --time-scale makes too large" \
	"--time-scale: 1000000: a request would start 4e+24 ns after the first one: expected at most 4611686018427387904" \
	--time-scale 1000000 "$scratch/a"
is "a time below 2^62 ns" "2 requests in 4000000000.000000 s" \
	"$("$sim" "$scratch/a" | grep -o '^2 requests in [0-9.]* s')"
# 9e9 rows would fill the disk.
"$sim" --series "$scratch/series" --series-interval-ms 1 "$scratch/a" > /dev/null 2> "$scratch/err"
is "refused: a --series of more than 10 million rows" "2 ssdcache-sim: --series-interval-ms: 1 is too short: the file would have more than 10000000 rows" \
	"$? $(cat "$scratch/err")"
# The last request may start at 2^62 ns, but takes a while.
printf '%s\n' "$head" 0,R,0,8, 4611686018427387904,R,0,8, > "$scratch/a"
"$sim" "$scratch/a" > /dev/null 2> "$scratch/err"
is "a run that lasts longer than 2^62 ns" "1 ssdcache-sim: the simulated time exceeds 4611686018427387904 ns" \
	"$? $(cat "$scratch/err")"
refuses "refused: an option that is a number above 2^64" "--limit: '18446744073709551616' is not a number from 1 to 18446744073709551615" \
	--limit 18446744073709551616 "$msr"
refuses "refused: a size above 2^64" "--dram: '18446744073709551616' is too large: a size is less than 16777216t" --dram 18446744073709551616 "$msr"
refuses "refused: a size whose suffix makes it too large" "--dram: '16777216t' is too large" --dram 16777216t "$msr"
refuses "refused: the largest size" "dram: 16777215t is not from 64k" --dram 16777215t "$msr"
refuses "refused: a tunable above 2^32" "window: \"4294967297\" is not a number from 1 to 100 percent" \
	--replacement cflru:window=4294967297 "$msr"
refuses "refused: the largest flash" "the geometry has 72056494526300160 pages; at most 536870911 are possible" \
	--flash custom:channels=64,chips=64,dies=16,planes=16,pages=65535,blocks=1048576 "$msr"
refuses "refused: a flash for the largest origin" "the geometry has 19370321002291200 pages; at most 536870911 are possible" \
	--flash custom:channels=64,chips=16,dies=1,planes=1,pages=65535,page_bytes=512 --origin-sectors 18014398509481984 "$msr"

# ---- command line ----

refuses "refused: no trace" "no trace given"
refuses "refused: an unknown option" "unknown option '--drum': did you mean '--dram'?" --drum 1m "$msr"
refuses "refused: an ambiguous option" "option '--re' is ambiguous: it could be '--replacement' or '--retry_ms'" --re lru "$msr"
refuses "refused: an option without its value" "--dram needs a value: --dram SIZE" "$msr" --dram
refuses "refused: a reserve beside the DRAM" "--reserve: 1t is not from 1m to 131008m" --reserve 1t "$msr"
refuses "refused: a size" "--dram: '1q' is not a size" --dram 1q "$msr"
for list in "--dram 1m..4m" "--dram 1m,2m" "--page 4k,8k" "--replacement lru,cflru:window=30,gain=2" "--replacement all" "--admission usual" \
	"--flash s000,s001" "--dram_mode volatile,protected"; do
	refuses "refused: several values: $list" "${list% *}: '${list#* }' is more than one value: 'ssdcache-sim sweep' takes them" $list "$msr"
done
trace R1 R2 R1 F >"$scratch/reads"
for admission in write-buffer read-write; do
	"$sim" --dram 64k --admission $admission "$scratch/reads" >/dev/null 2>"$scratch/errors"
	is "a trace without writes: why nothing enters, with $admission" "$([ $admission = read-write ] || echo 1)" \
		"$(grep -o 'lets only writes enter the DRAM, and the trace has none: --admission read-write' "$scratch/errors" | sed 's/.*/1/')"
done
like=$("$sim" --json --dram_mode protected --read-us 9 "$msr" | jq 'del(.command)')
for spelling in "--dram-mode --read_us" "--dram-m --read_u" "--dram_m --read-u"; do
	read -r mode us <<<"$spelling"
	is "hyphens and underscores of options are the same: $spelling" "$like" \
		"$("$sim" --json "$mode" protected "$us=9" "$msr" | jq 'del(.command)')"
done
is "hyphens and underscores: an option has one line of help" 1 "$("$sim" --help | grep -c '^ *--dram[-_]mode')"
refuses "hyphens and underscores: values stay as they are" 'dram_mode: "read-write" is not one of' --dram-mode=read-write "$msr"
refuses "hyphens and underscores: an ambiguous option" "option '--flush-' is ambiguous: it could be '--flush-us'" --flush- 1 "$msr"
is "sizes may have a unit" "$("$sim" --json --dram 4m "$msr")" "$("$sim" --json --dram 4MiB "$msr")"
refuses "refused: too little DRAM" "dram: 4k is not from 64k" --dram 4k "$msr"
refuses "refused: a page size" "page: 5k is not a power of two from 4k to 64k" --page 5k "$msr"
refuses "refused: a policy" 'replacement: "lruu" is not one of' --replacement lruu "$msr"
refuses "guessed: a policy" " opt auto: did you mean 'lru'?" --replacement lruu "$msr"
refuses "guessed: a scheme" "corw-8 auto: did you mean 'write-buffer'?" --admission wite-buffer "$msr"
refuses "guessed: a tunable of a policy" "with a key of .*window.*: did you mean 'window'?" --replacement cflru:windwo=3 "$msr"
refuses "guessed: a value of a tunable" "volatile, protected: did you mean 'protected'?" --dram_mode=protcted "$msr"
refuses "guessed: a flash device" "there are custom .*: did you mean 'shin23'?" --flash shin2 "$msr"
refuses "guessed: a parameter of a flash device" "it has .*: did you mean 'channels'?" --flash shin23:chanels=4 "$msr"
refuses "guessed: a format" ": did you mean 'msr'?" --format msrr "$msr"
refuses "guessed: a verb" "'sweeep' is neither a file nor a verb: did you mean 'sweep'?" sweeep "$msr"
refuses "guessed: a goal" "hits: did you mean 'reads'?" advise --goal rads "$msr"
refuses "guessed: a goal by its start" "hits: did you mean 'latency'?" advise --goal lat "$msr"
refuses "guessed: a policy in capitals" " opt auto: did you mean 'lru'?" --replacement LRU "$msr"
refuses "guessed: of words equally near, that with the longer common start" "did you mean 'lin22'?" --flash lin2 "$msr"
refuses "guessed: how a flash device is aged" "it has .*: did you mean 'aged'?" --flash shin23:age=steady "$msr"
refuses "not guessed: a word of which half is another, from the first letter on" "unknown option '--series': 'ssdcache-sim sweep --help' lists" \
	sweep --series x.csv "$msr"
refuses "guessed: a policy of a sweep" ": did you mean 'lru'?" sweep --replacement lruu "$msr"
refuses "no guess: another word" 'is not one of .*opt auto$' --replacement something "$msr"
refuses "no guess: another policy beside a choice of schemes" 'is not one of .* freeboard auto$' --replacement something --admission auto "$msr"
refuses "no guess: another scheme beside a choice of policies" 'is not one of .* corw-8 auto$' --replacement auto --admission something "$msr"
refuses "no guess: another candidate, which cannot be a choice" 'is not one of .* freeboard$' --replacement auto:candidates=something "$msr"
refuses "refused: a profile that does not exist; custom is offered" "--flash: s005: no such profile; there are custom " --flash s005 "$msr"
refuses "refused: a policy's tunable" 'window: "0" is not a number from 1 to 100 percent' \
	--replacement cflru:window=0 "$msr"
refuses "refused: an engine's tunable" 'dram_mode: "fast" is not one of volatile, protected' \
	--dram_mode=fast "$msr"
refuses "refused: a number" "--read-us: 'x' is not a number from 0 to 1000000000" --read-us x "$msr"
refuses "refused: an origin that is too small" "a request ends at sector 24" --origin-sectors 23 \
	"$msr"
is "--describe=names names policies" 3 "$(names replacement | grep -cxE 'fifo|lru|lfu')"
is "--help names every policy" "$(names replacement | paste -sd' ')" \
	"$("$sim" --help | tr -s ' \n' ' ' | sed 's/.*--replacement SPEC[^;]*; default lru; one of //; s/ --admission.*//')"
# The manual page leaves these to --help.
tunables() {
	"$sim" --describe | python3 -c 'import json, sys
for tunable in json.load(sys.stdin)["tunables"]: print(tunable["name"])'
}
manual=$(sed 's/\\-/-/g' "$here/../ssdcache-sim/ssdcache-sim.1")
missing=$("$sim" --help | sed -n 's/^  \(-., \)\?--\([a-z_-]*\).*/\2/p' | grep -vx "$(tunables)" |
	while read -r option; do
		grep -q "^\..* --$option\|^\..*\"--$option" <<<"$manual" || echo "$option"
	done)
is "the manual page has all options" "" "$missing"
is "--version is the version of the release" \
	"ssdcache-sim $(sed -n 's/^#define SSDC_VERSION_[A-Z]*\t\([0-9][0-9]*\)$/\1/p' "$here/../../dm-ssdcache/version.h" | paste -sd.)" \
	"$("$sim" --version)"

# ---- output ----

trace $fill W16 R3 R20 > "$scratch/trace"
is "the same run gives the same output" "$("$sim" --dram 64k --json "$scratch/trace" | cksum)" \
	"$("$sim" --dram 64k --json "$scratch/trace" | cksum)"
if type python3 > /dev/null 2>&1; then
	is "JSON has what sysfs has" "1 65536 17 17 1 75000 lru 16 4" \
		"$("$sim" --dram 64k --json "$scratch/trace" | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["schema"], r["config"]["dram_bytes"], r["stats"]["writes"], r["latency"]["write"]["count"],
      r["stats"]["evictions"], r["latency"]["write"]["max_ns"], r["replacement"]["name"],
      r["replacement"]["stats"]["lru_list"], r["params"]["channels"])')"
	cp "$scratch/trace" "$scratch/a trace"
	"$sim" --json --dram 1m --speed --replacement=lru --limit 20 --dram 64k --replacement cflru:window=30 "$scratch/a trace" \
		>"$scratch/report" 2>/dev/null
	report_of() {
		python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$scratch/report" "$1"
	}
	is "JSON names the release" "$(release)" "$(report_of version)"
	is "JSON names the command, as a sweep would" \
		"ssdcache-sim --dram=64k --replacement=cflru:window=30 --limit=20 -- '$scratch/a trace'" "$(report_of command)"
	ln -sf "$(realpath "$sim")" "$scratch/ssdcache-sim"
	is "that command repeats the report" "$(cksum <"$scratch/report")" \
		"$(env PATH="$scratch:$PATH" bash -c "$(report_of command | sed 's/ssdcache-sim /&--json /')" | cksum)"
	"$sim" sweep --dram 65536 --replacement cflru:window=30 --limit 20 --output "$scratch/row" "$scratch/a trace" >/dev/null 2>&1
	is "the row of a sweep has the same version and command" "$(report_of version) $(report_of command)" \
		"$(python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["version"], r["command"])' <"$scratch/row/cells.jsonl")"
	cp "$scratch/trace" "$scratch/$(printf 'latin\351')"
	cp "$scratch/trace" "$scratch/$(printf "it's \\ latin\351")"
	is "JSON names a trace whose name is not UTF-8" "['$scratch/latin?']" \
		"$("$sim" --json --dram 64k "$scratch/$(printf 'latin\351')" | python3 -c 'import json, sys; print(json.load(sys.stdin)["run"]["traces"])')"
	"$sim" --json --dram 64k "$scratch/$(printf "it's \\ latin\351")" >"$scratch/report" 2>/dev/null
	is "the command of a trace whose name is not UTF-8 repeats the report" "$(cksum <"$scratch/report")" \
		"$(env PATH="$scratch:$PATH" bash -c "$(report_of command | sed 's/ssdcache-sim /&--json /')" | cksum)"
	is "--describe has every tunable and statistic" \
		"$(names replacement | wc -l) $(names admission | wc -l) $(names prefetch | wc -l) window 50" \
		"$("$sim" --describe | python3 -c '
import json, sys
r = json.load(sys.stdin)
cflru = next(p for p in r["replacement"] if p["name"] == "cflru")["tunables"][0]
print(len(r["replacement"]), len(r["admission"]), len(r["prefetch"]), cflru["name"],
      cflru["default"])')"
	trace $fill W16 > "$scratch/trace"
	is "rows of numbers are arrays" "27 8 1 0 0" \
		"$("$sim" --json --admission l-corw "$scratch/trace" | python3 -c '
import json, sys
a = json.load(sys.stdin)["admission"]["stats"]
print(len(a["visits"]), len(a["q_222"]), a["visits"][0], a["q_000"][0], a["q_222"][7])')"
else
	skip "JSON" "there is no python3"
fi
is "--describe=rst is Documentation/reference.rst (make docs)" "" \
	"$("$sim" --describe=rst | diff "$here/../../Documentation/reference.rst" -)"
is "--describe=rst has every tunable" 1 "$("$sim" --describe=rst | grep -c '``random_share``')"
# 17 requests, 1 ms apart, the last one at 16 ms takes 75 us: rows for 5, 10 and 15 ms, and the end.
"$sim" --dram 64k --series "$scratch/series" --series-interval-ms 5 "$scratch/trace" > /dev/null
is "--series: rows" "time_ms 5 10 15 16.075000" "$(cut -d, -f1 "$scratch/series" | paste -sd' ')"
# The row of 5 ms: the requests at 0 to 5 ms have written a page each.
is "--series: a gauge of a policy" "lru.lru_list 6 11 16 16" \
	"$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "lru.lru_list") at = i }
		    { print $at }' "$scratch/series" | paste -sd' ')"

# ---- output that cannot be written ----

# lost NAME PATTERN OPTION...: exit code 1 and one line with the pattern; standard output is full
lost() {
	local name=$1 pattern=$2 status
	shift 2
	"$sim" "$@" > /dev/full 2> "$scratch/err"
	status=$?
	[ $status = 1 ] && [ "$(wc -l < "$scratch/err")" = 1 ] && grep -qx -- "ssdcache-sim: $pattern" "$scratch/err"
	result $? "$name" "exit $status and: $(cat "$scratch/err")"
}
trace $fill W16 R3 R20 > "$scratch/trace"
full="cannot write the output: No space left on device"
lost "a full disk: report" "$full" "$scratch/trace"
lost "a full disk: --json" "$full" --json "$scratch/trace"
lost "a full disk: --help" "$full" --help
"$sim" sweep --dram 1m,2m --output "$scratch/full" "$scratch/trace" >/dev/full 2>"$scratch/err"
is "a full disk: the table of a sweep: exit code" 1 $?
is "a full disk: the table of a sweep" "ssdcache-sim: $full" "$(tail -n 1 "$scratch/err")"
lost "a full disk: --describe" "$full" --describe
# A run of all policies may take long enough to report progress.
lost "a full disk: advise" "$full" advise --dram 1m --replacement lru,fifo "$scratch/trace"
lost "a full disk: advise --json" "$full" advise --dram 1m --replacement lru,fifo --json "$scratch/trace"
lost "a full disk: --series" "/dev/full: No space left on device" --series /dev/full --series-interval-ms 1 "$scratch/trace"
lost "a full disk: --log-decisions" "/dev/full: No space left on device" --log-decisions /dev/full "$scratch/trace"
lost "a folder in place of a file: --series" "$scratch: Is a directory" --series "$scratch" "$scratch/trace"
lost "no folder: --log-decisions" "$scratch/none/log: No such file or directory" --log-decisions "$scratch/none/log" "$scratch/trace"
# Whoever read the report has gone, and the signal is ignored.
(
	trap '' PIPE
	exec 3> >(:)
	wait $!
	"$sim" "$scratch/trace" >&3 2> "$scratch/err"
)
is "no reader" "1 ssdcache-sim: cannot write the output: Broken pipe" "$? $(cat "$scratch/err")"

# ---- the check of the portable folders ----

mkdir "$scratch/engine"
cat > "$scratch/engine/bad.c" <<'END'
#include <linux/spinlock.h>
/* double, 1.5, jiffies: fine in a comment */
static const char *fine = "1.5 float";
static double half = 0;
static int second = 2.5;
void lock(void) { spin_lock(&half); }
u64 now(void) { return ktime_get_ns(); }
END
is "portable-includes.sh names each offence" "1 4 5 6 7" \
	"$("$here/portable-includes.sh" "$scratch/engine" | sed -n 's/.*bad\.c:\([0-9]*\): .*/\1/p' |
		paste -sd' ')"

# Writes to 300000 pages at once. The device writes them at a constant rate, so the mean is half of the longest latency; all latencies together
# are more than 2^64 ns.
awk 'BEGIN {
	print "# ssdcache-trace 1"
	for (i = 0; i < 300000; i++)
		printf "0,W,%d,8,\n", i * 8
}' > "$scratch/trace"
is "latency: the mean of a backlog of days, and of its shadow" "50 50" "$(
	"$sim" --json --dram 64k --write-us 10000000 --shadow lru --shadow-sizes 100 "$scratch/trace" |
		jq -r '[(.latency.write.mean_ns, .shadow.candidates[0].sizes[0].response_ns) / .latency.write.max_ns * 100 | round] | join(" ")')"

# ---- flash ----

# 4 channels; a read takes 50 + 40.96 us, a program 40.96 + 500 us.
flash=custom:channels=4,chips=1,dies=1,planes=1,blocks=128,pages=16,page_bytes=4096,read_ns=50000,program_ns=500000
flash+=,erase_ns=2000000,transfer_ps=10000,over_provisioning=10,gc_threshold=0,gc_urgent=0,allocation=static

# Read misses past DRAM: 1 page; 4 pages, on 4 channels; page 0 and its neighbours on the same channel, 4 and 8.
trace R0 R:0+32 > "$scratch/trace"
is "flash: reads take array and transfer" "90960 90960" \
	"$("$sim" --json --closed --flash $flash "$scratch/trace" |
		python3 -c 'import json, sys
l = json.load(sys.stdin)["latency"]["read"]; print(l["mean_ns"], l["max_ns"])')"
trace R:0+72 > "$scratch/trace"
is "flash: pages of a channel one after the other" "272880" \
	"$("$sim" --json --flash $flash "$scratch/trace" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["latency"]["read"]["max_ns"])')"
trace W:0+8 W:8+8 > "$scratch/trace"
is "flash: quotients, in JSON and in text" "1000 1.0 write_amplification 1.000" \
	"$("$sim" --json --no-cache --flash $flash "$scratch/trace" | python3 -c 'import json, sys
f = json.load(sys.stdin)["flash"]; print(f["stats"]["write_amplification"], f["ratios"]["write_amplification"])') $(
	"$sim" --no-cache --flash $flash "$scratch/trace" | tr -s ' ' | sed -n 's/^ \(write_amplification .*\)/\1/p')"
# 16 frames: the 17th page has to wait for one that is written back.
is "flash: a victim takes a program" "540960" \
	"$(trace $(pages W 0 16) > "$scratch/trace"
		"$sim" --json --closed --dram 64k --flash $flash "$scratch/trace" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["latency"]["write"]["max_ns"])')"
# 17 pages in three writes: page 0 makes room for 16, in a frame of its own; a sync pass goes by frames: 1 to 16 as one.
is "flash: what it did is reported" "17 1 1 2 dynamic" \
	"$(dynamic=${flash%,alloc*}
	"$sim" --json --flush-at-end --dram 64k --flash "${dynamic/erase_ns=2000000/erase_ns=5}" "$scratch/trace" |
		python3 -c 'import json, sys
f = json.load(sys.stdin)["flash"]; s = f["stats"]
print(s["host_programs"], s["write_amplification"] // 1000, len(f["channel_busy_ns"]) // 4, f["latency"]["write"]["count"],
      f["params"]["allocation"])')"
# A cache gives the device no hints. malloc() fills memory with 0x5a.
is "flash: writes of a cache are of stream 0" "[1, 0, 0, 0, 0, 0, 0, 0]" \
	"$(MALLOC_PERTURB_=165 "$sim" --json --closed --dram 64k --flash $flash,streams=4 "$scratch/trace" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["flash"]["stats"]["stream_programs"])')"
is "flash: policies see its state" "exact_views=1 estimated_views=0 exact_view=1" \
	"$(stats "exact_views estimated_views exact_view" --flash $flash -- $(pages W 0 16))"
is "no flash: policies get an estimate" "exact_views=0 estimated_views=1 exact_view=0" \
	"$(stats "exact_views estimated_views exact_view" -- $(pages W 0 16))"
# A read of 256 pages past DRAM keeps all units of the device busy for more than 1 ms.
is "--series: utilisation of the origin" "1000 1000" "$(
	trace R:0+2048 > "$scratch/trace"
	for origin in "--flash $flash" "--read-us 2000"; do
		# shellcheck disable=SC2086 # two words
		"$sim" --series "$scratch/series" --series-interval-ms 1 $origin "$scratch/trace" > /dev/null
		python3 -c 'import csv, sys
print(max(int(row["utilisation"]) for row in csv.DictReader(open(sys.argv[1]))))' "$scratch/series"
	done | paste -sd' ')"
is "flash: bad specs are refused" "1 2 3 4" "$(
	i=0
	for spec in s005 s002:channels=99 s002:colour=1 custom:blocks=12; do
		i=$((i + 1))
		"$sim" --flash $spec "$scratch/trace" 2> "$scratch/errors" > /dev/null
		[ $? = 2 ] && [ "$(wc -l < "$scratch/errors")" = 1 ] && grep -q -- "--flash: " "$scratch/errors" && echo $i
	done | paste -sd' ')"

# alone NAMES OPTION... -- WORD...: without a cache; mean_ns.OP or max_ns.OP, or a statistic.
alone() {
	local names=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	trace "$@" > "$scratch/trace"
	"$sim" --no-cache --json --flash $flash "${options[@]}" "$scratch/trace" | python3 -c '
import json, sys
f = json.load(sys.stdin)["flash"]
print(*(f["latency"][word.split(".")[1]][word.split(".")[0]] if "." in word else f["stats"][word]
        for word in sys.argv[1:]))' $names
}
is "--no-cache: a write takes a program, a read array and transfer" "540960 90960" \
	"$(alone "mean_ns.write mean_ns.read" -- W0 R0)"
# Page 4 is being programmed for 41 us when its die gets a read of page 0: 5 + 90.96 us, and 2 us to go on.
is "--no-cache: a read interrupts a program" "95960 638920 1" \
	"$(alone "max_ns.read max_ns.write suspended_programs" --time-scale 0.082 \
		--flash "$flash,suspend=program,suspend_ns=5000,resume_ns=2000" -- W4 R0)"
# Pages 0, 4, 8 lie on one die. At once: 90.96, 181.92 and 272.88 us; one after the other: 90.96.
is "--no-cache: requests wait for each other at their times of arrival" "181920 272880" \
	"$(alone "mean_ns.read max_ns.read" --time-scale 0 -- R0 R4 R8)"
is "--no-cache --closed: they do not" "90960 90960" \
	"$(alone "mean_ns.read max_ns.read" --closed -- R0 R4 R8)"
# Twelve reads of one die, 90.96 us each.
is "--no-cache --depth: N requests in flight" "90960 181920 363840" "$(
	for depth in 1 2 4; do
		alone "max_ns.read" --depth $depth -- R0 R4 R8 R12 R16 R20 R24 R28 R32 R36 R40 R44
	done | paste -sd' ')"
is "--depth: N requests in flight" "90960 181920 363840" "$(
	for depth in 1 2 4; do
		trace R0 R4 R8 R12 R16 R20 R24 R28 R32 R36 R40 R44 > "$scratch/trace"
		"$sim" --json --depth $depth --flash $flash "$scratch/trace" |
			python3 -c 'import json, sys; print(json.load(sys.stdin)["latency"]["read"]["max_ns"])'
	done | paste -sd' ')"
is "IOPS and MB/s" "10993.8 IOPS, 45.031 MB/s" \
	"$(trace R0 R4 > "$scratch/trace"; "$sim" --no-cache --closed --flash $flash "$scratch/trace" | grep IOPS)"
# A page of 8 sectors, of which the host writes 2.
is "both kinds of write amplification" "1000 4000" \
	"$(alone "write_amplification byte_amplification" -- W:0+2 W:8+2)"
# The flash device has 7372 pages of 8 sectors, not a multiple of 1 MiB.
is "a trace that fits is accepted" "2" "$(alone "count.read" -- R0 R:58968+8)"
refuses "refused: a trace that ends beyond the flash device" "a request ends at sector 58984" --no-cache --flash $flash \
	<(trace R0 R:58976+8)
is "--fold: addresses modulo the size" "1" "$(alone "trimmed_pages" --fold -- W:16+8 D:58992+8)"
is "--fold: a request across the end moves in front of the end" "1 0" \
	"$(alone "host_programs merge_reads" --fold -- W:58972+8)"
refuses "refused: --fold without a size" "--fold needs a size" --fold "$scratch/trace"
refuses "refused: --depth with --closed" "--depth has no meaning with --closed" --depth 2 --closed "$scratch/trace"
is "--no-cache: requests are not cut; FLUSH and discard arrive" "1 600 1 1" \
	"$(alone "count.read host_reads count.flush trimmed_pages" -- W0 R:0+4800 F D0)"
is "--no-cache: no cache in the report" "command flash run schema version" \
	"$("$sim" --no-cache --json --flash $flash "$scratch/trace" |
		python3 -c 'import json, sys; r = json.load(sys.stdin); print(*sorted(r.keys()))')"
refuses "refused: --no-cache without a flash device" "--no-cache needs a flash device" --no-cache \
	"$scratch/trace"
for option in --dram=1m --replacement=lru --read-us=5 --dram_mode=protected --verify \
	      --series="$scratch/series"; do
	refuses "refused: --no-cache ${option%%=*}" "${option%%=*} has no meaning with --no-cache" \
		--no-cache --flash s002 $option "$scratch/trace"
done
nr=0
for spec in s000 s001 s002 s003:blocks=256 s004 femu nvmevirt:blocks=256 siau19:blocks=64 huh20:blocks=64; do
	for policy in lru cflru-ef-sc; do
		# In turn, or both.
		[ -n "${SSDC_LONG-}" ] || [ $((++nr % 4 / 2)) = 0 ] || continue
		"$sim" --verify --dram 1m --page 8k --replacement $policy --admission read-write --flash $spec \
			--limit 1500 "$here/../../traces/demo-ext4.csv.zst" > /dev/null
	done
done 2> "$scratch/errors"
is "flash: all profiles, data checked" "" "$(grep -v "gc_threshold \(10\|25\)" "$scratch/errors")"
is "flash: a threshold as large as the spare area raises a warning" "$([ -n "${SSDC_LONG-}" ] && echo 10 || echo 5)" "$(grep -c "cannot stay free" "$scratch/errors")"

# ---- progress ----

# on_terminal WORDS: start a run on a terminal, with a pipe as trace; wait until it reads
on_terminal() {
	local looks=0

	: >"$scratch/terminal"
	TERM=xterm script -qefc "exec $sim $1 - <$scratch/requests" "$scratch/terminal" >/dev/null &
	exec 4<>"$scratch/requests"
	# A simulator that shows nothing would be waited for without end.
	until grep -q "reading the trace" "$scratch/terminal" || [ $((looks++)) -gt 1000 ]; do
		kill -0 $! 2>/dev/null || break
		sleep 0.01
	done
}

# The line appears while the trace, a pipe, gives nothing, and stays up to date.
mkfifo "$scratch/requests"
on_terminal "--dram 1m"
trace W0 R1 R2 >&4
exec 4>&-
wait $!
# On a busy machine, a line for each second may follow the first one.
is "a terminal shows progress, which is gone at the end" "0 reading the trace| 0.0 % of 3 requests|dram 1m page 4k" \
	"$? $(sed -n 's/\r\x1b\[K/|/g; s/\(| *0\.0 % of 3 requests\)\(| *[0-9.]* % of 3 requests[^|]*\)*/\1/
		/reading the trace/s/^.*|\(reading.*\): 256 frames.*/\1/p' "$scratch/terminal" | tr -s ' ')"
on_terminal "--dram 1m"
echo nonsense >&4
exec 4>&-
wait $!
is "an error replaces the line of progress" 1 "$(grep -c $'reading the trace\r\e\[Kssdcache-sim: ' "$scratch/terminal")"
# To make this flash takes longer than the 0.2 s between two ticks of the timer.
slow_flash="--fold --dram 1m --flash s002:blocks=2048,aged=steady,over_provisioning=20"
on_terminal "$slow_flash"
trace W0 R1 R2 >&4
exec 4>&-
wait $!
is "a terminal shows that the flash is prepared" "reading the trace|preparing the flash" \
	"$(sed -n 's/\r\x1b\[K/|/g; s/^.*|\(reading the trace|[a-z ]*\)|.*/\1/p' "$scratch/terminal" | head -n 1)"
trace W0 >"$scratch/one.csv"
for kind in "TERM=dumb" "TERM=" "-u TERM"; do
	env $kind script -qec "$sim $slow_flash $scratch/one.csv" /dev/null >"$scratch/terminal"
	is "no control sequences on a terminal that has none: $kind" "0 0" "$? $(grep -c $'\e' "$scratch/terminal")"
	env $kind script -qec "$sim sweep --dram 1m,2m --output $scratch/dumb $scratch/one.csv" /dev/null >"$scratch/terminal"
	is "none by a sweep: $kind" "0 0" "$? $(grep -c $'\e' "$scratch/terminal")"
done
is "no progress without a terminal" "" "$("$sim" --dram 1m "$scratch/one.csv" 2>&1 >/dev/null)"

# ---- real traces: each read must be right ----

real=("$here/../../traces/demo-ext4.csv.zst")
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

finish
