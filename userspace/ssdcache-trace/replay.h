/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the verb "replay" share.
 */
#ifndef SSDCACHE_TRACE_REPLAY_H
#define SSDCACHE_TRACE_REPLAY_H

#include <liburing.h>
#include <pthread.h>
#include "trace.h"

#define NSEC_PER_SEC		1000000000ULL
#define REPLAY_REPORT_NS	(5 * NSEC_PER_SEC)	/* between two lines of progress */

/**
 * struct device - the device of a replay
 * @name: path of the device, or of a file in place of it
 * @fd: open with O_DIRECT
 * @is_file: not a block device
 * @sectors: size
 * @block_sectors: addresses and lengths are multiples of this
 */
struct device {
	const char *name;
	int fd;
	bool is_file;
	uint64_t sectors;
	uint32_t block_sectors;
};

void device_open(struct device *device, const char *name);
void device_fit(const struct device *device, struct trace_request *request, uint64_t number,
		bool wrap);
int device_discard(const struct device *device, uint64_t sector, uint64_t nr_sectors);

/**
 * struct slot - a request in flight
 * @request: index of the request
 * @buffer: its data
 * @room: bytes in @buffer
 * @due: when it starts
 * @start_ns: when it was due or, without recorded times, started
 * @timed: the kernel starts it at @due
 * @result: result of a discard
 * @known: --verify: per sector of a read, see struct verifier
 */
struct slot {
	size_t request;
	void *buffer;
	size_t room;
	struct __kernel_timespec due;
	uint64_t start_ns;
	bool timed;
	int result;
	uint64_t *known;
};

/**
 * struct discarder - a thread that carries out discards
 * @device: device
 * @trace: requests
 * @slots: the slots whose numbers go through the pipes
 * @to: pipe to the thread
 * @from: pipe from the thread
 * @done: slot number read from @from
 * @thread: the thread
 */
struct discarder {
	const struct device *device;
	const struct trace *trace;
	struct slot *slots;
	int to[2];
	int from[2];
	uint32_t done;
	pthread_t thread;
};

void discarder_start(struct discarder *discarder, const struct device *device,
		     const struct trace *trace, struct slot *slots);
void discarder_stop(struct discarder *discarder);

/**
 * struct verifier - which data each sector may hold
 * @newest: per sector: the latest start of a completed write
 * @written: per sector: the latest end of a completed write
 * @writes: per sector: writes in flight, and those that failed
 * @discarded: per sector: the end of its last discard; UINT64_MAX: not yet, or it failed
 * @discards: per sector: discards in flight
 * @start_ns: per request: the earliest time it can have started; 0: not submitted
 * @end_ns: per request: when it was seen to have ended; UINT64_MAX: not yet, or it failed
 * @device_sectors: length of the arrays that have an element per sector
 * @sectors: sectors checked
 * @bad: sectors with wrong data
 *
 * A read may find the data of write A unless another write started after A had ended, and itself
 * ended before the read.
 */
struct verifier {
	uint64_t *newest;
	uint64_t *written;
	uint32_t *writes;
	uint64_t *discarded;
	uint32_t *discards;
	uint64_t *start_ns;
	uint64_t *end_ns;
	size_t device_sectors;
	uint64_t sectors;
	uint64_t bad;
};

/**
 * struct replay - a replay
 * @trace: requests, fitted to the device
 * @source: requests for the feeder; NULL: io_uring has @trace
 * @nr: how many there are
 * @device: the device
 * @wrap: take addresses modulo the size of the device
 * @verify: check the data read
 * @closed: each request waits for the one before
 * @settle: file that reads 1 when the cache is at rest; -1: none
 * @settle_name: its name
 * @speed: factor; 0: as fast as possible
 * @depth: most requests in flight (in open loop: or waiting for their time)
 * @seed: seed of the data written
 * @slots: @depth slots
 * @idle: numbers of free slots
 * @nr_idle: how many
 * @freed_ns: when a slot last became free after all had been taken; 0: never
 * @ring: io_uring
 * @discarder: for traces with discards
 * @verifier: for --verify
 * @discards: the trace has some
 * @base_ns: time 0 of the trace
 * @latencies: of requests that did not fail
 * @done: requests that ended
 * @errors: those that failed
 * @late: open loop: requests that were due before a slot was free
 * @max_late_ns: longest such delay
 * @next_report_ns: when to report progress next
 * @end_ns: when the last request ended
 */
struct replay {
	struct trace trace;
	struct trace_source *source;
	uint64_t nr;
	struct device device;
	bool wrap;
	bool verify;
	bool closed;
	int settle;
	const char *settle_name;
	double speed;
	unsigned int depth;
	uint64_t seed;

	struct slot *slots;
	unsigned int *idle;
	unsigned int nr_idle;
	uint64_t freed_ns;
	struct io_uring ring;
	struct discarder discarder;
	struct verifier verifier;
	bool discards;

	uint64_t base_ns;
	struct latencies *latencies;
	uint64_t done;
	uint64_t errors;
	uint64_t late;
	uint64_t max_late_ns;
	uint64_t next_report_ns;
	uint64_t end_ns;
};

/* Do requests start at their times? */
static inline bool is_timed(const struct replay *replay)
{
	return !replay->closed && replay->speed > 0;
}

/* account.c */
uint64_t now_ns(void);
void replay_fit(const struct replay *of, struct trace_request *request, uint64_t number);
uint64_t due_ns(const struct replay *replay, const struct trace_request *request);
void wait_until_settled(const struct replay *replay);
void replay_late(struct replay *replay, uint64_t ns);
void replay_ended(struct replay *replay, uint64_t number, const struct trace_request *request,
		  uint64_t end_ns, uint64_t latency_ns, const char *failure);
void __attribute__((__noreturn__)) replay_never_settled(const struct replay *replay);

void ring_open(struct replay *replay);
void ring_queue(struct replay *replay, unsigned int nr, bool timed);
void ring_wait(struct replay *replay, uint64_t until_ns);
bool ring_completion(struct replay *replay, unsigned int *nr, int *result);
void ring_cancel_timed(struct replay *replay);
void ring_close(struct replay *replay);

/* The two ways to replay: through io_uring, or by the feeder. */
void slots_open(struct replay *replay);
void slots_run(struct replay *replay);
void slots_close(struct replay *replay);
void feeder_run(struct replay *replay);

void interrupt_watch(void);
int interrupt_came(void);
int interrupt_unwatch(void);

void pattern_fill(void *buffer, uint64_t sector, uint32_t nr_sectors, uint64_t sequence,
		  uint64_t seed);
uint64_t pattern_check(const void *buffer, uint64_t sector, uint64_t seed);

void verifier_open(struct verifier *verifier, const struct trace *trace, uint64_t device_sectors);
void verifier_close(struct verifier *verifier);
void verifier_starts(struct replay *replay, struct slot *slot, uint64_t start_ns);
void verifier_ends(struct replay *replay, struct slot *slot, uint64_t end_ns, bool failed);

struct latencies *latencies_new(void);
void latencies_add(struct latencies *all, const struct trace_request *request, uint64_t ns);
void latencies_print(const struct latencies *all);

#endif /* SSDCACHE_TRACE_REPLAY_H */
