// SPDX-License-Identifier: GPL-2.0
/*
 * A cached mapping table as in DFTL [Gupta09]: the map is in translation pages in the flash, and
 * the controller holds the mappings (entries) of map_cache pages only.
 *
 *	lookup:  hit, or [write back the victim's translation page if it is dirty,]
 *		 read the page's translation page, then enter the mapping. A read of the host goes
 *		 first, and the write-back follows when it has ended
 *	host write or discard:  cached mapping -> dirty; a mapping that is not cached is part of the
 *		 translation page's next write
 *	write-back:  read and program a translation page; all its dirty entries -> clean
 *	GC of a block:  cached mappings -> dirty; the others are written, once per translation
 *		 page, before the block is erased
 *
 * Translation page t is logical page nr_lpns + t, so the map itself is the global translation
 * directory, and GC moves translation pages like data. In each plane, translation pages that are
 * written have an open block of their own, and so have translation pages that GC moves.
 *
 * The whole map stays in memory: this file decides only the cost of lookups, never which page is
 * found. The entries form a segmented LRU list: a mapping that is found again becomes protected;
 * half of the entries can be. An entry gets its place at the start of the lookup, and can be found
 * from the end of the lookup on. If another lookup is reading the same translation page, a lookup
 * waits for that read.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "../base/alloc.h"
#include "map-cache.h"

#define NONE U32_MAX

/* List heads follow the entries. */
static u32 probation(const struct ssdf_map_cache *c)
{
	return c->nr;
}

static u32 protection(const struct ssdf_map_cache *c)
{
	return c->nr + 1;
}

static u32 page_index(const struct ssdf_device *f, u32 lpn)
{
	return lpn / ssdf_map_page_entries(&f->params);
}

static u32 *bucket_of(const struct ssdf_map_cache *c, u32 lpn)
{
	return &c->hash[(lpn * 0x9e3779b1u) >> (32 - c->hash_bits)];
}

static u32 find(const struct ssdf_map_cache *c, u32 lpn)
{
	u32 i = *bucket_of(c, lpn);

	while (i != NONE && c->entries[i].lpn != lpn)
		i = c->entries[i].hash_next;
	return i;
}

static void list_remove(struct ssdf_map_cache *c, u32 i)
{
	struct ssdf_map_entry *e = &c->entries[i];

	c->entries[e->prev].next = e->next;
	c->entries[e->next].prev = e->prev;
	c->nr_protected -= e->is_protected;
	e->is_protected = false;
}

/* Insert behind @before, which is in the list of @head, or is @head. */
static void list_insert_behind(struct ssdf_map_cache *c, u32 before, u32 head, u32 i)
{
	struct ssdf_map_entry *e = &c->entries[i], *b = &c->entries[before];

	e->prev = before;
	e->next = b->next;
	c->entries[b->next].prev = i;
	b->next = i;
	e->is_protected = head == protection(c);
	c->nr_protected += e->is_protected;
}

/* Insert as the most recently used entry. */
static void list_insert(struct ssdf_map_cache *c, u32 head, u32 i)
{
	list_insert_behind(c, head, head, i);
}

/* The entry was used again; the least recently used protected one may lose its protection. */
static void use_again(struct ssdf_map_cache *c, u32 i)
{
	u32 last;

	list_remove(c, i);
	list_insert(c, protection(c), i);
	if (c->nr_protected <= c->nr / 2)
		return;
	last = c->entries[protection(c)].prev;
	list_remove(c, last);
	list_insert(c, probation(c), last);
}

/*
 * An entry is dirty until the next write of its translation page. (An entry that stays clean for
 * exactly 2^32 of these writes looks dirty, which may cost one more write.)
 */
static bool is_dirty(const struct ssdf_device *f, u32 i)
{
	const struct ssdf_map_entry *e = &f->map_cache.entries[i];

	return e->dirty_at == f->map_cache.writes[page_index(f, e->lpn)];
}

