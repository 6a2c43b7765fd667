/* SPDX-License-Identifier: GPL-2.0 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ssdcache

#if !defined(DMSC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define DMSC_TRACE_H

#include <linux/tracepoint.h>

#include "../common/origin.h"
#include "cache.h"

#define show_reason(reason) __print_symbolic(reason, { SSDC_FLUSH_EVICT, "evict" }, \
	{ SSDC_FLUSH_EARLY, "early" }, { SSDC_FLUSH_FORCED, "forced" }, \
	{ SSDC_FLUSH_PERIODIC, "periodic" }, { SSDC_FLUSH_RETRY, "retry" }, \
	{ SSDC_FLUSH_PAD, "pad" }, { SSDC_FLUSH_THROUGH, "through" })

/* A host bio arrived. */
TRACE_EVENT(ssdcache_request,
	TP_PROTO(const struct dmsc_cache *c, const struct ssdc_request *rq),
	TP_ARGS(c, rq),
	TP_STRUCT__entry(
		__field(dev_t, origin)
		__field(u64, sector)
		__field(u64, nr_sectors)
		__field(u8, op)
		__field(u8, fua)
	),
	TP_fast_assign(
		__entry->origin = dmsc_origin(c)->bd_dev;
		__entry->sector = rq->host.sector;
		__entry->nr_sectors = rq->host.nr_sectors;
		__entry->op = rq->host.op;
		__entry->fua = rq->host.fua;
	),
	TP_printk("origin %d:%d %s%s %llu + %llu", MAJOR(__entry->origin), MINOR(__entry->origin),
		  dms_show_op(__entry->op), __entry->fua ? " fua" : "", __entry->sector,
		  __entry->nr_sectors)
);

/* A host bio or an internal flush completed. */
TRACE_EVENT(ssdcache_complete,
	TP_PROTO(const struct dmsc_cache *c, const struct ssdc_request *rq, u64 now_ns),
	TP_ARGS(c, rq, now_ns),
	TP_STRUCT__entry(
		__field(dev_t, origin)
		__field(u64, id)
		__field(u64, sector)
		__field(u64, nr_sectors)
		__field(u64, latency_ns)
		__field(int, error)
		__field(u8, op)
	),
	TP_fast_assign(
		__entry->origin = dmsc_origin(c)->bd_dev;
		__entry->id = rq->host.id;
		__entry->sector = rq->host.sector;
		__entry->nr_sectors = rq->host.nr_sectors;
		__entry->latency_ns = now_ns - rq->host.start_ns;
		__entry->error = rq->error;
		__entry->op = rq->host.op;
	),
	TP_printk("origin %d:%d #%llu %s %llu + %llu, %llu ns, error %d", MAJOR(__entry->origin),
		  MINOR(__entry->origin), __entry->id, dms_show_op(__entry->op), __entry->sector,
		  __entry->nr_sectors, __entry->latency_ns, __entry->error)
);

DECLARE_EVENT_CLASS(ssdcache_io,
	TP_PROTO(const struct dmsc_cache *c, const struct ssdc_io *io, int error),
	TP_ARGS(c, io, error),
	TP_STRUCT__entry(
		__field(dev_t, origin)
		__field(u64, sector)
		__field(u32, frame)
		__field(u32, nr_sectors)
		__field(int, error)
		__field(u8, write)
		__field(u8, reason)
	),
	TP_fast_assign(
		__entry->origin = dmsc_origin(c)->bd_dev;
		__entry->sector = io->sector;
		__entry->frame = ssdc_frame_nr(io->frame);
		__entry->nr_sectors = io->nr_sectors;
		__entry->error = error;
		__entry->write = io->write;
		__entry->reason = io->reason;
	),
	TP_printk("origin %d:%d %s%s frame %u, %llu + %u, error %d", MAJOR(__entry->origin),
		  MINOR(__entry->origin), __entry->write ? "flush " : "fill",
		  __entry->write ? show_reason(__entry->reason) : "", __entry->frame,
		  __entry->sector, __entry->nr_sectors, __entry->error)
);

/* A flush or fill of a page was started. */
DEFINE_EVENT(ssdcache_io, ssdcache_io_start,
	TP_PROTO(const struct dmsc_cache *c, const struct ssdc_io *io, int error),
	TP_ARGS(c, io, error)
);

/* A flush or fill of a page completed. */
DEFINE_EVENT(ssdcache_io, ssdcache_io_done,
	TP_PROTO(const struct dmsc_cache *c, const struct ssdc_io *io, int error),
	TP_ARGS(c, io, error)
);

/* A plug-in is replaced. */
TRACE_EVENT(ssdcache_switch,
	TP_PROTO(const struct dmsc_cache *c, enum ssdc_kind kind, const char *spec),
	TP_ARGS(c, kind, spec),
	TP_STRUCT__entry(
		__field(dev_t, origin)
		__field(u8, kind)
		__array(char, spec, SSDC_SPEC_LEN)
	),
	TP_fast_assign(
		__entry->origin = dmsc_origin(c)->bd_dev;
		__entry->kind = kind;
		strscpy(__entry->spec, spec, SSDC_SPEC_LEN);
	),
	TP_printk("origin %d:%d %s %s", MAJOR(__entry->origin), MINOR(__entry->origin),
		  __print_symbolic(__entry->kind, { SSDC_REPLACEMENT, "replacement" },
				   { SSDC_ADMISSION, "admission" }, { SSDC_PREFETCH, "prefetch" }),
		  __entry->spec)
);

/*
 * A cache that chooses its policies has decided. Candidates are numbered as in
 * stats/auto/candidates.
 */
TRACE_EVENT(ssdcache_decision,
	TP_PROTO(const struct dmsc_cache *c, const struct ssdc_auto *a),
	TP_ARGS(c, a),
	TP_STRUCT__entry(
		__field(dev_t, origin)
		__field(u64, request)
		__field(u32, from)
		__field(u32, to)
		__array(char, spec, SSDC_SPEC_LEN)
		__dynamic_array(u64, costs, a->nr)
	),
	TP_fast_assign(
		const struct ssdc_auto_decision *decision =
			&a->log[(a->nr_decisions - 1) & (SSDC_AUTO_LOG - 1)];

		__entry->origin = dmsc_origin(c)->bd_dev;
		__entry->request = decision->request;
		__entry->from = decision->from;
		__entry->to = decision->to;
		strscpy(__entry->spec, a->shadows->candidates[decision->to].replacement,
			SSDC_SPEC_LEN);
		memcpy(__get_dynamic_array(costs), decision->costs, a->nr * sizeof(u64));
	),
	TP_printk("origin %d:%d request %llu from %u to %u (%s) costs %s", MAJOR(__entry->origin),
		  MINOR(__entry->origin), __entry->request, __entry->from, __entry->to,
		  __entry->spec,
		  __print_array(__get_dynamic_array(costs),
				__get_dynamic_array_len(costs) / sizeof(u64), sizeof(u64)))
);

#endif /* DMSC_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
