// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>
#include "alloc.h"
#include "ghost.h"

static u32 *head_of(const struct ssdc_ghosts *ghosts, u64 page)
{
	u64 hash = page * 0x9e3779b97f4a7c15ULL;

	return &ghosts->heads[((hash >> 32) * ghosts->nr) >> 32];
}

/**
 * ssdc_ghosts_create() - allocate memory for ghosts
 * @ghosts: zeroed structure, owned by the caller
 * @nr: total number of ghosts on all lists, at least 1
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM, after which ssdc_ghosts_destroy() may be called, but need not be.
 */
int ssdc_ghosts_create(struct ssdc_ghosts *ghosts, u32 nr)
{
	u32 i;

	ghosts->all = ssdc_alloc_array(nr, sizeof(*ghosts->all));
	ghosts->heads = ssdc_alloc_array(nr, sizeof(*ghosts->heads));
	if (!ghosts->all || !ghosts->heads) {
		ssdc_ghosts_destroy(ghosts);
		return -ENOMEM;
	}
	ghosts->nr = nr;
	for (i = 0; i < nr; i++) {
		ghosts->heads[i] = SSDC_NO_GHOST;
		ghosts->all[i].chain = i + 1 < nr ? i + 1 : SSDC_NO_GHOST;
	}
	ghosts->free = 0;
	for (i = 0; i < SSDC_GHOST_LISTS; i++) {
		ghosts->lists[i].newest = SSDC_NO_GHOST;
		ghosts->lists[i].oldest = SSDC_NO_GHOST;
		ghosts->lists[i].count = 0;
	}
	return 0;
}

/**
 * ssdc_ghosts_destroy() - free what ssdc_ghosts_create() allocated
 * @ghosts: ghosts; may be all zero
 *
 * Context: may sleep.
 */
void ssdc_ghosts_destroy(struct ssdc_ghosts *ghosts)
{
	kvfree(ghosts->all);
	kvfree(ghosts->heads);
	ghosts->all = NULL;
	ghosts->heads = NULL;
}

/**
 * ssdc_ghost_find() - find the ghost of a page
 * @ghosts: ghosts
 * @page: page number, below 2^56
 *
 * Return: the ghost's index in @all, valid until ghosts are added or dropped; SSDC_NO_GHOST if
 * there is none.
 */
u32 ssdc_ghost_find(const struct ssdc_ghosts *ghosts, u64 page)
{
	u32 ghost = *head_of(ghosts, page);

	while (ghost != SSDC_NO_GHOST && ghosts->all[ghost].page != page)
		ghost = ghosts->all[ghost].chain;
	return ghost;
}

static void unlink_ghost(struct ssdc_ghosts *ghosts, u32 nr)
{
	struct ssdc_ghost *ghost = &ghosts->all[nr];
	struct ssdc_ghost_list *list = &ghosts->lists[ghost->list];

	if (ghost->newer == SSDC_NO_GHOST)
		list->newest = ghost->older;
	else
		ghosts->all[ghost->newer].older = ghost->older;
	if (ghost->older == SSDC_NO_GHOST)
		list->oldest = ghost->newer;
	else
		ghosts->all[ghost->older].newer = ghost->newer;
	list->count--;
}

/**
 * ssdc_ghost_drop() - forget a ghost
 * @ghosts: ghosts
 * @ghost: its index, as found
 */
void ssdc_ghost_drop(struct ssdc_ghosts *ghosts, u32 ghost)
{
	u32 *at = head_of(ghosts, ghosts->all[ghost].page);

	while (*at != ghost)
		at = &ghosts->all[*at].chain;
	*at = ghosts->all[ghost].chain;
	unlink_ghost(ghosts, ghost);
	ghosts->all[ghost].chain = ghosts->free;
	ghosts->free = ghost;
}

/* Make room for a ghost on @list: forget the oldest ghost, of this list if it has any. */
static void make_room(struct ssdc_ghosts *ghosts, u8 list)
{
	if (ghosts->free != SSDC_NO_GHOST)
		return;
	if (!ghosts->lists[list].count)
		list = !list;
	ssdc_ghost_drop(ghosts, ghosts->lists[list].oldest);
}

