// SPDX-License-Identifier: GPL-2.0
/*
 * The list of all caches: those of live tables, of loaded tables, and of tables that are
 * being replaced. A mapped device has two of them during a reload.
 */
#include <linux/list.h>
#include <linux/sched/mm.h>

#include "cache.h"

static LIST_HEAD(caches);
static DEFINE_MUTEX(caches_lock);	/* guards @caches; a cache on it is not freed */

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
 * Context: may sleep.
 */
void dmsc_caches_remove(struct dmsc_cache *c)
{
	unsigned int noio = dmsc_lock_caches();

	list_del_init(&c->all);
	dmsc_unlock_caches(noio);
}
