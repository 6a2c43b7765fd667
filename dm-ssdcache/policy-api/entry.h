/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directory record of a frame. Entry i describes frame i, so a frame number identifies
 * both.
 */
#ifndef SSDC_ENTRY_H
#define SSDC_ENTRY_H

#include "../base/types.h"

/*
 * Entry flags. The life of a page:
 *
 *	write miss: free -> MAPPED|POLICY|DIRTY -> flush -> MAPPED|POLICY -> evict -> free
 *	read miss:  free -> MAPPED|POLICY|FILL -> read done -> MAPPED|POLICY -> evict -> free
 *	prefetch:   free -> MAPPED|FILL -> read done -> MAPPED -> evict -> free; see prefetch.c
 *
 * The origin sees stable data: while FLUSH is set, the data of the page do not change. A write to a
 * page whose flush is in flight clears FLUSH and goes to another buffer: see twin.c. A VICTIM page
 * has left its replacement policy; its frame becomes free when the page is clean and no copy uses
 * it.
 */
#define SSDC_E_MAPPED		0x0001	/* in the page directory */
#define SSDC_E_POLICY		0x0002	/* known to the replacement policy */
#define SSDC_E_DIRTY		0x0004	/* has sectors newer than the origin's */
#define SSDC_E_FILL		0x0008	/* read from the origin queued or in flight */
#define SSDC_E_FLUSH		0x0010	/* write to the origin queued or in flight */
#define SSDC_E_VICTIM		0x0020	/* being evicted: freed once clean and unpinned */
#define SSDC_E_WANT_FLUSH	0x0040	/* flush once no write, fill or discard uses the page */
#define SSDC_E_SYNC		0x0080	/* belongs to the running sync pass */
#define SSDC_E_FAILED		0x0100	/* last flush failed; retried by timer */
#define SSDC_E_WAITED		0x0200	/* a request waits for this page */
#define SSDC_E_GENERATION	0x0400	/* which policy owns the page: old or new */
#define SSDC_E_RUNS		0x0800	/* flush dirty sectors only, without a fill */
#define SSDC_E_IO_ERROR		0x1000	/* part of its fill or flush failed */
#define SSDC_E_UNREAD		0x2000	/* entered for a read that has yet to queue its fill */
#define SSDC_E_UNNOTIFIED	0x4000	/* flushed by a sync pass, policy not yet notified */
#define SSDC_E_BEHIND		0x8000	/* victim whose turn in its batch has not come */

#define SSDC_MAX_PINS		255	/* further copies wait */
#define SSDC_MAX_WRITERS	15	/* further writes to the page wait */

struct ssdc_entry {
	ssdc_page_t page;		/* valid while SSDC_E_MAPPED */
	ssdc_frame_t hash_next;		/* directory chain */
	ssdc_frame_t prev;		/* link of the policy's or the prefetched list */
	ssdc_frame_t next;		/* the other link; victim: next victim in turn */
	ssdc_frame_t queue_next;	/* link of the free list or an I/O queue; or the twin */
	u32 weight;			/* policy's: e.g. a count; victim: see page.c;
					 * prefetched: 1 once a host read found it
					 */
	u16 flags;			/* SSDC_E_* */
	u8 pins;			/* copies to or from the frame in progress */
	u8 written : 7;			/* when the page was last flushed: see stable.c */
	u8 hold_failed : 1;		/* the data changed while @read_held was set */
	u32 writers : 4;		/* copies to the frame in progress */
	u32 read_held : 1;		/* new writes wait for a read: see copy.c */
	u32 prefetched : 1;		/* on the list of prefetched pages */
	u32 reason : 3;			/* enum ssdc_flush_reason */
	u32 ios : 7;			/* fill or flush runs in flight */
	u32 cursor : 8;			/* first sector not yet submitted; see page.h */
	u32 list : 8;			/* policy's: e.g. which of its lists */
	u32 stamp;			/* number of the last access, counted over all pages;
					 * victim: of the request that evicted it
					 */
};

#endif /* SSDC_ENTRY_H */
