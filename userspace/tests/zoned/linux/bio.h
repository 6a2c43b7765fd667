/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bios, as far as driver/ssdflash/zoned/ uses them. A "page" is an address; drive.c executes bios.
 */
#ifndef SSDC_ZONED_LINUX_BIO_H
#define SSDC_ZONED_LINUX_BIO_H

#include <errno.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/list.h>

#define SECTOR_SHIFT 9

typedef u32 blk_opf_t;
typedef u8 blk_status_t;
struct bio;
struct block_device;

typedef void bio_end_io_t(struct bio *bio);

enum {
	REQ_OP_READ,
	REQ_OP_WRITE,
	REQ_OP_FLUSH,
	REQ_OP_DISCARD,
	REQ_OP_ZONE_RESET,
	REQ_OP_ZONE_FINISH,
};

#define REQ_OP_MASK	0xffU
#define REQ_PREFLUSH	(1U << 20)
#define REQ_FUA		(1U << 21)

#define BLK_STS_OK	0
#define BLK_STS_IOERR	10

struct bio_vec {
	char *bv_page;
	u32 bv_len;
	u32 bv_offset;
};

struct bvec_iter {
	sector_t bi_sector;
	u32 bi_size;
	u32 bi_idx;
	u32 bi_bvec_done;
};

struct bio {
	struct block_device *bi_bdev;
	blk_opf_t bi_opf;
	blk_status_t bi_status;
	struct bvec_iter bi_iter;
	struct bio_vec *bi_io_vec;
	u16 bi_vcnt;
	bio_end_io_t *bi_end_io;
	void *bi_private;
	struct list_head queue;		/* the drive's */
	u64 ready;			/* likewise: not before so many steps */
};

static inline blk_opf_t bio_op(const struct bio *bio)
{
	return bio->bi_opf & REQ_OP_MASK;
}

static inline void bio_init(struct bio *bio, struct block_device *bdev, struct bio_vec *table,
			    u16 max_vecs, blk_opf_t opf)
{
	(void)max_vecs;
	memset(bio, 0, sizeof(*bio));
	bio->bi_bdev = bdev;
	bio->bi_io_vec = table;
	bio->bi_opf = opf;
}

static inline void bio_uninit(struct bio *bio)
{
	(void)bio;
}

#define PAGE_SIZE 4096

static inline char *virt_to_page(void *address)
{
	return address;
}

static inline u32 offset_in_page(const void *address)
{
	(void)address;
	return 0;
}

static inline void __bio_add_page(struct bio *bio, char *page, u32 len, u32 offset)
{
	bio->bi_io_vec[bio->bi_vcnt++] = (struct bio_vec) { page, len, offset };
	bio->bi_iter.bi_size += len;
}

static inline struct bio_vec bio_iter_iovec(const struct bio *bio, struct bvec_iter iter)
{
	const struct bio_vec *vec = &bio->bi_io_vec[iter.bi_idx];

	return (struct bio_vec) { vec->bv_page, min(vec->bv_len - iter.bi_bvec_done, iter.bi_size),
				  vec->bv_offset + iter.bi_bvec_done };
}

static inline void bio_advance_iter(const struct bio *bio, struct bvec_iter *iter, u32 bytes)
{
	iter->bi_sector += bytes >> SECTOR_SHIFT;
	iter->bi_size -= bytes;
	for (bytes += iter->bi_bvec_done; bytes && bytes >= bio->bi_io_vec[iter->bi_idx].bv_len;
	     iter->bi_idx++)
		bytes -= bio->bi_io_vec[iter->bi_idx].bv_len;
	iter->bi_bvec_done = bytes;
}

#define __bio_for_each_segment(vec, bio, iter, start)					\
	for (iter = (start);								\
	     iter.bi_size && ((vec = bio_iter_iovec(bio, iter)), 1);			\
	     bio_advance_iter(bio, &iter, (vec).bv_len))

static inline void memcpy_to_bvec(struct bio_vec *vec, const void *from)
{
	memcpy(vec->bv_page + vec->bv_offset, from, vec->bv_len);
}

static inline void memcpy_from_bvec(void *to, const struct bio_vec *vec)
{
	memcpy(to, vec->bv_page + vec->bv_offset, vec->bv_len);
}

static inline int blk_status_to_errno(blk_status_t status)
{
	return status ? -EIO : 0;
}

void submit_bio_noacct(struct bio *bio);
int submit_bio_wait(struct bio *bio);

#endif /* SSDC_ZONED_LINUX_BIO_H */