/**
 * ssdc_ghost_add() - a page has left: add its ghost as the newest of a list
 * @ghosts: ghosts. If all are in use, the oldest is forgotten
 * @list: 0 to SSDC_GHOST_LISTS - 1
 * @page: page number, below 2^56. If the page has a ghost already, that ghost is dropped
 * @value: the caller's
 */
void ssdc_ghost_add(struct ssdc_ghosts *ghosts, u8 list, u64 page, u32 value)
{
	struct ssdc_ghost_list *to = &ghosts->lists[list];
	u32 nr = ssdc_ghost_find(ghosts, page), *head;
	struct ssdc_ghost *ghost;

	if (nr != SSDC_NO_GHOST)
		ssdc_ghost_drop(ghosts, nr);
	make_room(ghosts, list);
	nr = ghosts->free;
	ghost = &ghosts->all[nr];
	ghosts->free = ghost->chain;
	ghost->page = page;
	ghost->list = list;
	ghost->value = value;
	head = head_of(ghosts, page);
	ghost->chain = *head;
	*head = nr;
	ghost->newer = SSDC_NO_GHOST;
	ghost->older = to->newest;
	if (to->newest == SSDC_NO_GHOST)
		to->oldest = nr;
	else
		ghosts->all[to->newest].newer = nr;
	to->newest = nr;
	to->count++;
}

/**
 * ssdc_ghost_trim() - forget the oldest ghosts of a list that is too long
 * @ghosts: ghosts
 * @list: the list
 * @most: length that it may have
 *
 * At most SSDC_GHOST_MOVES ghosts are forgotten per call, so a bound that a tunable has lowered is
 * reached gradually.
 */
void ssdc_ghost_trim(struct ssdc_ghosts *ghosts, u8 list, u32 most)
{
	u32 i;

	for (i = 0; i < SSDC_GHOST_MOVES && ghosts->lists[list].count > most; i++)
		ssdc_ghost_drop(ghosts, ghosts->lists[list].oldest);
}

static int list_check(const struct ssdc_ghosts *ghosts, u32 list, struct ssdc_error *finding)
{
	u32 nr = ghosts->lists[list].newest, newer = SSDC_NO_GHOST, count = 0;

	for (; nr != SSDC_NO_GHOST && count <= ghosts->nr; nr = ghosts->all[nr].older) {
		const struct ssdc_ghost *ghost = &ghosts->all[nr];

		if (ghost->newer != newer || ghost->list != list)
			return ssdc_finding(finding, "ghost %u of list %u has list %u, newer %d",
					    nr, list, (u32)ghost->list, (int)ghost->newer);
		if (ssdc_ghost_find(ghosts, ghost->page) != nr)
			return ssdc_finding(finding, "ghost %u of page %llu is not found", nr,
					    (unsigned long long)ghost->page);
		newer = nr;
		count++;
	}
	if (count != ghosts->lists[list].count || newer != ghosts->lists[list].oldest)
		return ssdc_finding(finding, "list %u has %u ghosts, its count is %u", list, count,
				    ghosts->lists[list].count);
	return 0;
}

/**
 * ssdc_ghosts_check() - verify all links and counts
 * @ghosts: ghosts
 * @finding: filled in on failure
 *
 * Only tests call it: O(ghosts).
 * Return: 0 or -EUCLEAN.
 */
int ssdc_ghosts_check(const struct ssdc_ghosts *ghosts, struct ssdc_error *finding)
{
	u32 nr, list, count = 0;
	int r;

	for (list = 0; list < SSDC_GHOST_LISTS; list++) {
		r = list_check(ghosts, list, finding);
		if (r)
			return r;
		count += ghosts->lists[list].count;
	}
	for (nr = ghosts->free; nr != SSDC_NO_GHOST && count <= ghosts->nr;
	     nr = ghosts->all[nr].chain)
		count++;
	if (count != ghosts->nr)
		return ssdc_finding(finding, "%u ghosts are used or free, not %u", count,
				    ghosts->nr);
	return 0;
}
