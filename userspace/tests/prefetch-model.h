/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Literal, slow prefetchers: pattern and pattern-plus written from [Li22] with fractions and
 * plain lists, c-miner and rop from their head comments. They share only FP-Growth with the
 * prefetchers; it has a test of its own.
 *
 * The models get the same events as the prefetchers, and are called when the prefetchers'
 * background steps are done. They have no limits except those that are part of the rules.
 */
#ifndef SSDC_PREFETCH_MODEL_H
#define SSDC_PREFETCH_MODEL_H

#include "../../dm-ssdcache/prefetch/fp-growth.h"
#include "../ssdcache-sim/sim.h"

#define MODEL_MAX_WANTS 4096

struct model_type;

/* The pages wanted after one request, and how many pages the partition may hold. */
struct model {
	const struct model_type *type;
	u32 (*tunable)(const char *name);
	u32 frames;
	u32 pages_max;
	bool served;
	u32 nr_wants;
	u64 wants[MODEL_MAX_WANTS];
	void *state;
};

/**
 * struct model_type - the model of a prefetcher
 * @request: a read or write of pages @first to @last; @served of the model says whether all are in
 *	DRAM
 * @steps_done: the background steps are done; @is_dirty() tells for a page, @dirty is the
 *	number of dirty pages
 * @loaded: a prefetch read of a page was started
 * @used: a read found a page for the first time
 * @gave_way: a page was evicted in favour of the replacement policy
 */
struct model_type {
	const char *name;
	void (*init)(struct model *m);
	void (*destroy)(struct model *m);
	void (*request)(struct model *m, bool write, u64 first, u64 last);
	void (*steps_done)(struct model *m, bool (*is_dirty)(u64 page), u32 dirty);
	void (*loaded)(struct model *m);
	void (*used)(struct model *m);
	void (*gave_way)(struct model *m);
};

extern const struct model_type model_types[];
extern const unsigned int model_nr_types;

#endif /* SSDC_PREFETCH_MODEL_H */
