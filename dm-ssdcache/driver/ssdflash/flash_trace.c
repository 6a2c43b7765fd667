// SPDX-License-Identifier: GPL-2.0
/*
 * Tracepoints of "ssdflash", and the observer that feeds them events of the model.
 */
#define CREATE_TRACE_POINTS
#include "flash_trace.h"

static void gc_started(void *owner, u32 plane, u32 block, u32 valid)
{
	trace_ssdflash_gc(owner, plane, block, valid);
}

static void erased(void *owner, u32 plane, u32 block, u32 erases)
{
	trace_ssdflash_erase(owner, plane, block, erases);
}

static void stalled(void *owner, u64 sector)
{
	trace_ssdflash_stall(owner, sector);
}

const struct ssdf_observer_ops dmsf_trace_observer = {
	.gc_started = gc_started,
	.erased = erased,
	.stalled = stalled,
};
