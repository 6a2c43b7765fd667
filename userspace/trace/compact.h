/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TRACE_COMPACT_H
#define TRACE_COMPACT_H

#include "source.h"

struct trace_compact;

struct trace_compact *trace_compact_begin(void);
void trace_compact_add(struct trace_compact *compact, const struct trace_request *request);
void trace_compact_end(struct trace_compact *compact);
bool trace_compact(const struct trace_compact *compact, struct trace_request *request);
uint64_t trace_compact_sectors(const struct trace_compact *compact);
void trace_compact_free(struct trace_compact *compact);

#endif /* TRACE_COMPACT_H */
