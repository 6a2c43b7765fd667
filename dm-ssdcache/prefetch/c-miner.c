// SPDX-License-Identifier: GPL-2.0
/*
 * c-miner: rules "after this page, that one", mined from what was read.
 *
 * Source	Li, Chen, Srinivasan, Zhou, "C-Miner: Mining block correlations in storage
 *		systems", FAST 2004, as S001 compares with it: inside of the drive, with a
 *		fixed share of its DRAM
 * Status	a stand-in: sequences of two instead of closed ones of any length, mined
 *		online in windows instead of offline in long traces; all numbers are ours
 * Cost		O(pages) per request; per window some looks for each page that was read,
 *		in the worker
 * Memory	336 KiB
 *
 * A window of requests is cut into segments of reads. The support of a page is the number
 * of segments that have it, that of a pair the number of those in which the second comes
 * after the first, at most gap reads later. A pair is a rule if
 *
 *	support(a, b) >= min_support	and	support(a, b) / support(a) >= confidence
 *
 * Of each page the 4 rules with most support are kept, until those of the next window are
 * there. Pairs are looked for among pages that have enough support by themselves: no other
 * can make a rule.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../engine/engine.h"
#include "block-rules.h"

#define ACCESSES	SSDC_RULE_BLOCKS
#define PAIRS		16384u
#define PAIR_BITS	14
#define NONE		SSDC_NO_BLOCK

/* Of a long read the first pages are mined: the others came with them. */
#define READ_PAGES	8u

/* What one step looks at. */
#define STEP_ACCESSES	32u
#define STEP_LOOKS	1024u		/* for pairs; and those of one access more */
#define STEP_PAIRS	256u

static_assert(PAIRS == 1u << PAIR_BITS);

struct access {
	u64 page;
	u16 read;		/* number in the window */
	u16 block;
};

struct pair {
	u32 key;		/* first << 16 | second, never 0 */
	u16 segment;
	u16 support;
};

/* The reads of a window. */
struct record {
	struct access *accesses;
	u32 nr;
	u32 reads;
};

enum phase { REST, CLEAR, COUNT, PAIR, RULE };

struct c_miner {
	struct ssdc_prefetch p;

	/* Tunables. */
	u32 window;
	u32 segment;
	u32 gap;
	u32 min_support;
	u32 confidence;
	u32 share;

	struct record records[2];
	unsigned int recording;		/* the one that grows; the other is mined */
	u32 requests;			/* of this window */
	struct ssdc_rules rules[2];
	unsigned int in_force;		/* the other ones are being made */
	struct pair *pairs;
	u32 nr_pairs;
	enum phase phase;
	u32 cursor;

	/* Statistics. */
	u64 windows;
	u64 mined_windows;
	u64 abandoned;
	u64 left_out;
	u64 mining_work;
	u64 mined_rules;
	u64 matched;
	u32 mining_bytes;
};

static struct c_miner *to_miner(const struct ssdc_prefetch *p)
{
	return container_of((struct ssdc_prefetch *)p, struct c_miner, p);
}

/* ---- mining, in steps ---- */

static struct ssdc_rules *new_rules(struct c_miner *m)
{
	return &m->rules[!m->in_force];
}

static struct record *mined_record(struct c_miner *m)
{
	return &m->records[!m->recording];
}

static void enter(struct c_miner *m, enum phase phase)
{
	m->phase = phase;
	m->cursor = 0;
}

static void count_one(struct c_miner *m, struct access *access)
{
	struct ssdc_rule_block *block;
	u16 segment = access->read / m->segment;

	access->block = ssdc_rules_block(new_rules(m), access->page);
	block = &new_rules(m)->blocks[access->block];
	if (block->segment == segment)
		return;
	block->segment = segment;
	block->support++;
}

static void count_pair(struct c_miner *m, u32 key, u16 segment)
{
	u32 at = (key * 0x9e3779b97f4a7c15ULL) >> (64 - PAIR_BITS);

	while (m->pairs[at].key && m->pairs[at].key != key)
		at = (at + 1) % PAIRS;
	if (!m->pairs[at].key) {
		if (m->nr_pairs == PAIRS / 2) {
			m->left_out++;
			return;
		}
		m->nr_pairs++;
		m->pairs[at] = (struct pair) { .key = key, .segment = NONE };
	}
	if (m->pairs[at].segment == segment)
		return;
	m->pairs[at].segment = segment;
	m->pairs[at].support++;
}

static bool is_frequent(struct c_miner *m, u16 block)
{
	return new_rules(m)->blocks[block].support >= m->min_support;
}

