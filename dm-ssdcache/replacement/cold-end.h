/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The LRU list of ecr and lcr. Both choose a victim near its cold end, by the queues of the flash
 * chips. ssdc_ask_units() supplies the queues. With static allocation, or an estimate, the chip of
 * each page is known before it is written; with dynamic allocation all writes wait equally long.
 *
 *	insert, hit -> head [ A B C D E F ] tail
 *	                           `-----' candidates
 */
#ifndef SSDC_COLD_END_H
#define SSDC_COLD_END_H

#include <linux/kernel.h>
#include <linux/math64.h>
#include "../policy-api/replacement.h"

/**
 * struct cold_end - an LRU list and the part of it that is considered
 * @list: the LRU list
 * @window: percent of the list, at its cold end, that victims come from
 * @candidates: most pages considered for one victim
 * @clean_victims: statistic: victims that were clean
 * @dirty_victims: statistic: victims that were dirty
 * @passed_over: statistic: colder pages that stayed while a victim left
 * @ahead: statistic: commands queued at the chips of dirty victims
 */
struct cold_end {
	struct ssdc_list list;
	/* tunables */
	u32 window;
	u32 candidates;
	/* statistics */
	u64 clean_victims;
	u64 dirty_victims;
	u64 passed_over;
	u64 ahead;
};

#define COLD_END_TUNABLES(type, member) \
	{ "window", "percent", "share of the LRU list, at the cold end, that victims come from", \
	  offsetof(type, member.window), 25, 1, 100, NULL }, \
	{ "candidates", "pages", "limit on the pages considered for one victim", \
	  offsetof(type, member.candidates), SSDC_STEP_FRAMES, 1, SSDC_STEP_FRAMES, NULL }

#define COLD_END_STATS(type, member) \
	SSDC_STAT(type, member.list.count, "lru_list", "pages", SSDC_GAUGE, "pages on the list"), \
	SSDC_STAT(type, member.clean_victims, "clean_victims", "pages", SSDC_COUNTER, \
		  "clean victims"), \
	SSDC_STAT(type, member.dirty_victims, "dirty_victims", "pages", SSDC_COUNTER, \
		  "dirty victims"), \
	SSDC_STAT(type, member.passed_over, "passed_over", "pages", SSDC_COUNTER, \
		  "colder pages that stayed while a victim left"), \
	SSDC_STAT(type, member.ahead, "commands_ahead", "commands", SSDC_COUNTER, \
		  "commands queued at the chips of dirty victims")

static inline u64 cold_end_sector(const struct ssdc_replacement *r, ssdc_frame_t frame)
{
	return ssdc_page_nr(ssdc_replacement_entry(r, frame)->page) <<
		r->plugin.tier->page_shift;
}

static inline bool cold_end_is_dirty(const struct ssdc_replacement *r, ssdc_frame_t frame)
{
	return ssdc_replacement_entry(r, frame)->flags & SSDC_E_DIRTY;
}

/* Number of pages considered; the list must not be empty. */
static inline u32 cold_end_pages(const struct cold_end *cold)
{
	u32 share = div_u64((u64)cold->list.count * cold->window, 100);

	return clamp(share, 1u, cold->candidates);
}

/* Evict @frame, passing over @passed colder pages; @depth commands are ahead of its flush. */
static inline void cold_end_take(struct cold_end *cold, struct ssdc_replacement *r,
				 struct ssdc_batch *batch, ssdc_frame_t frame, u32 passed,
				 u32 depth)
{
	if (cold_end_is_dirty(r, frame)) {
		cold->dirty_victims++;
		cold->ahead += depth == U32_MAX ? 0 : depth;
	} else {
		cold->clean_victims++;
	}
	cold->passed_over += passed;
	ssdc_list_del(r->entries, &cold->list, frame);
	ssdc_batch_add(batch, frame);
}

static inline void cold_end_insert(struct cold_end *cold, struct ssdc_replacement *r,
				   ssdc_frame_t frame)
{
	ssdc_replacement_entry(r, frame)->list = 0;
	ssdc_list_add_head(r->entries, &cold->list, frame);
}

static inline void cold_end_adopt(struct cold_end *cold, struct ssdc_replacement *r,
				  ssdc_frame_t frame)
{
	ssdc_replacement_entry(r, frame)->list = 0;
	ssdc_list_add_tail(r->entries, &cold->list, frame);
}

static inline int cold_end_check(const struct cold_end *cold, const struct ssdc_replacement *r,
				 struct ssdc_error *finding)
{
	static const char *const names[] = { "lru" };

	return ssdc_lists_check(r, &cold->list, names, 1, finding);
}

#endif /* SSDC_COLD_END_H */
