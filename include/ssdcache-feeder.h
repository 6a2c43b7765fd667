/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * What the test module ssdcache-feeder and who uses it share.
 *
 * Open /dev/ssdcache-feeder, say by ioctl SSDC_FEED_SETUP what to feed, then:
 *
 *	write()	requests, in order of time. Sleeps until each is due and submits it; returns once
 *		the last is submitted. Fewer are, or none, when the results of those that have
 *		ended must be read first.
 *	read()	results, in the order in which requests ended. Sleeps until there is one; 0 if
 *		none is under way.
 */
#ifndef SSDCACHE_FEEDER_H
#define SSDCACHE_FEEDER_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define SSDC_FEED_NAME		"ssdcache-feeder"
#define SSDC_FEED_MAX_DEPTH	4096
#define SSDC_FEED_MAX_SECTORS	(64u << 11)	/* of a read or write */

/**
 * struct ssdc_feed_setup - what to feed, and how
 * @device: file descriptor of a block device, open for reading and writing
 * @settle: file descriptor of a file that must read 1 before each request; -1: none
 * @depth: most requests under way
 * @closed: each waits for the one before
 */
struct ssdc_feed_setup {
	__s32 device;
	__s32 settle;
	__u32 depth;
	__u32 closed;
};

enum ssdc_feed_op {
	SSDC_FEED_READ,
	SSDC_FEED_WRITE,
	SSDC_FEED_FLUSH,
	SSDC_FEED_DISCARD,
	SSDC_FEED_NR_OPS
};

/**
 * struct ssdc_feed_request - a request
 * @due_ns: when, of CLOCK_MONOTONIC; 0: at once
 * @sector: start
 * @nr_sectors: length; 0 for a FLUSH
 * @op: enum ssdc_feed_op
 * @fua: a write with FUA
 * @zero: 0
 */
struct ssdc_feed_request {
	__u64 due_ns;
	__u64 sector;
	__u32 nr_sectors;
	__u8 op;
	__u8 fua;
	__u16 zero;
};

/**
 * struct ssdc_feed_result - what became of a request
 * @request: the request
 * @number: of the request, from 0
 * @end_ns: when it ended
 * @latency_ns: from when it was due, or else started, to its end
 * @late_ns: from when it was due to when a place for it was free; 0: in time
 * @error: 0 or -errno
 * @zero: 0
 */
struct ssdc_feed_result {
	struct ssdc_feed_request request;
	__u64 number;
	__u64 end_ns;
	__u64 latency_ns;
	__u64 late_ns;
	__s32 error;
	__u32 zero;
};

#define SSDC_FEED_SETUP	_IOW('F', 0xd5, struct ssdc_feed_setup)

#endif /* SSDCACHE_FEEDER_H */
