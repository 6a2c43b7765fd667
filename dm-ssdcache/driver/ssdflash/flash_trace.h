/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ssdflash

#if !defined(DMSF_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define DMSF_TRACE_H

#include <linux/blkdev.h>
#include <linux/tracepoint.h>

#include "../common/origin.h"
#include "flash.h"

/* The mapped device, which the events of an ssdcache on top call their origin. */
#define dmsf_dev(f) disk_devt(dm_disk(dm_table_get_md((f)->ti->table)))

/* A host request has reached the model. */
TRACE_EVENT(ssdflash_request,
	TP_PROTO(const struct dmsf_target *f, const struct ssdf_request *rq),
	TP_ARGS(f, rq),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, sector)
		__field(u64, nr_sectors)
		__field(u8, op)
		__field(u8, fua)
	),
	TP_fast_assign(
		__entry->dev = dmsf_dev(f);
		__entry->sector = rq->sector;
		__entry->nr_sectors = rq->nr_sectors;
		__entry->op = rq->op;
		__entry->fua = rq->durable && rq->op != SSDC_FLUSH;
	),
	TP_printk("device %d:%d %s%s %llu + %llu", MAJOR(__entry->dev), MINOR(__entry->dev),
		  dms_show_op(__entry->op), __entry->fua ? " fua" : "", __entry->sector,
		  __entry->nr_sectors)
);

/* A request completed in the model; the origin may still work on it. */
TRACE_EVENT(ssdflash_complete,
	TP_PROTO(const struct dmsf_target *f, const struct ssdf_request *rq),
	TP_ARGS(f, rq),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, sector)
		__field(u64, nr_sectors)
		__field(u64, latency_ns)
		__field(u8, op)
		__field(u8, failed)
	),
	TP_fast_assign(
		__entry->dev = dmsf_dev(f);
		__entry->sector = rq->sector;
		__entry->nr_sectors = rq->nr_sectors;
		__entry->latency_ns = rq->done_ns - rq->start_ns;
		__entry->op = rq->op;
		__entry->failed = rq->failed;
	),
	TP_printk("device %d:%d %s %llu + %llu, %llu ns%s", MAJOR(__entry->dev),
		  MINOR(__entry->dev), dms_show_op(__entry->op), __entry->sector,
		  __entry->nr_sectors, __entry->latency_ns, __entry->failed ? ", failed" : "")
);

/* Garbage collection of a plane starts on a block; "valid" is the number of its valid pages. */
TRACE_EVENT(ssdflash_gc,
	TP_PROTO(const struct dmsf_target *f, u32 plane, u32 block, u32 valid),
	TP_ARGS(f, plane, block, valid),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u32, plane)
		__field(u32, block)
		__field(u32, valid)
	),
	TP_fast_assign(
		__entry->dev = dmsf_dev(f);
		__entry->plane = plane;
		__entry->block = block;
		__entry->valid = valid;
	),
	TP_printk("device %d:%d plane %u block %u, %u valid pages", MAJOR(__entry->dev),
		  MINOR(__entry->dev), __entry->plane, __entry->block, __entry->valid)
);

/* A block was erased; the event has the number of erases of that block. */
TRACE_EVENT(ssdflash_erase,
	TP_PROTO(const struct dmsf_target *f, u32 plane, u32 block, u32 erases),
	TP_ARGS(f, plane, block, erases),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u32, plane)
		__field(u32, block)
		__field(u32, erases)
	),
	TP_fast_assign(
		__entry->dev = dmsf_dev(f);
		__entry->plane = plane;
		__entry->block = block;
		__entry->erases = erases;
	),
	TP_printk("device %d:%d plane %u block %u, erased %u times", MAJOR(__entry->dev),
		  MINOR(__entry->dev), __entry->plane, __entry->block, __entry->erases)
);

/* A host write of a page waits for a free block. */
TRACE_EVENT(ssdflash_stall,
	TP_PROTO(const struct dmsf_target *f, u64 sector),
	TP_ARGS(f, sector),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(u64, sector)
	),
	TP_fast_assign(
		__entry->dev = dmsf_dev(f);
		__entry->sector = sector;
	),
	TP_printk("device %d:%d page at %llu", MAJOR(__entry->dev), MINOR(__entry->dev),
		  __entry->sector)
);

#endif /* DMSF_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE flash_trace
#include <trace/define_trace.h>
