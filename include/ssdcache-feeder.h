/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Interface of the test module ssdcache-feeder.
 *
 * Open /dev/ssdcache-feeder, choose a block device with ioctl SSDC_FEED_SETUP, then:
 *
 *	write()	submits requests, in order of their times: sleeps until a request is due, submits
 *		it, and returns after the last one. If no slot is free and results must be read
 *		first, it returns early, with the bytes of the requests submitted so far (maybe 0).
 *	read()	returns results, in the order in which requests ended. Sleeps until there is one;
 *		returns 0 if no request is in flight.
 */
#ifndef SSDCACHE_FEEDER_H
#define SSDCACHE_FEEDER_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define SSDC_FEED_NAME		"ssdcache-feeder"
#define SSDC_FEED_MAX_DEPTH	4096
#define SSDC_FEED_MAX_SECTORS	(64u << 11)	/* largest read or write */

/**
 * struct ssdc_feed_setup - the device, and how to submit requests to it
 * @device: descriptor of a block device, open for reading and writing
 * @settle: descriptor of a file that must read 1 before each request, or -1
 * @depth: number of slots: the most requests in flight, 1 to SSDC_FEED_MAX_DEPTH
 * @closed: 1: each request waits for the previous one to end; 0: it does not
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
 * @due_ns: time on CLOCK_MONOTONIC to submit it at; 0: at once
 * @sector: start
 * @nr_sectors: length; 0 for a FLUSH
 * @op: enum ssdc_feed_op
 * @fua: 1: a write with FUA
 * @zero: must be 0
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
 * struct ssdc_feed_result - result of a request
 * @request: the request
 * @number: number of the request, from 0
 * @end_ns: time on CLOCK_MONOTONIC at which it ended
 * @latency_ns: @end_ns minus the time it was due or, without one, submitted
 * @late_ns: how long after the time it was due a slot became free; 0: in time
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
