// SPDX-License-Identifier: GPL-2.0
/*
 * The list of all caches: those of live tables, of loaded tables, and of tables that are being
 * replaced. A mapped device has two caches during a reload.
 */
#include <linux/list.h>
#include <linux/sched/mm.h>
#include <linux/wait.h>

#include "cache.h"

static LIST_HEAD(caches);
static DEFINE_MUTEX(caches_lock);	/* guards @caches; no cache on it is freed meanwhile */
static DECLARE_WAIT_QUEUE_HEAD(released);	/* for dmsc_release_previous() */

/**
 * dmsc_lock_caches() - lock the list of caches
 *
 * A resume takes the lock while requests of its device are held up, and so do removals.
 * Hold the lock for no I/O. Reclaim must not wait for those requests, so allocations
 * under the lock are GFP_NOIO.
 *
 * Context: may sleep; not under a cache's lock. Message and sysfs code may hold @control.
 * Return: value for dmsc_unlock_caches().
 */
unsigned int dmsc_lock_caches(void)
{
	unsigned int noio = memalloc_noio_save();

	mutex_lock(&caches_lock);
	return noio;
}

void dmsc_unlock_caches(unsigned int noio)
{
	mutex_unlock(&caches_lock);
	memalloc_noio_restore(noio);
}

/**
 * dmsc_next_cache() - go through the list of caches
 * @c: the previous cache; NULL: start
 *
 * Context: between dmsc_lock_caches() and dmsc_unlock_caches(), which also keep the
 * caches from being freed.
 * Return: the next cache, in order of creation, or NULL.
 */
struct dmsc_cache *dmsc_next_cache(struct dmsc_cache *c)
{
	struct list_head *next = c ? c->all.next : caches.next;

	lockdep_assert_held(&caches_lock);
	return next == &caches ? NULL : list_entry(next, struct dmsc_cache, all);
}

/**
 * dmsc_caches_add() - add a cache that is completely constructed to the list
 * @c: cache
 *
 * Context: may sleep.
 */
void dmsc_caches_add(struct dmsc_cache *c)
{
	unsigned int noio = dmsc_lock_caches();

	list_add_tail(&c->all, &caches);
	dmsc_unlock_caches(noio);
}

/**
 * dmsc_caches_remove() - remove a cache from the list, before anything of it is freed
 * @c: cache; on the list or never added, with @all initialized
 *
 * Context: may sleep; waits for dmsc_release_previous() of another resume.
 */
void dmsc_caches_remove(struct dmsc_cache *c)
{
	unsigned int noio = dmsc_lock_caches();

	list_del_init(&c->all);
	dmsc_unlock_caches(noio);
	/* Pairs with dmsc_release_previous(). */
	wait_event(released, !smp_load_acquire(&c->claimed));
}

/**
 * dmsc_claim_previous() - a cache becomes the live one of its mapped device
 * @c: cache at its first resume
 *
 * The cache that was live before is not live any more. A table has one cache at most, as a cache
 * covers its origin from sector 0 on. Device-mapper destroys a replaced table after the resume of
 * the next one, without a lock, so another task may resume a further table before that. As only one
 * cache is live, the further resume finds @c, and not the cache that @c has replaced. A table
 * without a cache in between is not noticed: until its predecessor is destroyed, that one counts as
 * live.
 *
 * Context: may sleep; during the resume.
 * Return: the cache that was live, which is not freed before dmsc_release_previous(); or NULL.
 */
struct dmsc_cache *dmsc_claim_previous(struct dmsc_cache *c)
{
	const struct mapped_device *md = dm_table_get_md(c->ti->table);
	unsigned int noio = dmsc_lock_caches();
	struct dmsc_cache *other = NULL;

	while ((other = dmsc_next_cache(other)))
		if (other->live && dm_table_get_md(other->ti->table) == md)
			break;
	if (other) {
		other->live = false;
		other->claimed = true;
	}
	c->live = true;
	dmsc_unlock_caches(noio);
	return other;
}

/**
 * dmsc_release_previous() - what dmsc_claim_previous() has returned is used no more
 * @previous: cache
 *
 * Context: any.
 */
void dmsc_release_previous(struct dmsc_cache *previous)
{
	/* Pairs with dmsc_caches_remove(). */
	smp_store_release(&previous->claimed, false);
	wake_up_all(&released);
}