static void set_dirty(const struct ssdf_device *f, u32 i, bool dirty)
{
	struct ssdf_map_entry *e = &f->map_cache.entries[i];

	e->dirty_at = f->map_cache.writes[page_index(f, e->lpn)] - !dirty;
}

/* Look up a mapping, if it is cached. Counts hits. */
bool ssdf_map_hit(struct ssdf_device *f, ssdf_lpn_t lpn)
{
	u32 i = find(&f->map_cache, ssdf_lpn_nr(lpn));

	if (i == NONE)
		return false;
	f->stats.map_hits++;
	use_again(&f->map_cache, i);
	return true;
}

/* Look up a mapping. Counts hits and misses. */
bool ssdf_map_find(struct ssdf_device *f, ssdf_lpn_t lpn)
{
	bool hit = ssdf_map_hit(f, lpn);

	f->stats.map_misses += !hit;
	return hit;
}

static void evict(struct ssdf_map_cache *c, u32 i)
{
	u32 *link = bucket_of(c, c->entries[i].lpn);

	while (*link != i)
		link = &c->entries[*link].hash_next;
	*link = c->entries[i].hash_next;
	list_remove(c, i);
	c->entries[i].next = c->free;
	c->free = i;
}

/*
 * Start of a lookup: get a place for the entry. Returns the translation page to write first, as
 * the victim was dirty; or SSDF_NO_LPN. There is a victim: lookups in progress are fewer than
 * entries, as each has a command.
 */
ssdf_lpn_t ssdf_map_make_room(struct ssdf_device *f)
{
	struct ssdf_map_cache *c = &f->map_cache;
	ssdf_lpn_t write = SSDF_NO_LPN;
	u32 victim;

	if (c->used < c->nr) {
		c->used++;
		return SSDF_NO_LPN;
	}
	victim = c->entries[probation(c)].prev;
	if (victim == probation(c))
		victim = c->entries[protection(c)].prev;
	if (is_dirty(f, victim)) {
		write = ssdf_translation_page(f, ssdf_lpn(c->entries[victim].lpn));
		ssdf_map_written(f, write);
	}
	evict(c, victim);
	return write;
}

static u32 index_of(const struct ssdf_device *f, const struct ssdf_command *cmd)
{
	return ssdf_lpn_nr(cmd->lpn) - f->nr_lpns;
}

/* Wait for the read of the command's translation page, if there is one. */
bool ssdf_lookup_follow(struct ssdf_device *f, struct ssdf_command *cmd)
{
	u32 slot = f->map_cache.readers[index_of(f, cmd)];

	if (slot == NONE)
		return false;
	list_add_tail(&cmd->node, &f->map_cache.followers[slot]);
	return true;
}

/* The command begins to read its translation page, also for other lookups. */
void ssdf_lookup_begin_read(struct ssdf_device *f, const struct ssdf_command *cmd)
{
	f->map_cache.readers[index_of(f, cmd)] = cmd->slot;
}

/* The translation page was read. Adds the commands that waited for it to the list. */
void ssdf_lookup_end_read(struct ssdf_device *f, const struct ssdf_command *cmd,
			  struct list_head *followers)
{
	f->map_cache.readers[index_of(f, cmd)] = NONE;
	list_splice_tail_init(&f->map_cache.followers[cmd->slot], followers);
}

/* The command's read goes first: the command writes the translation page afterwards. */
void ssdf_map_owe(struct ssdf_device *f, const struct ssdf_command *cmd, ssdf_lpn_t map_page)
{
	f->map_cache.owed[cmd->slot] = map_page;
}

/* The translation page to write, now that the read has ended; SSDF_NO_LPN: none. */
ssdf_lpn_t ssdf_map_owed(struct ssdf_device *f, const struct ssdf_command *cmd)
{
	ssdf_lpn_t map_page = f->map_cache.owed[cmd->slot];

	f->map_cache.owed[cmd->slot] = SSDF_NO_LPN;
	return map_page;
}

