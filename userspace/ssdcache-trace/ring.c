// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring. In open loop each request is linked to a timeout that expires at its arrival time, so the
 * kernel starts it on time, whatever this program is doing.
 */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include "replay.h"

/*
 * user_data: of a request, the number of its slot; of its timeout, this number with TIMEOUT; of the read from the discarder's pipe, and of
 * the removal of a timeout, these:
 */
#define TIMEOUT		(1ULL << 32)
#define FROM_DISCARDER	UINT64_MAX
#define REMOVAL		(UINT64_MAX - 1)

static void __attribute__((__noreturn__)) ring_failed(const char *what, int error)
{
	die(TOOL_FAILED, "io_uring: cannot %s: %s", what, strerror(-error));
}

static struct io_uring_sqe *get_sqe(struct replay *replay)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&replay->ring);

	if (!sqe)
		die(TOOL_FAILED, "io_uring: the submission queue is full");
	return sqe;
}

static void timeout_sqe(struct replay *replay, struct __kernel_timespec *due, uint64_t data)
{
	struct io_uring_sqe *sqe = get_sqe(replay);

	io_uring_prep_timeout(sqe, due, 0, IORING_TIMEOUT_ABS | IORING_TIMEOUT_ETIME_SUCCESS);
	io_uring_sqe_set_flags(sqe, IOSQE_IO_LINK | IOSQE_CQE_SKIP_SUCCESS);
	io_uring_sqe_set_data64(sqe, data);
}

/* Try an expired timeout linked to a no-op: does the kernel support what is used here? */
static void check_features(struct replay *replay)
{
	struct __kernel_timespec past = { .tv_nsec = 1 };
	struct io_uring_cqe *cqe;
	int error;

	if (replay->ring.features & IORING_FEAT_CQE_SKIP) {
		timeout_sqe(replay, &past, TIMEOUT);
		io_uring_prep_nop(get_sqe(replay));
		error = io_uring_submit_and_wait(&replay->ring, 1);
		if (error >= 0)
			error = io_uring_wait_cqe(&replay->ring, &cqe);
		if (error < 0)
			ring_failed("wait", error);
		error = cqe->res;
		io_uring_cqe_seen(&replay->ring, cqe);
		if (!error)
			return;
	}
	die(TOOL_FAILED,
	    "this kernel's io_uring has no timeouts that start a request: Linux 5.17 or newer is needed");
}

static void watch_discarder(struct replay *replay)
{
	struct io_uring_sqe *sqe = get_sqe(replay);

	io_uring_prep_read(sqe, replay->discarder.from[0], &replay->discarder.done,
			   sizeof(replay->discarder.done), 0);
	io_uring_sqe_set_data64(sqe, FROM_DISCARDER);
}

/**
 * ring_open() - set up the ring; ends the program if the kernel cannot
 * @replay: replay
 */
