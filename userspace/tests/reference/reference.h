/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Literal, slow implementations of the replacement policies, for comparing every decision of
 * the fast ones.
 *
 *	engine -> ref_watch() -> policy of dm-ssdcache/replacement
 *			  `----> reference of the same name, with the same events
 *
 * A reference is written from the paper's rules (and, where these are silent, from the choices
 * listed in the policy's head comment), with plain arrays and full scans. It shares no code
 * with the policy. Policy and reference must give the same answers: victims in order, early
 * flushes in order, and the order in which pages move to another policy. The first difference
 * ends the program.
 *
 * Each policy has one small file here and one line in the table of reference.c.
 * userspace/tests/policy-reference.c drives it with random requests and with traces,
 * engine-fuzz.c with errors and changes, too.
 */
#ifndef SSDC_REFERENCE_H
#define SSDC_REFERENCE_H

#include "../../ssdcache-sim/sim.h"

#define REF_NO_PAGE U64_MAX

/* A host read or write, in pages; @sectors is its length. */
struct ref_request {
	u64 id;
	u64 first;
	u64 nr;
	u64 sectors;
	u64 time_ns;
	bool write;
};

/* Pages in order, most recent first. All zero is an empty list. */
struct ref_list {
	u64 *pages;
	size_t nr;
	size_t room;
};

/**
 * struct ref_block - pages that leave together
 * @number: unique number, never reused
 * @pages: most recent first
 * @first: first page of the block's addresses
 * @span: number of pages of the block's addresses
 * @own: for the policy's use
 */
struct ref_block {
	u64 number;
	struct ref_list pages;
	u64 first;
	u64 span;
	u64 own[8];
};

/* Blocks in order, most recent first. All zero is an empty list. */
struct ref_blocks {
	struct ref_block *at;
	size_t nr;
	size_t room;
};

struct ref;

/**
 * struct ref_type - the reference of a policy
 * @name: name of the policy
 * @bytes: size of the instance, which starts with struct ref and is all zero at first
 * @calm: compare only with few pages, without changes of policy and tunables, and with the
 *	policy notified of pages cleaned by a FLUSH before anything else happens. For
 *	policies whose head comment says that they are approximate otherwise.
 * @create: optional
 * @destroy: optional
 * @tuned: optional; a tunable has changed
 * @request: optional; a host read or write arrived
 * @full: optional; is the part full that a page of @rq enters next, or a page that is read, if NULL?
 * @insert: @rq is NULL for a page that was read, and for one whose flush failed
 * @hit: optional
 * @clean: optional
 * @remove: discard, drop_clean, failed early flush, or a change of policy
 * @victims: add the pages that leave together, in order, to @batch
 * @surplus: pages that must leave although frames may be free. NULL: always 0
 * @early: the next page of an early flush after @nr pages were picked; REF_NO_PAGE ends the
 *	batch. NULL: no early flush
 * @wants_early: would the policy flush early, if the host allowed it? NULL: not compared
 * @adopt: the page enters as the least recent one
 * @pop_hottest: the page that moves to another policy first
 */
struct ref_type {
	const char *name;
	size_t bytes;
	bool calm;
	void (*create)(struct ref *ref);
	void (*destroy)(struct ref *ref);
	void (*tuned)(struct ref *ref);
	void (*request)(struct ref *ref, const struct ref_request *rq);
	bool (*full)(struct ref *ref, const struct ref_request *rq);
	void (*insert)(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty);
	void (*hit)(struct ref *ref, u64 page, const struct ref_request *rq, bool write);
	void (*clean)(struct ref *ref, u64 page, enum ssdc_flush_reason reason);
	void (*remove)(struct ref *ref, u64 page);
	void (*victims)(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch);
	u32 (*surplus)(struct ref *ref);
	u64 (*early)(struct ref *ref, const struct ssdc_view *view, unsigned int nr);
	bool (*wants_early)(struct ref *ref);
	void (*adopt)(struct ref *ref, u64 page);
	u64 (*pop_hottest)(struct ref *ref);
};

/**
 * struct ref - the start of every instance
 * @type: the policy
 * @frames: size of the DRAM tier in pages
 * @page_sectors: page size in sectors
 * @fast: the instance being compared
 */
struct ref {
	const struct ref_type *type;
	u32 frames;
	u32 page_sectors;
	const struct ssdc_replacement *fast;
};

/* The references, one file each. */
extern const struct ref_type ref_fifo, ref_lru, ref_lfu, ref_cflru, ref_cflru_ef, ref_cflru_ef_sc;
extern const struct ref_type ref_fab, ref_bplru, ref_vbbms, ref_req_block;
extern const struct ref_type ref_vs_batch, ref_vs_batch_plus;
extern const struct ref_type ref_co_active, ref_ecr, ref_lcr, ref_mq_ssd;
extern const struct ref_type ref_clock, ref_sieve, ref_2q, ref_s3_fifo, ref_arc, ref_lirs, ref_mq;
extern const struct ref_type ref_w_tinylfu, ref_ccf_lru, ref_ad_lru, ref_gcar, ref_pud_lru, ref_wow;
extern const struct ref_type ref_pr_lru, ref_dulo, ref_freeboard;

/* Queries: the value of a tunable, and what the engine knows of a page. */
u32 ref_tunable(const struct ref *ref, const char *name);
bool ref_dirty(const struct ref *ref, u64 page);
bool ref_filling(const struct ref *ref, u64 page);
u32 ref_stamp(const struct ref *ref, u64 page);
u32 ref_prefetched(const struct ref *ref);
u64 ref_hotter(const struct ref *ref, u64 page, u64 other);
u64 ref_hottest(const struct ref *ref, const struct ref_list *lists, unsigned int nr);
struct ssdc_unit_query ref_chip(const struct ref *ref, u64 page, bool write);

/* Lists. Removing a page that is not there counts as a difference and ends the program. */
bool ref_list_has(const struct ref_list *list, u64 page);
void ref_list_insert(struct ref_list *list, size_t at, u64 page);
void ref_list_add_head(struct ref_list *list, u64 page);
void ref_list_add_tail(struct ref_list *list, u64 page);
u64 ref_list_take(struct ref_list *list, size_t at);
bool ref_list_drop(struct ref_list *list, u64 page);
void ref_list_remove(struct ref_list *list, u64 page);
u64 ref_list_head(const struct ref_list *list);
u64 ref_list_pop_head(struct ref_list *list);
u64 ref_list_pop_tail(struct ref_list *list);
void ref_list_sort(struct ref_list *list);
void ref_list_free(struct ref_list *list);

/* Pages that have left and are remembered: the last to leave first. */
void ref_ghost_add(const struct ref *ref, struct ref_list *ghosts, u64 page, u64 percent);
void ref_ghost_trim(struct ref_list *ghosts, u64 most);

/*
 * Lists of blocks. Searches return a place, or @nr if there is none. A pointer into a list is
 * valid until a block is inserted, moved or dropped.
 */
struct ref_block *ref_blocks_insert(struct ref_blocks *blocks, size_t at);
void ref_blocks_move(struct ref_blocks *from, size_t at, struct ref_blocks *to, size_t place);
void ref_blocks_drop(struct ref_blocks *blocks, size_t at);
void ref_blocks_evict(struct ref_blocks *blocks, size_t at, struct ref_list *batch);
size_t ref_blocks_with(const struct ref_blocks *blocks, u64 page);
size_t ref_blocks_at(const struct ref_blocks *blocks, u64 first, u64 span);
size_t ref_blocks_number(const struct ref_blocks *blocks, u64 number);
size_t ref_blocks_pages(const struct ref_blocks *blocks);
void ref_blocks_free(struct ref_blocks *blocks);

/* Reports the first difference. The program defines it; it does not return. */
void ref_differs(const char *text) __attribute__((__noreturn__));

/* For the programs: compare the policy until it is destroyed, if it has a reference. */
const struct ref_type *ref_type_find(const char *name);
bool ref_watch(struct ssdc_replacement *r);
void ref_watch_loop(struct ssdc_replacement *r, bool reads_enter);
u64 ref_decisions(void);

#endif /* SSDC_REFERENCE_H */