/* Free entry -> entry of a mapping, in no list yet. Returns its index. */
static u32 take_entry(struct ssdf_map_cache *c, u32 lpn)
{
	u32 i = c->free, *bucket = bucket_of(c, lpn);

	c->free = c->entries[i].next;
	c->entries[i].lpn = lpn;
	c->entries[i].hash_next = *bucket;
	*bucket = i;
	return i;
}

/* End of a lookup: the mapping was read. */
void ssdf_map_insert(struct ssdf_device *f, ssdf_lpn_t lpn)
{
	struct ssdf_map_cache *c = &f->map_cache;
	u32 nr = ssdf_lpn_nr(lpn), i;

	if (find(c, nr) != NONE) {
		/* Another lookup was faster. */
		c->used--;
	} else {
		i = take_entry(c, nr);
		list_insert(c, probation(c), i);
		set_dirty(f, i, false);
	}
}

/*
 * Ageing: enter a mapping that was written and that no lookup has found since, unless it is cached.
 * Returns false if no entry is free.
 */
bool ssdf_map_fill(struct ssdf_device *f, ssdf_lpn_t lpn)
{
	struct ssdf_map_cache *c = &f->map_cache;
	u32 nr = ssdf_lpn_nr(lpn), i;

	if (c->used == c->nr)
		return false;
	if (find(c, nr) == NONE) {
		c->used++;
		i = take_entry(c, nr);
		list_insert_behind(c, c->entries[probation(c)].prev, probation(c), i);
		set_dirty(f, i, true);
	}
	return true;
}

/* A translation page is being written: all its entries -> clean, and no update is due. */
void ssdf_map_written(struct ssdf_device *f, ssdf_lpn_t map_page)
{
	u32 page = ssdf_lpn_nr(map_page) - f->nr_lpns;

	f->map_cache.writes[page]++;
	f->map_cache.outdated[page] = false;
}

/*
 * A mapping changes. The mapping of a host write changes only when the page gets its place, long
 * after the lookup. Meanwhile the translation page may have been written, or the mapping evicted.
 * Nothing waits for the flash here: a mapping that is not cached is part of the next write of its
 * translation page. Returns whether the mapping is cached.
 */
bool ssdf_map_changed(struct ssdf_device *f, ssdf_lpn_t lpn)
{
	u32 i;

	if (!f->params.map_cache)
		return true;
	i = find(&f->map_cache, ssdf_lpn_nr(lpn));
	if (i != NONE)
		set_dirty(f, i, true);
	else
		f->map_cache.outdated[page_index(f, ssdf_lpn_nr(lpn))] = true;
	return i != NONE;
}

/* GC of a plane has moved a page. The mapping of a translation page is in the directory. */
void ssdf_map_moved(struct ssdf_device *f, u32 plane, ssdf_lpn_t lpn)
{
	struct ssdf_plane *p = &f->planes[plane];

	if (ssdf_is_translation_page(f, lpn) || ssdf_map_changed(f, lpn))
		return;
	/* At most one for each page of the victim. */
	f->map_cache.updates[(size_t)plane * f->params.pages + p->nr_updates++] =
		page_index(f, ssdf_lpn_nr(lpn));
}

/* The next translation page to update for the plane's victim; SSDF_NO_LPN: none is left. */
ssdf_lpn_t ssdf_map_next_update(struct ssdf_device *f, u32 plane)
{
	struct ssdf_map_cache *c = &f->map_cache;
	struct ssdf_plane *p = &f->planes[plane];
	u32 page;

	while (p->nr_updates) {
		page = c->updates[(size_t)plane * f->params.pages + --p->nr_updates];
		if (c->outdated[page])
			return ssdf_lpn(f->nr_lpns + page);
	}
	return SSDF_NO_LPN;
}

/*
 * Does nothing without map_cache. On failure, ssdf_map_cache_destroy() frees what was allocated.
 * May sleep.
 */
