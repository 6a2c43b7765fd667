// SPDX-License-Identifier: GPL-2.0
/*
 * Helpers for the check() of replacement policies. Only tests call them: O(pages).
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include "replacement.h"

/* The number of a frame, -1 for none. */
static int nr_of(ssdc_frame_t frame)
{
	return (int)ssdc_frame_nr(frame);
}

static int member_check(const struct ssdc_entry *entry, ssdc_frame_t frame, ssdc_frame_t prev,
			u8 id, const char *name, struct ssdc_error *finding)
{
	if (entry->prev != prev)
		return ssdc_finding(finding,
				    "list \"%s\": frame %d has the previous frame %d instead of %d (-1: none)",
				    name, nr_of(frame), nr_of(entry->prev), nr_of(prev));
	if (entry->list != id)
		return ssdc_finding(finding,
				    "list \"%s\": frame %d is marked as on list %u, not %u",
				    name, nr_of(frame), entry->list, id);
	if (!(entry->flags & SSDC_E_POLICY))
		return ssdc_finding(finding,
				    "list \"%s\": frame %d has flags 0x%x without SSDC_E_POLICY",
				    name, nr_of(frame), entry->flags);
	return 0;
}

/**
 * ssdc_list_check() - verify the links of a list of frames
 * @entries: the entries of all frames
 * @list: the list
 * @id: value of @list in each member's entry
 * @name: name of the list, for @finding
 * @finding: filled in on failure
 *
 * Context: the engine's lock; O(pages).
 * Return: 0 or -EUCLEAN.
 */
int ssdc_list_check(const struct ssdc_entry *entries, const struct ssdc_list *list, u8 id,
		    const char *name, struct ssdc_error *finding)
{
	ssdc_frame_t frame = list->head, prev = SSDC_NO_FRAME;
	u32 count = 0;
	int r;

	while (frame != SSDC_NO_FRAME && count <= list->count) {
		r = member_check(&entries[ssdc_frame_nr(frame)], frame, prev, id, name, finding);
		if (r)
			return r;
		prev = frame;
		frame = entries[ssdc_frame_nr(frame)].next;
		count++;
	}
	if (count > list->count)
		return ssdc_finding(finding, "list \"%s\": more pages are linked than its count %u",
				    name, list->count);
	if (count < list->count)
		return ssdc_finding(finding, "list \"%s\": %u pages are linked, its count is %u",
				    name, count, list->count);
	if (list->tail != prev)
		return ssdc_finding(finding,
				    "list \"%s\": the tail is frame %d, the last page is in frame %d (-1: none)",
				    name, nr_of(list->tail), nr_of(prev));
	return 0;
}
EXPORT_SYMBOL_GPL(ssdc_list_check);

/**
 * ssdc_pages_check() - does a policy hold as many pages as the engine counts?
 * @r: instance
 * @pages: number of pages that the policy holds
 * @finding: filled in on failure
 *
 * Return: 0 or -EUCLEAN.
 */
int ssdc_pages_check(const struct ssdc_replacement *r, u32 pages, struct ssdc_error *finding)
{
	if (pages == r->pages)
		return 0;
	return ssdc_finding(finding, "the policy holds %u pages, the engine counts %u", pages,
			    r->pages);
}
EXPORT_SYMBOL_GPL(ssdc_pages_check);

/**
 * ssdc_lists_check() - verify the lists of a policy that holds each page on one of them
 * @r: instance
 * @lists: array of lists; @list of a member's entry is the index of its list
 * @names: names of the lists, for @finding; NULL: "0", "1", ...
 * @nr: length of @lists
 * @finding: filled in on failure
 *
 * Context: the engine's lock; O(pages).
 * Return: 0 or -EUCLEAN.
 */
int ssdc_lists_check(const struct ssdc_replacement *r, const struct ssdc_list *lists,
		     const char *const *names, unsigned int nr, struct ssdc_error *finding)
{
	char number[12];
	unsigned int i;
	u32 pages = 0;
	int result;

	for (i = 0; i < nr; i++) {
		scnprintf(number, sizeof(number), "%u", i);
		result = ssdc_list_check(r->entries, &lists[i], i, names ? names[i] : number,
					 finding);
		if (result)
			return result;
		pages += lists[i].count;
	}
	return ssdc_pages_check(r, pages, finding);
}
EXPORT_SYMBOL_GPL(ssdc_lists_check);
