// SPDX-License-Identifier: GPL-2.0
/*
 * c-miner: prefetches pages by mined rules "page b follows page a".
 *
 * Source	Li, Chen, Srinivasan, Zhou, "C-Miner: Mining block correlations in storage
 *		systems", FAST 2004 [Li04], as a baseline of [Li22]: inside the drive, with a
 *		fixed share of its DRAM
 * Status	stand-in: sequences of two pages instead of closed sequences of any length,
 *		mined online in windows instead of offline in long traces; all numbers are ours
 * Cost		O(pages) per request; per window, a bounded number of comparisons for each
 *		page read, in the worker
 * Memory	336 KiB
 *
 * A window of requests is cut into segments of reads. The support of a page is the number
 * of segments that contain it. The support of a pair is the number of segments in which the
 * second page follows the first by at most `gap` reads. A pair is a rule if
 *
 *	support(a, b) >= min_support	and	support(a, b) / support(a) >= confidence
 *
 * The 4 rules of highest support per page are kept until the next window's rules are ready.
 * Only pages that reach min_support by themselves can form a rule, so only these are paired.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../policy-api/prefetch.h"
#include "block-rules.h"

#define ACCESSES	SSDC_RULE_BLOCKS
#define PAIRS		16384u
#define PAIR_BITS	14
#define NONE		SSDC_NO_BLOCK

/* Only the first pages of a long read are mined: the others came with them. */
#define READ_PAGES	8u

/* Work per step. */
#define STEP_ACCESSES	32u
#define STEP_LOOKS	96u		/* comparisons for pairs */
#define STEP_PAIRS	128u

static_assert(PAIRS == 1u << PAIR_BITS);

struct access {
	u64 page;
	u16 read;		/* index of the read in the window */
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
	unsigned int recording;		/* index of the record that grows; the other is mined */
	u32 requests;			/* of this window */
	struct ssdc_rules rules[2];
	unsigned int in_force;		/* index of the rules in use; the others are being made */
	struct pair *pairs;
	u32 nr_pairs;
	enum phase phase;
	u32 cursor;
	u32 ahead;			/* PAIR: accesses behind @cursor compared with it */

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
	m->ahead = 0;
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

/*
 * Count the pairs of an access with the accesses that follow it in its segment, up to @enough.
 * Returns whether all have been counted.
 */
static bool count_pairs(struct c_miner *m, const struct access *first, u64 enough)
{
	const struct record *record = mined_record(m);
	const struct access *end = record->accesses + record->nr, *second;
	u16 segment = first->read / m->segment;

	if (!is_frequent(m, first->block))
		return true;
	for (second = first + 1 + m->ahead; second < end &&
	     second->read <= first->read + m->gap && second->read / m->segment == segment;
	     second++) {
		if (m->mining_work == enough)
			return false;
		m->mining_work++;
		m->ahead++;
		if (second->read != first->read && second->block != first->block &&
		    is_frequent(m, second->block))
			count_pair(m, (first->block + 1) << 16 | second->block, segment);
	}
	return true;
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

	while (m->cursor < end && count_pairs(m, &record->accesses[m->cursor], enough)) {
		m->cursor++;
		m->ahead = 0;
	}
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

/* Want the pages that follow @page by a rule, except those of the same read. */
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

static void c_miner_observe(struct ssdc_prefetch *p, const struct ssdc_host_request *rq)
{
	struct c_miner *m = to_miner(p);
	u32 shift = p->plugin.tier->page_shift;
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
	m->p.pages_max = m->p.plugin.tier->capacity * (u64)m->share / 100;
}

/* Segments of different lengths cannot be mixed, so abandon the mining in progress. */
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

static int c_miner_check(const struct ssdc_prefetch *p, struct ssdc_error *finding)
{
	const struct c_miner *m = to_miner(p);

	if (m->phase != REST && !p->plugin.wants_step)
		return ssdc_finding(finding, "phase %u of a mining waits for no step", m->phase);
	if (m->nr_pairs > PAIRS / 2 || m->records[m->recording].nr > ACCESSES)
		return ssdc_finding(finding, "%u pairs (at most %u), %u accesses (at most %u)",
				    m->nr_pairs, PAIRS / 2, m->records[m->recording].nr, ACCESSES);
	return ssdc_rules_check(&m->rules[m->in_force], finding);
}

#define TUNABLE(member) offsetof(struct c_miner, member)

static const struct ssdc_tunable c_miner_tunables[] = {
	{ "window", "requests", "requests mined together; longer windows adapt more slowly",
	  TUNABLE(window), 1024, 64, 8192, NULL },
	{ "segment", "reads", "length of the segments that a window is cut into",
	  TUNABLE(segment), 100, 2, 1000, NULL },
	{ "gap", "reads", "largest distance between the two pages of a rule",
	  TUNABLE(gap), 10, 1, 50, NULL },
	{ "min_support", "segments", "segments that must show a rule; more: fewer rules",
	  TUNABLE(min_support), 2, 1, 100, NULL },
	{ "confidence", "percent", "least share of the first page's segments that show the rule",
	  TUNABLE(confidence), 50, 1, 100, NULL },
	{ "share", "percent", "share of DRAM that prefetched pages may hold",
	  TUNABLE(share), 8, 1, 50, NULL },
};

#define COUNTER(member, unit, doc) \
	SSDC_STAT(struct c_miner, member, #member, unit, SSDC_COUNTER, doc)

static const struct ssdc_stat c_miner_stats[] = {
	SSDC_PREFETCH_STATS,
	COUNTER(windows, "windows", "windows that ended"),
	COUNTER(mined_windows, "windows", "windows mined to the end"),
	COUNTER(abandoned, "windows", "windows still being mined when the next one ended"),
	COUNTER(left_out, "pages", "pages or pairs of pages that did not fit into a window"),
	COUNTER(mining_work, "steps", "pages and pairs of pages examined in mining"),
	COUNTER(mined_rules, "rules", "rules found"),
	COUNTER(matched, "rules", "rules whose first page was read"),
	SSDC_STAT(struct c_miner, mining_bytes, "mining_bytes", "bytes", SSDC_GAUGE,
		  "memory for mining and rules"),
};

struct ssdc_prefetch_type ssdc_c_miner = {
	.plugin = {
		.kind = SSDC_PREFETCH,
		.info = {
			.name = "c-miner",
			.source = "C-Miner: Li et al., FAST 2004 [Li04], as in [Li22]",
			.status = "stand-in: rules between two pages, mined online in windows",
			.doc = "prefetches pages that often followed a page read; fixed share",
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
