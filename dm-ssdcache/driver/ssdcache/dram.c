// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of the frames. A frame consists of kernel pages that need not be contiguous: allocation
 * works for any page size, even when memory is fragmented. numa.c chooses the NUMA node of the
 * kernel pages.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "../../base/alloc.h"
#include "cache.h"
#include "latency.h"

/* @buffer: of a frame; see twin.c of the engine. */
static struct page *buffer_page(const struct dmsc_shard *s, u32 buffer, u32 offset)
{
	return s->frames[(unsigned long)buffer * s->pages_per_frame +
			 (offset >> PAGE_SHIFT)];
}

static unsigned long to_mib(u64 bytes)
{
	return DIV_ROUND_UP_ULL(bytes, 1 << 20);
}

/* If a node is full, another node provides the memory. */
static int alloc_frames(struct dmsc_shard *s, unsigned long nr)
{
	int node = NUMA_NO_NODE;

	while (s->nr_kernel_pages < nr) {
		struct page *page;

		if (fatal_signal_pending(current))
			return -EINTR;
		if (s->nr_kernel_pages % s->pages_per_frame == 0)
			node = dmsc_frame_node(s, node);
		page = alloc_pages_node(node, GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL, 0);
		if (!page)
			return -ENOMEM;
		s->frames[s->nr_kernel_pages++] = page;
		s->node_pages[page_to_nid(page)]++;
		cond_resched();
	}
	return 0;
}

/* Kernel pages per frame. */
static unsigned int pages_per_frame(const struct ssdc_params *params)
{
	return DIV_ROUND_UP(params->page_bytes, PAGE_SIZE);
}

/**
 * dmsc_dram_check() - is there enough memory for a cache?
 * @params: checked sizes of a shard
 * @nr_shards: number of shards
 * @error: on failure: how much memory is needed
 *
 * An attempt to allocate too much would push other users' pages out of memory.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int dmsc_dram_check(const struct ssdc_params *params, unsigned int nr_shards,
		    struct ssdc_error *error)
{
	u64 pages = ssdc_nr_frames(params) * pages_per_frame(params);
	u64 needed = pages * (PAGE_SIZE + sizeof(struct page *)) + ssdc_engine_bytes(params);

	needed += DMSC_NR_IOS * sizeof(struct dmsc_origin_io);
	needed *= nr_shards;
	needed += dmsc_latency_bytes();
	if (needed >> PAGE_SHIFT <= si_mem_available())
		return 0;
	scnprintf(error->text, sizeof(error->text),
		  "dram: %lu MiB are needed, %lu MiB of memory are available",
		  to_mib(needed), to_mib((u64)si_mem_available() << PAGE_SHIFT));
	return -ENOMEM;
}

/**
 * dmsc_dram_alloc() - allocate the memory of all frames
 * @s: shard without frames
 * @params: sizes; dmsc_dram_check() has found that the memory suffices
 * @error: on failure: how far the allocation got
 *
 * Context: may sleep.
 * Return: 0; -ENOMEM, or -EINTR after a fatal signal, with nothing allocated.
 */
int dmsc_dram_alloc(struct dmsc_shard *s, const struct ssdc_params *params,
		    struct ssdc_error *error)
{
	unsigned long nr;
	int r;

	s->pages_per_frame = pages_per_frame(params);
	nr = ssdc_nr_frames(params) * s->pages_per_frame;
	s->frames = ssdc_alloc_array(nr, sizeof(*s->frames));
	s->node_pages = kcalloc(nr_node_ids, sizeof(*s->node_pages), GFP_KERNEL);
	if (!s->frames || !s->node_pages) {
		dmsc_dram_free(s);
		scnprintf(error->text, sizeof(error->text),
			  "dram: no memory for a list of frames of %lu MiB",
			  to_mib((u64)nr * sizeof(*s->frames)));
		return -ENOMEM;
	}
	r = alloc_frames(s, nr);
	if (r) {
		scnprintf(error->text, sizeof(error->text), "dram: %s after %lu of %lu MiB",
			  r == -EINTR ? "interrupted" : "no memory",
			  to_mib((u64)s->nr_kernel_pages << PAGE_SHIFT),
			  to_mib((u64)nr << PAGE_SHIFT));
		dmsc_dram_free(s);
	}
	return r;
}