int ssdf_map_cache_create(struct ssdf_device *f)
{
	struct ssdf_map_cache *c = &f->map_cache;
	u32 pages = f->nr_map_pages, i;

	if (!f->params.map_cache)
		return 0;
	c->nr = ssdf_map_entries(&f->params);
	c->hash_bits = ssdf_map_hash_bits(c->nr);
	c->entries = ssdc_alloc_array((size_t)c->nr + 2, sizeof(*c->entries));
	c->hash = ssdc_alloc_array((size_t)1 << c->hash_bits, sizeof(*c->hash));
	c->writes = ssdc_alloc_array(pages, sizeof(*c->writes));
	c->outdated = ssdc_alloc_array(pages, sizeof(*c->outdated));
	c->readers = ssdc_alloc_array(pages, sizeof(*c->readers));
	c->followers = ssdc_alloc_array(ssdf_nr_commands(&f->params), sizeof(*c->followers));
	c->owed = ssdc_alloc_array(ssdf_nr_commands(&f->params), sizeof(*c->owed));
	c->updates = ssdc_alloc_array((size_t)f->nr_planes * f->params.pages, sizeof(*c->updates));
	if (!c->entries || !c->hash || !c->writes || !c->outdated || !c->readers ||
	    !c->followers || !c->owed || !c->updates)
		return -ENOMEM;
	memset(c->hash, 0xff, sizeof(*c->hash) << c->hash_bits);
	memset(c->readers, 0xff, pages * sizeof(*c->readers));
	for (i = 0; i < ssdf_nr_commands(&f->params); i++)
		INIT_LIST_HEAD(&c->followers[i]);
	for (i = 0; i < c->nr; i++)
		c->entries[i].next = i + 1 < c->nr ? i + 1 : NONE;
	for (i = c->nr; i < c->nr + 2; i++) {
		c->entries[i].next = i;
		c->entries[i].prev = i;
	}
	return 0;
}

void ssdf_map_cache_destroy(struct ssdf_device *f)
{
	struct ssdf_map_cache *c = &f->map_cache;

	kvfree(c->updates);
	kvfree(c->owed);
	kvfree(c->followers);
	kvfree(c->readers);
	kvfree(c->outdated);
	kvfree(c->writes);
	kvfree(c->hash);
	kvfree(c->entries);
}

/*
 * Each entry of a hash chain is in a list; the lists have @listed entries. Free entries are in no
 * chain.
 */
static bool chains_ok(const struct ssdf_map_cache *c, u32 listed)
{
	u32 bucket, i, chained = 0, nr_free = 0;

	for (bucket = 0; bucket < 1U << c->hash_bits; bucket++) {
		for (i = c->hash[bucket]; i != NONE; i = c->entries[i].hash_next)
			if (++chained > listed ||
			    bucket_of(c, c->entries[i].lpn) != &c->hash[bucket])
				return false;
	}
	for (i = c->free; i != NONE; i = c->entries[i].next)
		if (++nr_free > c->nr)
			return false;
	return chained == listed && nr_free == c->nr - listed;
}

/* Check that the lists and the hash table agree. O(entries). */
int ssdf_map_cache_check(const struct ssdf_device *f)
{
	const struct ssdf_map_cache *c = &f->map_cache;
	u32 list, i, listed = 0, nr_protected = 0, reads = 0;
	bool is_protected;

	if (!f->params.map_cache)
		return 0;
	for (list = probation(c); list <= protection(c); list++) {
		for (i = c->entries[list].next; i != list; i = c->entries[i].next) {
			if (++listed > c->used || find(c, c->entries[i].lpn) != i)
				return -EUCLEAN;
			is_protected = list == protection(c);
			if (c->entries[i].is_protected != is_protected)
				return -EUCLEAN;
			nr_protected += c->entries[i].is_protected;
		}
	}
	for (i = 0; i < f->nr_map_pages; i++)
		reads += c->readers[i] != NONE;
	if (nr_protected != c->nr_protected || c->used > c->nr || !chains_ok(c, listed))
		return -EUCLEAN;
	return !f->inflight && (reads || listed != c->used) ? -EUCLEAN : 0;
}
