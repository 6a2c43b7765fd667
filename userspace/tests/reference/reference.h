/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Literal, slow implementations of the replacement policies, to compare each
 * decision of the fast ones with.
 *
 *	engine -> ref_watch() -> policy of dm-ssdcache/replacement
 *			  `----> reference of the same name, told the same
 *
 * A reference is written from the paper's rules (and from what the head comment of
 * the policy says where these are silent), with plain arrays and whole scans. It
 * shares no code with the policy. What the policy answers (victims in order, early
 * flushes in order, the page that moves to another policy first) has to be what the
 * reference answers; the first difference ends the program.
 *
 * One policy is one small file here, and one line in the table of reference.c.
 * userspace/tests/policy-reference.c drives it with random requests and with traces,
 * engine-fuzz.c with everything that can go wrong.
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

/* Pages in order; number 0 is the most recent one. All zero is an empty list. */
struct ref_list {
	u64 *pages;
	size_t nr;
	size_t room;
};

/**
 * struct ref_block - pages that leave together
 * @number: tells blocks apart, also from those that are gone
 * @pages: most recent first
 * @first: its first page, of a block of addresses
 * @span: pages of a block of addresses
 * @own: the policy's own
 */
struct ref_block {
	u64 number;
	struct ref_list pages;
	u64 first;
	u64 span;
	u64 own[8];
};

/* Blocks in order; number 0 is the most recent one. All zero is an empty list. */
struct ref_blocks {
	struct ref_block *at;
	size_t nr;
	size_t room;
};

struct ref;

/**
 * struct ref_type - the reference of a policy
 * @name: of the policy
 * @bytes: size of its instance, which starts with struct ref and is all zero at first
 * @calm: only compared with few pages, where policies and tunables do not change, and
 *	where what a FLUSH cleaned is told before anything else happens. For policies
 *	whose head comment says that they are approximate otherwise.
 * @create: optional
 * @destroy: optional
 * @tuned: optional; a tunable has changed
 * @request: optional; a host read or write arrived
 * @insert: @rq is NULL for a page that was read, and for one whose flush failed
 * @hit: optional
 * @clean: optional
 * @remove: discard, drop_clean, failed early flush, or the way to another policy
 * @victims: add the pages that leave together, in order, to @batch
 * @surplus: pages that are to leave although frames may be free. NULL: none ever
 * @early: the page that an early flush writes after it has picked @nr pages already;
 *	REF_NO_PAGE ends it. NULL: none ever
 * @adopt: the page enters as the least recent one
 * @pop_hottest: the page that leaves first for another policy
 */
struct ref_type {
	const char *name;
	size_t bytes;
	bool calm;
	void (*create)(struct ref *ref);
	void (*destroy)(struct ref *ref);
	void (*tuned)(struct ref *ref);
	void (*request)(struct ref *ref, const struct ref_request *rq);
	void (*insert)(struct ref *ref, u64 page, const struct ref_request *rq, bool dirty);
	void (*hit)(struct ref *ref, u64 page, const struct ref_request *rq, bool write);
	void (*clean)(struct ref *ref, u64 page, enum ssdc_flush_reason reason);
	void (*remove)(struct ref *ref, u64 page);
	void (*victims)(struct ref *ref, const struct ssdc_view *view, struct ref_list *batch);
	u32 (*surplus)(struct ref *ref);
	u64 (*early)(struct ref *ref, const struct ssdc_view *view, unsigned int nr);
	void (*adopt)(struct ref *ref, u64 page);
	u64 (*pop_hottest)(struct ref *ref);
};

/**
 * struct ref - the start of every instance
 * @type: which policy
 * @frames: pages that the DRAM tier holds
 * @page_sectors: length of a page
 * @fast: the instance that is compared with
 */
struct ref {
	const struct ref_type *type;
	u32 frames;
	u32 page_sectors;
	const struct ssdc_replacement *fast;
};

/* One file each. */
extern const struct ref_type ref_fifo, ref_lru, ref_lfu, ref_cflru, ref_cflru_ef, ref_cflru_ef_sc;
extern const struct ref_type ref_fab, ref_bplru, ref_vbbms, ref_req_block;
extern const struct ref_type ref_vs_batch, ref_vs_batch_plus;
extern const struct ref_type ref_co_active, ref_ecr, ref_lcr, ref_mq_ssd;

/* What may be asked of the world: the value of a tunable, and what the engine knows of a page. */
u32 ref_tunable(const struct ref *ref, const char *name);
bool ref_dirty(const struct ref *ref, u64 page);
u32 ref_prefetched(const struct ref *ref);
u64 ref_hotter(const struct ref *ref, u64 page, u64 other);
u64 ref_hottest(const struct ref *ref, const struct ref_list *lists, unsigned int nr);
struct ssdc_unit_query ref_chip(const struct ref *ref, u64 page, bool write);

/* Lists. Removing a page that is not there is a difference, and ends the program. */
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

/*
 * Lists of blocks. What is found is a place, @nr if there is none; a pointer into a list
 * holds until something is inserted, moved or dropped.
 */
struct ref_block *ref_blocks_insert(struct ref_blocks *blocks, size_t at);
void ref_blocks_move(struct ref_blocks *from, size_t at, struct ref_blocks *to, size_t place);
void ref_blocks_drop(struct ref_blocks *blocks, size_t at);
size_t ref_blocks_with(const struct ref_blocks *blocks, u64 page);
size_t ref_blocks_at(const struct ref_blocks *blocks, u64 first, u64 span);
size_t ref_blocks_number(const struct ref_blocks *blocks, u64 number);
size_t ref_blocks_pages(const struct ref_blocks *blocks);
void ref_blocks_free(struct ref_blocks *blocks);

/* The first difference. To be defined by the program; does not return. */
void ref_differs(const char *text) __attribute__((__noreturn__));

/* For these programs: compare the policy from now on, if there is a reference for it. */
const struct ref_type *ref_type_find(const char *name);
bool ref_watch(struct ssdc_replacement *r);
u64 ref_decisions(void);

#endif /* SSDC_REFERENCE_H */