/* What follows an access, in its segment. */
static void count_pairs(struct c_miner *m, const struct access *first)
{
	const struct record *record = mined_record(m);
	const struct access *end = record->accesses + record->nr, *second;
	u16 segment = first->read / m->segment;

	if (!is_frequent(m, first->block))
		return;
	for (second = first + 1; second < end && second->read <= first->read + m->gap &&
	     second->read / m->segment == segment; second++) {
		m->mining_work++;
		if (second->read != first->read && second->block != first->block &&
		    is_frequent(m, second->block))
			count_pair(m, (first->block + 1) << 16 | second->block, segment);
	}
}

static void make_rule(struct c_miner *m, const struct pair *pair)
{
	struct ssdc_rule_block *first;

	if (!pair->key || pair->support < m->min_support)
		return;
	first = &new_rules(m)->blocks[(pair->key >> 16) - 1];
	if (100 * pair->support < m->confidence * first->support)
		return;
	m->mined_rules++;
	ssdc_rule_add(first, pair->key & 0xffff, pair->support);
}

static void step_clear(struct c_miner *m)
{
	ssdc_rules_clear(new_rules(m));
	memset(m->pairs, 0, PAIRS * sizeof(*m->pairs));
	m->nr_pairs = 0;
	enter(m, COUNT);
}

static void step_count(struct c_miner *m)
{
	struct record *record = mined_record(m);
	u32 end = min(m->cursor + STEP_ACCESSES, record->nr);

	m->mining_work += end - m->cursor;
	while (m->cursor < end)
		count_one(m, &record->accesses[m->cursor++]);
	if (end == record->nr)
		enter(m, PAIR);
}

static void step_pair(struct c_miner *m)
{
	const struct record *record = mined_record(m);
	u32 end = min(m->cursor + STEP_ACCESSES, record->nr);
	u64 enough = m->mining_work + STEP_LOOKS;

	while (m->cursor < end && m->mining_work < enough)
		count_pairs(m, &record->accesses[m->cursor++]);
	if (m->cursor == record->nr)
		enter(m, RULE);
}

static void step_rule(struct c_miner *m)
{
	u32 end = m->cursor + STEP_PAIRS;

	m->mining_work += STEP_PAIRS;
	while (m->cursor < end)
		make_rule(m, &m->pairs[m->cursor++]);
	if (end < PAIRS)
		return;
	m->in_force ^= 1;
	m->mined_windows++;
	enter(m, REST);
}

static bool c_miner_step(struct ssdc_plugin *plugin)
{
	struct c_miner *m = to_miner(container_of(plugin, struct ssdc_prefetch, plugin));

	switch (m->phase) {
	case CLEAR:
		step_clear(m);
		break;
	case COUNT:
		step_count(m);
		break;
	case PAIR:
		step_pair(m);
		break;
	case RULE:
		step_rule(m);
		break;
	default:
		break;
	}
	return m->phase != REST;
}

static void end_window(struct c_miner *m)
{
	m->windows++;
	m->abandoned += m->phase != REST;
	m->requests = 0;
	m->recording ^= 1;
	m->records[m->recording].nr = 0;
	m->records[m->recording].reads = 0;
	enter(m, CLEAR);
	m->p.plugin.wants_step = true;
}

/* ---- requests ---- */

static void record_page(struct c_miner *m, u64 page)
{
	struct record *record = &m->records[m->recording];

	if (record->nr == ACCESSES) {
		m->left_out++;
		return;
	}
	record->accesses[record->nr++] = (struct access) {
		.page = page, .read = record->reads,
	};
}

/* What follows the page, unless the read that it is of has it. */
static void match(struct c_miner *m, u64 page, u64 first, u64 last)
{
	const struct ssdc_rules *rules = &m->rules[m->in_force];
	const struct ssdc_rule_block *block = ssdc_rules_find(rules, page);
	u32 i;

	for (i = 0; block && i < SSDC_RULE_SUCCESSORS && block->next[i] != NONE; i++) {
		u64 next = rules->blocks[block->next[i]].page;

		m->matched++;
		if (next < first || next > last)
			ssdc_prefetch_want(&m->p, next);
	}
}

static void c_miner_observe(struct ssdc_prefetch *p, const struct ssdc_request *rq)
{
	struct c_miner *m = to_miner(p);
	u32 shift = p->plugin.engine->page_shift;
	u64 first = rq->sector >> shift, last = (rq->sector + rq->nr_sectors - 1) >> shift;
	u64 page;

	if (rq->op == SSDC_READ) {
		for (page = first; page <= min(last, first + READ_PAGES - 1); page++) {
			record_page(m, page);
			match(m, page, first, last);
		}
		m->records[m->recording].reads++;
	}
	if (++m->requests >= m->window)
		end_window(m);
}

/* ---- instance ---- */

static void set_share(struct c_miner *m)
{
	m->p.pages_max = m->p.plugin.engine->nr_frames * (u64)m->share / 100;
}

