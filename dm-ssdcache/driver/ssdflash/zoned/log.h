/* SPDX-License-Identifier: GPL-2.0 */
/*
 * On-medium format of the log: written by log.c, read by recovery.c.
 */
#ifndef DMSF_LOG_H
#define DMSF_LOG_H

#include <linux/math64.h>
#include "zoned.h"

#define DMSF_LOG_MAGIC		0x4853414c46445353ULL	/* "SSDFLASH" */
#define DMSF_LOG_VERSION		2	/* 1: the same without lost pages */
#define DMSF_LOG_HEADER_BYTES	64
#define DMSF_LOG_PAYLOAD		(DMSF_LOG_BLOCK_BYTES - DMSF_LOG_HEADER_BYTES)

/* Blocks per bio. */
#define DMSF_LOG_BATCH		16

/* Generations count from 1, and never reach half of the field's range. */
#define DMSF_LOG_MAX_GENERATION	(U64_MAX / 2)

enum dmsf_log_type { DMSF_LOG_HEADER, DMSF_LOG_MAP, DMSF_LOG_ENTRIES, DMSF_LOG_COMMIT };

/* A block of the log. All fields are little endian. */
struct dmsf_log_block {
	__le64 magic;
	__le32 crc;			/* of the block with this field 0 */
	__le32 type;
	__le64 generation;		/* of the region: grows by 1 per region started */
	__le64 number;			/* in the region */
	__le32 first;			/* map block: its first logical page */
	__le32 nr;			/* items in the payload */
	__le32 alone;			/* commit: 1 if no other block was written with it */
	__le32 reserved[5];
	__u8 payload[DMSF_LOG_PAYLOAD];
} __packed;

struct dmsf_log_geometry {
	__le32 version;
	__le32 page_bytes;
	__le32 pages;
	__le32 blocks;
	__le32 planes;
	__le32 lpns;
} __packed;

struct dmsf_log_entry {
	__le32 lpn;
	__le32 ppn;
	__le32 nr;
} __packed;

#define DMSF_LOG_MAP_PER_BLOCK		(DMSF_LOG_PAYLOAD / sizeof(__le32))
#define DMSF_LOG_ENTRIES_PER_BLOCK	(DMSF_LOG_PAYLOAD / sizeof(struct dmsf_log_entry))

/* Blocks of the log per zone. */
static inline u64 dmsf_zone_blocks(u64 capacity_sectors)
{
	return div_u64(capacity_sectors, DMSF_LOG_BLOCK_SECTORS);
}

/* Block @nr of the buffer, which has DMSF_LOG_BATCH blocks. */
static inline struct dmsf_log_block *dmsf_log_block_at(struct dmsf_zoned *z, u32 nr)
{
	return z->log.buffer + nr * DMSF_LOG_BLOCK_BYTES;
}

u32 dmsf_log_block_crc(struct dmsf_log_block *block);
u64 dmsf_log_sector(const struct dmsf_zoned *z, u32 region, u64 number);
u32 dmsf_log_blocks_here(const struct dmsf_zoned *z, u64 number, u32 nr);

#endif /* DMSF_LOG_H */
