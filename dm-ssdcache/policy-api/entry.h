/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directory record of one frame. Entry i describes frame i, so that a
 * frame number is all that anyone passes around.
 */
#ifndef SSDC_ENTRY_H
#define SSDC_ENTRY_H

#include "../base/types.h"

/*
 * Entry flags. The life of a page:
 *
 *	write miss: free -> MAPPED|POLICY|DIRTY -> flush -> MAPPED|POLICY -> evict -> free
 *	read miss:  free -> MAPPED|FILL -> read done -> MAPPED|POLICY -> evict -> free
 *	prefetch:   free -> MAPPED|FILL -> read done -> MAPPED -> evict -> free; see prefetch.c
 *
 * FLUSH marks a write to the origin that is queued or in flight; the page's
 * data do not change meanwhile (writes of it wait), so that the device below
 * sees stable data. VICTIM pages have left their replacement policy and are
 * freed when their flush is done and nobody copies from them any more.
 */
#define SSDC_E_MAPPED		0x0001	/* in the page directory */
#define SSDC_E_POLICY		0x0002	/* known to the replacement policy */
#define SSDC_E_DIRTY		0x0004	/* has sectors newer than the origin's */
#define SSDC_E_FILL		0x0008	/* read from the origin queued or in flight */
#define SSDC_E_FLUSH		0x0010	/* write to the origin queued or in flight */
#define SSDC_E_VICTIM		0x0020	/* to be freed as soon as it is clean and unpinned */
#define SSDC_E_WANT_FLUSH	0x0040	/* flush as soon as pins and fill are gone */
#define SSDC_E_SYNC		0x0080	/* counted in the running sync pass */
#define SSDC_E_FAILED		0x0100	/* its last flush failed; the retry timer has it */
#define SSDC_E_WAITED		0x0200	/* a request waits for this page */
#define SSDC_E_GENERATION	0x0400	/* of its policy: flips when the policy is replaced */
#define SSDC_E_RUNS		0x0800	/* flush only its dirty sectors, do not fill it */
#define SSDC_E_IO_ERROR		0x1000	/* a part of its fill or flush failed */
#define SSDC_E_FRESH		0x2000	/* was read in, not yet read from: that is no hit */
#define SSDC_E_UNNOTIFIED	0x4000	/* clean; its policy is not notified yet */
#define SSDC_E_BEHIND		0x8000	/* a victim whose flush waits for the one before */

#define SSDC_MAX_WRITERS	31	/* a further write of the page waits */

struct ssdc_entry {
	ssdc_page_t page;		/* valid while SSDC_E_MAPPED */
	ssdc_frame_t hash_next;		/* directory chain */
	ssdc_frame_t prev;		/* replacement policy's list, or that of prefetched pages */
	ssdc_frame_t next;		/* likewise; of a victim: the one that is behind it */
	ssdc_frame_t queue_next;	/* free frames, or the engine's I/O queues */
	u32 stamp;			/* page-access number of the last access */
	u16 flags;			/* SSDC_E_* */
	u16 pins;			/* copies to or from the frame under way */
	u32 writers : 5;		/* of these, copies to it */
	u32 prefetched : 1;		/* in the partition of prefetched pages */
	u32 reason : 3;			/* enum ssdc_flush_reason of the flush */
	u32 ios : 7;			/* fill or flush runs in flight */
	u32 cursor : 8;			/* next sector whose run is to be issued */
	u32 list : 8;			/* policy's: which of its lists */
	u32 weight;			/* policy's: access or write count; victim: see evict.c;
					 * prefetched: 1 once a host read found it
					 */
};

#endif /* SSDC_ENTRY_H */
