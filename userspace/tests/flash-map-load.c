// SPDX-License-Identifier: GPL-2.0
/*
 * A cached mapping table (map_cache) with many requests in flight: what is written back, what
 * requests wait for, and how much one call does.
 *
 *	flash-map-load [-s SEED]	TAP lines
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include "flash-load.h"

#define SPEC "custom:chips=1,planes=1,pages=64,page_bytes=4096,read_ns=50000,program_ns=300000," \
	"transfer_ps=1000"

/* Requests of single pages, each of which is submitted again when it has ended. */
struct loop {
	struct load load;
	struct ssdf_request *requests;
	u32 nr;
};

static struct loop loop_begin(const char *spec, u32 nr)
{
	return (struct loop) { load_begin(spec), calloc(nr, sizeof(struct ssdf_request)), nr };
}

/* Returns whether the device's invariants hold. */
static bool loop_end(struct loop *loop)
{
	free(loop->requests);
	return load_end(&loop->load);
}

static void submit(struct load *load, struct ssdf_request *rq, enum ssdc_op op, u32 lpn)
{
	*rq = (struct ssdf_request) {
		.op = op,
		.sector = (u64)lpn * load->f->page_sectors,
		.nr_sectors = load->f->page_sectors,
	};
	ssdf_submit(load->f, rq, load->now_ns);
}

/* The time of the next event, at which the device advances. */
static bool step(struct load *load)
{
	u64 next_ns = ssdf_next_ns(load->f);

	if (next_ns == SSDF_NEVER)
		return false;
	load->now_ns = max(load->now_ns, next_ns);
	ssdf_advance(load->f, load->now_ns);
	return true;
}

#define READERS		64
#define WRITES		200
#define WRITE_EVERY_NS	5000000
#define MAX_WAIT	100000	/* reads, for one write */

/* A page of die @die, of two with static allocation; readers look at few. */
static u32 page_of_die(const struct ssdf_device *f, enum ssdc_op op, u32 die)
{
	return 2 * below(op == SSDC_READ ? 600 : f->nr_lpns / 2) + die;
}

/*
 * Readers keep one die busy, and a write to the other needs GC, which updates translation pages on
 * the busy die. GC gets its turn there.
 */
static void gc_beside_reads(void)
{
	struct loop loop = loop_begin(SPEC ",blocks=128,channels=2,dies=1,over_provisioning=20,"
				      "allocation=static,aged=steady,map_cache=1280", READERS + 1);
	struct load *load = &loop.load;
	u64 reads = 0, before = 0, most = 0, next_write_ns = 0;
	struct ssdf_request *write = &loop.requests[READERS], *rq;
	u32 writes = 0, i;
	bool writing = false;

	for (i = 0; i < READERS; i++)
		submit(load, &loop.requests[i], SSDC_READ, page_of_die(load->f, SSDC_READ, 1));
	while (writes < WRITES && reads - before < MAX_WAIT && step(load)) {
		while ((rq = ssdf_next_done(load->f))) {
			if (rq == write) {
				writing = false;
				writes++;
				most = max(most, reads - before);
				continue;
			}
			reads++;
			submit(load, rq, SSDC_READ, page_of_die(load->f, SSDC_READ, 1));
		}
		if (!writing && load->now_ns >= next_write_ns) {
			writing = true;
			before = reads;
			next_write_ns = load->now_ns + WRITE_EVERY_NS;
			submit(load, write, SSDC_WRITE, page_of_die(load->f, SSDC_WRITE, 0));
		}
	}
	most = max(most, reads - before);
	load_rest(load);
	result(writes == WRITES && most < 1000 && load->f->stats.erases,
	       "GC beside reads of another die: %u of %u writes ended, the slowest after %llu reads; %llu erases",
	       writes, WRITES, most, load->f->stats.erases);
	result(loop_end(&loop), "invariants");
}

int main(int argc, char **argv)
{
	struct harness options = { .seed = 1 };

	harness_options(&options, "s", argc, argv);
	ssdc_random_seed(&harness_random, options.seed);
	gc_beside_reads();
	return finish();
}