/* Segments of different lengths do not go together: what is being mined is given up. */
static void c_miner_tuned(struct ssdc_prefetch *p)
{
	struct c_miner *m = to_miner(p);

	set_share(m);
	m->abandoned += m->phase != REST;
	enter(m, REST);
}

static void c_miner_destroy(struct ssdc_prefetch *p)
{
	struct c_miner *m = to_miner(p);
	unsigned int i;

	for (i = 0; i < 2; i++) {
		kvfree(m->records[i].accesses);
		kvfree(m->rules[i].blocks);
		kvfree(m->rules[i].slots);
	}
	kvfree(m->pairs);
}

static void *alloc(struct c_miner *m, size_t nr, size_t bytes)
{
	m->mining_bytes += nr * bytes;
	return kvcalloc(nr, bytes, GFP_KERNEL | __GFP_NOWARN);
}

static int c_miner_create(struct ssdc_prefetch *p, struct ssdc_error *error)
{
	struct c_miner *m = to_miner(p);
	bool good = true;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		m->records[i].accesses = alloc(m, ACCESSES, sizeof(struct access));
		m->rules[i].blocks = alloc(m, SSDC_RULE_BLOCKS,
					   sizeof(struct ssdc_rule_block));
		m->rules[i].slots = alloc(m, SSDC_RULE_SLOTS, sizeof(u16));
		good &= m->records[i].accesses && m->rules[i].blocks && m->rules[i].slots;
	}
	m->pairs = alloc(m, PAIRS, sizeof(struct pair));
	if (!good || !m->pairs) {
		c_miner_destroy(p);
		scnprintf(error->text, sizeof(error->text), "c-miner: no memory for mining");
		return -ENOMEM;
	}
	set_share(m);
	return 0;
}

static int c_miner_check(const struct ssdc_prefetch *p)
{
	const struct c_miner *m = to_miner(p);

	if (m->phase != REST && !p->plugin.wants_step)
		return -EUCLEAN;
	if (m->nr_pairs > PAIRS / 2 || m->records[m->recording].nr > ACCESSES)
		return -EUCLEAN;
	return ssdc_rules_ok(&m->rules[m->in_force]) ? 0 : -EUCLEAN;
}

#define TUNABLE(member) offsetof(struct c_miner, member)

static const struct ssdc_tunable c_miner_tunables[] = {
	{ "window", "requests", "that are mined together; longer ones adapt more slowly",
	  TUNABLE(window), 1024, 64, 8192, NULL },
	{ "segment", "reads", "that a window is cut into",
	  TUNABLE(segment), 100, 2, 1000, NULL },
	{ "gap", "reads", "by which a page may come after another one",
	  TUNABLE(gap), 10, 1, 50, NULL },
	{ "min_support", "segments", "a rule has been seen in as many",
	  TUNABLE(min_support), 2, 1, 100, NULL },
	{ "confidence", "percent", "of the segments with its first page, at least",
	  TUNABLE(confidence), 50, 1, 100, NULL },
	{ "share", "percent", "of DRAM that prefetched pages may hold",
	  TUNABLE(share), 8, 1, 50, NULL },
};

#define COUNTER(member, unit, doc) \
	SSDC_STAT(struct c_miner, member, #member, unit, SSDC_COUNTER, doc)

static const struct ssdc_stat c_miner_stats[] = {
	SSDC_PREFETCH_STATS,
	COUNTER(windows, "windows", "that ended"),
	COUNTER(mined_windows, "windows", "that were mined to the end"),
	COUNTER(abandoned, "windows", "whose mining was not over when the next one ended"),
	COUNTER(left_out, "pages", "or pairs of pages that a window had no room for"),
	COUNTER(mining_work, "steps", "looks at a page, or a pair of them, in mining"),
	COUNTER(mined_rules, "rules", "found"),
	COUNTER(matched, "rules", "whose first page was read"),
	SSDC_STAT(struct c_miner, mining_bytes, "mining_bytes", "bytes", SSDC_GAUGE,
		  "of memory for mining and rules"),
};

struct ssdc_prefetch_type ssdc_c_miner = {
	.plugin = {
		.kind = SSDC_PREFETCH,
		.info = {
			.name = "c-miner",
			.source = "Li et al., C-Miner … (FAST 2004), in S001",
			.status = "a stand-in: rules between two pages, mined online in windows",
			.doc = "brings in pages that often followed; fixed share",
			.tunables = c_miner_tunables,
			.nr_tunables = ARRAY_SIZE(c_miner_tunables),
			.stats = c_miner_stats,
			.nr_stats = ARRAY_SIZE(c_miner_stats),
			.instance_bytes = sizeof(struct c_miner),
		},
		.step = c_miner_step,
	},
	.create = c_miner_create,
	.destroy = c_miner_destroy,
	.tuned = c_miner_tuned,
	.observe = c_miner_observe,
	.check = c_miner_check,
};
