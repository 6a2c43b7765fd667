# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2016,SC2046,SC2086,SC2154
# --verify names a policy that makes a wrong choice, and the rule.

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