void ring_open(struct replay *replay)
{
	/* A timeout per request, and the pipe. */
	const unsigned int entries = 2 * replay->depth + 1;
	int error;

	/* Linux 6.1 and newer. Cheaper: completion work runs only when we wait for it. */
	error = io_uring_queue_init(entries, &replay->ring,
				    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	if (error == -EINVAL)
		error = io_uring_queue_init(entries, &replay->ring, 0);
	if (error == -ENOSYS || error == -EPERM)
		die(TOOL_FAILED,
		    "io_uring is not available here: %s (is it built in, and allowed by kernel.io_uring_disabled?)",
		    strerror(-error));
	if (error)
		ring_failed("set up a ring", error);
	check_features(replay);
	if (replay->discards)
		watch_discarder(replay);
}

static void request_sqe(struct replay *replay, unsigned int nr)
{
	struct slot *slot = &replay->slots[nr];
	const struct trace_request *request = &replay->trace.requests[slot->request];
	uint64_t offset = request->sector * TRACE_SECTOR_BYTES;
	unsigned int bytes = request->nr_sectors * TRACE_SECTOR_BYTES;
	struct io_uring_sqe *sqe = get_sqe(replay);

	switch (request->op) {
	case TRACE_READ:
		io_uring_prep_read(sqe, replay->device.fd, slot->buffer, bytes, offset);
		break;
	case TRACE_WRITE:
		io_uring_prep_write(sqe, replay->device.fd, slot->buffer, bytes, offset);
		/* For a direct write to a block device this is FUA. */
		if (request->fua)
			sqe->rw_flags = RWF_DSYNC;
		break;
	case TRACE_FLUSH:
		io_uring_prep_fsync(sqe, replay->device.fd, 0);
		break;
	case TRACE_DISCARD:
		slot->result = (int)nr;
		io_uring_prep_write(sqe, replay->discarder.to[1], &slot->result,
				    sizeof(slot->result), 0);
		/* The discarder reports its end. */
		io_uring_sqe_set_flags(sqe, IOSQE_CQE_SKIP_SUCCESS);
		break;
	}
	io_uring_sqe_set_data64(sqe, nr);
}

/**
 * ring_queue() - hand a request to the kernel
 * @replay: replay
 * @nr: number of its slot
 * @timed: start it when it is due
 */
void ring_queue(struct replay *replay, unsigned int nr, bool timed)
{
	replay->slots[nr].timed = timed;
	if (timed)
		timeout_sqe(replay, &replay->slots[nr].due, TIMEOUT | nr);
	request_sqe(replay, nr);
}

static void submit(struct replay *replay)
{
	int error;

	do {
		error = io_uring_submit(&replay->ring);
	} while (error == -EINTR || error == -EAGAIN);
	if (error < 0)
		ring_failed("submit", error);
}

/**
 * ring_cancel_timed() - cancel all requests that are not due yet
 * @replay: replay
 *
 * They end with -ECANCELED.
 */
void ring_cancel_timed(struct replay *replay)
{
	struct io_uring_sqe *sqe;
	unsigned int nr;

	/* What is queued goes first: it may be what is to be cancelled, and leaves room in the queue. */
	submit(replay);
	for (nr = 0; nr < replay->depth; nr++) {
		if (!replay->slots[nr].timed)
			continue;
		sqe = get_sqe(replay);
		io_uring_prep_timeout_remove(sqe, TIMEOUT | nr, 0);
		io_uring_sqe_set_data64(sqe, REMOVAL);
	}
	submit(replay);
}

/* Wait for a completion, or until @until_ns if that is not 0. */
static int wait_cqe(struct replay *replay, uint64_t until_ns)
{
	struct __kernel_timespec left;
	struct io_uring_cqe *cqe;
	uint64_t now;

	if (!until_ns)
		return io_uring_submit_and_wait(&replay->ring, 1);
	now = now_ns();
	if (now >= until_ns)
		return io_uring_submit(&replay->ring);
	left.tv_sec = (until_ns - now) / NSEC_PER_SEC;
	left.tv_nsec = (until_ns - now) % NSEC_PER_SEC;
	return io_uring_submit_and_wait_timeout(&replay->ring, &cqe, 1, &left, NULL);
}

/**
 * ring_wait() - submit what was queued and wait for a completion
 * @replay: replay
 * @until_ns: return at this time at the latest, 0: no limit
 *
 * May return early: look at ring_completion() and the clock.
 */
void ring_wait(struct replay *replay, uint64_t until_ns)
{
	int error = wait_cqe(replay, until_ns);

	if (error < 0 && error != -EINTR && error != -EAGAIN && error != -ETIME)
		ring_failed("submit", error);
}

/**
 * ring_completion() - take the next completion
 * @replay: replay
 * @nr: result: slot of the request
 * @result: result: bytes, 0 for a request without data, or -errno; -ECANCELED: it did not start
 *
 * Return: false if there is none.
 */
bool ring_completion(struct replay *replay, unsigned int *nr, int *result)
{
	struct io_uring_cqe *cqe;
	uint64_t data;

	do {
		if (io_uring_peek_cqe(&replay->ring, &cqe))
			return false;
		data = cqe->user_data;
		*result = cqe->res;
		io_uring_cqe_seen(&replay->ring, cqe);
		/* A timeout that has expired cannot be removed; its request ends as usual. */
	} while (data == REMOVAL);
	if (data != FROM_DISCARDER) {
		/* A timeout completes only if it is cancelled; its request then has no completion. */
		*nr = (uint32_t)data;
		return true;
	}
	if (*result != sizeof(replay->discarder.done))
		die(TOOL_FAILED, "the thread for discards ended");
	*nr = replay->discarder.done;
	*result = replay->slots[*nr].result;
	watch_discarder(replay);
	return true;
}

void ring_close(struct replay *replay)
{
	io_uring_queue_exit(&replay->ring);
}
