/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The log of an ssdflash on its zoned origin, as it is on the medium: what zoned-log.c
 * writes and zoned-recovery.c reads.
 */
#ifndef SSDF_ZONED_LOG_H
#define SSDF_ZONED_LOG_H

#include <linux/math64.h>
#include "zoned.h"

#define MAGIC		0x4853414c46445353ULL	/* "SSDFLASH" */
#define VERSION		1
#define HEADER_BYTES	64
#define PAYLOAD		(ZONED_LOG_BLOCK - HEADER_BYTES)

/* Blocks in one bio. */
#define BATCH		16

enum log_type { LOG_HEADER, LOG_MAP, LOG_ENTRIES, LOG_COMMIT };

/* On the medium; a block has one of these at its start. */
struct log_block {
	__le64 magic;
	__le32 crc;			/* of the block, with 0 here */
	__le32 type;
	__le64 generation;		/* of the region: grows by 1 with each */
	__le64 number;			/* in the region */
	__le32 first;			/* page whose place comes first */
	__le32 nr;			/* of what the payload has */
	__le32 reserved[6];
	__u8 payload[PAYLOAD];
} __packed;

struct log_geometry {
	__le32 version;
	__le32 page_bytes;
	__le32 pages;
	__le32 blocks;
	__le32 planes;
	__le32 lpns;
} __packed;

struct log_entry {
	__le32 lpn;
	__le32 ppn;
	__le32 nr;
} __packed;

#define MAP_PER_BLOCK		(PAYLOAD / sizeof(__le32))
#define ENTRIES_PER_BLOCK	(PAYLOAD / sizeof(struct log_entry))

/* Blocks that a zone holds. */
static inline u64 zone_blocks(u64 capacity_sectors)
{
	return div_u64(capacity_sectors, ZONED_LOG_SECTORS);
}

/* A block of the buffer, which has BATCH of them. */
static inline struct log_block *block_at(struct ssdf_zoned *z, u32 nr)
{
	return z->log.buffer + nr * ZONED_LOG_BLOCK;
}

u32 ssdf_zoned_block_crc(struct log_block *block);
u64 ssdf_zoned_log_sector(const struct ssdf_zoned *z, u32 region, u64 number);
u32 ssdf_zoned_blocks_here(const struct ssdf_zoned *z, u64 number, u32 nr);

#endif /* SSDF_ZONED_LOG_H */