/**
 * dmsc_dram_free() - free the memory of all frames
 * @s: shard; may have some or none of its frames
 *
 * Context: may sleep.
 */
void dmsc_dram_free(struct dmsc_shard *s)
{
	while (s->nr_kernel_pages) {
		__free_page(s->frames[--s->nr_kernel_pages]);
		cond_resched();
	}
	kvfree(s->frames);
	s->frames = NULL;
	kfree(s->node_pages);
	s->node_pages = NULL;
}

static void copy_vec(struct dmsc_shard *s, bool write, struct bio_vec *bv, u32 buffer, u32 offset)
{
	char *frame_at = kmap_local_page(buffer_page(s, buffer, offset));
	char *host_at = bvec_kmap_local(bv);

	if (write) {
		memcpy(frame_at + offset_in_page(offset), host_at, bv->bv_len);
	} else {
		memcpy(host_at, frame_at + offset_in_page(offset), bv->bv_len);
		flush_dcache_page(bv->bv_page);
	}
	kunmap_local(host_at);
	kunmap_local(frame_at);
}

/* Copy the kernel pages of @seg->rest that the segment does not cover. */
static void copy_rest(struct dmsc_shard *s, const struct ssdc_segment *seg)
{
	u32 from = seg->frame_sector << SECTOR_SHIFT;
	u32 end = from + (seg->nr_sectors << SECTOR_SHIFT), at;

	for (at = 0; at < s->pages_per_frame << PAGE_SHIFT; at += PAGE_SIZE)
		if (from > at || end < at + PAGE_SIZE)
			copy_highpage(buffer_page(s, seg->buffer, at),
				      buffer_page(s, seg->rest, at));
}

/**
 * dmsc_dram_copy() - copy between a host bio and a frame
 * @s: shard
 * @bio: host bio: a write copies to the frame, a read from it
 * @seg: the part to copy; the engine has pinned its frame, and the one whose buffer is @seg->rest
 *
 * Context: process context, without the lock.
 */
void dmsc_dram_copy(struct dmsc_shard *s, struct bio *bio, const struct ssdc_segment *seg)
{
	struct bvec_iter iter = bio->bi_iter;
	bool write = bio_data_dir(bio) == WRITE;
	u32 offset = seg->frame_sector << SECTOR_SHIFT;
	struct bio_vec bv;

	if (seg->rest != SSDC_NO_BUFFER)
		copy_rest(s, seg);
	if (seg->rq_sector)
		bio_advance_iter(bio, &iter, seg->rq_sector << SECTOR_SHIFT);
	iter.bi_size = seg->nr_sectors << SECTOR_SHIFT;
	while (iter.bi_size) {
		bv = bio_iter_iovec(bio, iter);
		bv.bv_len = min_t(u32, bv.bv_len, PAGE_SIZE - offset_in_page(offset));
		copy_vec(s, write, &bv, seg->buffer, offset);
		offset += bv.bv_len;
		bio_advance_iter_single(bio, &iter, bv.bv_len);
	}
}

/**
 * dmsc_dram_add_pages() - add a frame's memory to a bio for the origin
 * @s: shard
 * @bio: bio with enough free vectors
 * @io: the part of the frame to add
 */
void dmsc_dram_add_pages(struct dmsc_shard *s, struct bio *bio, const struct ssdc_io *io)
{
	u32 offset = io->frame_sector << SECTOR_SHIFT;
	u32 end = offset + (io->nr_sectors << SECTOR_SHIFT);

	while (offset < end) {
		u32 len = min_t(u32, end - offset, PAGE_SIZE - offset_in_page(offset));

		__bio_add_page(bio, buffer_page(s, io->buffer, offset), len,
			       offset_in_page(offset));
		offset += len;
	}
}
