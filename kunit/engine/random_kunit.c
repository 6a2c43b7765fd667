// SPDX-License-Identifier: GPL-2.0
/*
 * Requests, completions, errors and policy changes in random order, from a generator with a fixed
 * seed. The driver checks the results. Requests in progress share pages but no sectors, so it is
 * known what a read must return.
 */
#include "../../dm-ssdcache/base/random.h"
#include "driver.h"

#define STEPS		3000
#define MAX_HOSTS	12
#define MAX_SECTORS	40
#define SPACE		509		/* four times the DRAM tier; the last page is partial */

struct chaos {
	struct td *td;
	struct td_host *hosts[MAX_HOSTS];
	struct ssdc_random random;
	bool errors;
};

struct chaos_param {
	const char *replacement;
	const char *admission;
	bool errors;
};

static const struct chaos_param chaos_params[] = {
	{ "fifo", "write-buffer", false },
	{ "fifo", "read-write", true },
	{ "lru", "write-buffer", true },
	{ "lru", "read-write", false },
	{ "lfu", "write-buffer", false },
	{ "lfu", "read-write", true },
	{ "cflru:window=33", "write-buffer", true },
	{ "cflru", "read-write", false },
	{ "cflru", "read-write", true },
	{ "cflru-ef:threshold=25,ef_batch=2,period=50", "write-buffer", false },
	{ "cflru-ef:threshold=25,ef_batch=2,period=50", "read-write", true },
	{ "cflru-ef-sc:threshold=25,ef_batch=2,period=50", "write-buffer", true },
	{ "cflru-ef-sc:threshold=25,ef_batch=2,period=50", "read-write", false },
	{ "cflru-ef-sc:threshold=0,adapt=off", "read-write", true },
	{ "fab:block=4,width=1", "write-buffer", false },
	{ "fab:block=4,width=0", "read-write", true },
	{ "bplru:block=8,padding=on,width=1", "write-buffer", false },
	{ "bplru:block=8,padding=on,width=1", "read-write", true },
	{ "bplru:block=4,padding=on,width=0", "read-write", true },
	{ "bplru:block=8,padding=on", "write-buffer", true },
	{ "vbbms", "write-buffer", false },
	{ "vbbms:profile=s000", "read-write", true },
	{ "req-block:delta=2", "write-buffer", false },
	{ "req-block", "read-write", true },
	{ "vs-batch:rebuild=20", "read-write", false },
	{ "vs-batch-plus", "write-buffer", true },
	{ "vs-batch-plus:rebuild=50,lower=visible", "read-write", true },
	{ "co-active", "write-buffer", false },
	{ "co-active:cold_share=100,clean_max=50", "read-write", true },
	{ "ecr", "read-write", true },
	{ "lcr:candidates=3,overload=50", "read-write", true },
	{ "mq-ssd:period_ms=1", "write-buffer", false },
	{ "mq-ssd:period_ms=1,budget=3", "read-write", true },
	{ "mq-ssd:keep_clean=on", "read-write", true },
	{ "clock:bits=2,looks=4", "read-write", true },
	{ "sieve:looks=4", "read-write", true },
	{ "2q", "read-write", true },
	{ "s3-fifo:small=30,looks=4", "read-write", true },
	{ "arc", "write-buffer", true },
	{ "arc", "read-write", true },
	{ "lirs:hir=20,ghosts=50", "read-write", true },
	{ "mq:lifetime=20", "read-write", true },
	{ "w-tinylfu:window=20,sample=2", "read-write", true },
	{ "ccf-lru:looks=4", "read-write", true },
	{ "ad-lru:min_cold=30,looks=4", "read-write", true },
	{ "gcar", "read-write", true },
	{ "pud-lru:block=4,candidates=5", "read-write", true },
	{ "wow:block=4,looks=3", "write-buffer", true },
	{ "wow:block=8,width=1", "read-write", true },
	{ "pr-lru:candidates=3", "read-write", true },
	{ "dulo:block=4,buffer=20,bank=30", "read-write", true },
	{ "freeboard:wave=3,reserve=40,once=20", "read-write", true },
	{ "lru", "l-corw:period_ms=1,rar_window=5,cold=1000,tt_low=1,rt_low=1,epsilon=500", true },
	{ "cflru", "l-corw:period_ms=1,rar_window=5,cold=1000,wt_sync=on,epsilon=500", true },
	{ "lfu", "corw-8:period_ms=1,rar_window=2,cold=1000,wt_sync=on", false },
	{ "cflru-ef", "corw-1:period_ms=1,rar_window=2,cold=1000", true },
};

static void chaos_desc(const struct chaos_param *p, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %s%s", p->replacement, p->admission,
		 p->errors ? " with errors" : "");
}

KUNIT_ARRAY_PARAM(chaos, chaos_params, chaos_desc);

static u32 rnd(struct chaos *c, u32 below)
{
	return ssdc_random_below(&c->random, below);
}

static int maybe_error(struct chaos *c, u32 one_in)
{
	return c->errors && !rnd(c, one_in) ? -EIO : 0;
}

/* Would a request share sectors with one in progress? Two reads may. */
static bool conflicts(const struct chaos *c, enum ssdc_op op, u64 sector, u64 nr)
{
	unsigned int i;

	for (i = 0; i < MAX_HOSTS; i++) {
		const struct ssdc_request *rq = c->hosts[i] ? &c->hosts[i]->rq : NULL;

		if (rq && sector < rq->host.sector + rq->host.nr_sectors &&
		    rq->host.sector < sector + nr &&
		    (op != SSDC_READ || rq->host.op != SSDC_READ))
			return true;
	}
	return false;
}

static void forget_done(struct chaos *c)
{
	unsigned int i;

	for (i = 0; i < MAX_HOSTS; i++) {
		if (!c->hosts[i] || !c->hosts[i]->done)
			continue;
		if (!c->errors)
			TD_EXPECT_DONE(c->td, c->hosts[i]);
		td_put(c->td, c->hosts[i]);
		c->hosts[i] = NULL;
	}
}

static void submit(struct chaos *c)
{
	static const enum ssdc_op ops[] = {
		SSDC_WRITE, SSDC_WRITE, SSDC_WRITE, SSDC_WRITE, SSDC_WRITE, SSDC_WRITE,
		SSDC_READ, SSDC_READ, SSDC_READ, SSDC_READ, SSDC_READ,
		SSDC_DISCARD, SSDC_FLUSH,
	};
	enum ssdc_op op = ops[rnd(c, ARRAY_SIZE(ops))];
	u64 nr = rnd(c, 3) ? 1 + rnd(c, 8) : 1 + rnd(c, MAX_SECTORS);
	u64 sector = rnd(c, 2) ? rnd(c, SPACE - MAX_SECTORS + 1) : rnd(c, 64);
	struct td_host *host;
	unsigned int i;

	if (op == SSDC_DISCARD && !rnd(c, 8)) {
		sector = 0;
		nr = c->td->sectors;
	}
	if (op == SSDC_FLUSH) {
		sector = 0;
		nr = 0;
	}
	for (i = 0; i < MAX_HOSTS && c->hosts[i]; i++)
		;
	if (i == MAX_HOSTS || conflicts(c, op, sector, nr))
		return;
	host = td_begin(c->td, op, sector, nr);
	if (op == SSDC_WRITE)
		host->rq.host.fua = !rnd(c, 10);
	if (op == SSDC_FLUSH)
		host->rq.force = !rnd(c, 4);
	c->hosts[i] = host;
	/* One in four is left in the middle of a copy. */
	if (rnd(c, 4))
		td_run(c->td, host);
	else
		td_hold(c->td, host);
}

static bool in_the_middle(const struct td_host *host)
{
	return host && !host->done && (host->action == SSDC_COPY || host->action == SSDC_AGAIN ||
				       host->action == SSDC_MORE || host->action == SSDC_YIELD ||
				       host->action == SSDC_READ_ORIGIN);
}

static void go_on(struct chaos *c)
{
	struct td_host *host = c->hosts[rnd(c, MAX_HOSTS)];

	if (in_the_middle(host))
		td_run(c->td, host);
}

static void change_policy(struct chaos *c)
{
	const struct chaos_param *p = &chaos_params[rnd(c, ARRAY_SIZE(chaos_params))];
	struct ssdc_error error = {};
	struct ssdc_replacement *old;
	struct ssdc_plugin *next;

	if (c->td->e->draining) {
		old = ssdc_switch_step(c->td->e);
		if (old)
			ssdc_plugin_destroy(&old->plugin);
	} else {
		next = ssdc_plugin_create(SSDC_REPLACEMENT, p->replacement, &c->td->e->tier,
					  &error);
		KUNIT_ASSERT_NOT_NULL(c->td->test, next);
		ssdc_switch_begin(c->td->e, (struct ssdc_replacement *)next);
	}
	td_check(c->td);
}

static void step(struct chaos *c, bool change)
{
	struct td *td = c->td;
	u32 cursor = 0;

	td->now_ns += rnd(c, 20000000);
	switch (rnd(c, change ? 17 : 16)) {
	case 0 ... 4:
		submit(c);
		break;
	case 5 ... 7:
		go_on(c);
		break;
	case 8:
		td_run_ready(td);
		break;
	case 9:
		td_start_ios(td);
		break;
	case 10 ... 12:
		if (td->nr_ios)
			td_end_io(td, rnd(c, td->nr_ios), maybe_error(c, 6));
		break;
	case 13:
		if (!list_empty(&td->subs))
			td_end_sub(td, maybe_error(c, 6));
		if (!list_empty(&td->forwarded))
			td_end_forward(td, maybe_error(c, 6));
		break;
	case 14:
		td_background(td);
		break;
	case 15:
		if (!rnd(c, 40))
			ssdc_drop_clean(td->e, &cursor);
		break;
	case 16:
		change_policy(c);
		break;
	}
	forget_done(c);
}

/* Run until all requests have ended, without errors. */
static void calm_down(struct chaos *c)
{
	struct td *td = c->td;
	unsigned int i;

	for (i = 0; i < MAX_HOSTS; i++)
		if (in_the_middle(c->hosts[i]))
			td_run(td, c->hosts[i]);
	td_settle(td);
	forget_done(c);
	for (i = 0; i < MAX_HOSTS; i++)
		KUNIT_EXPECT_PTR_EQ(td->test, c->hosts[i], (struct td_host *)NULL);
	TD_EXPECT_STAT(td, "host_inflight", 0);
	TD_EXPECT_STAT(td, "device_inflight", 0);
	TD_EXPECT_STAT(td, "waiting", 0);
	TD_EXPECT_STAT(td, "flushing", 0);
	KUNIT_EXPECT_EQ(td->test, td->e->nr_debts, 0u);
	KUNIT_EXPECT_EQ(td->test, td->e->granted, 0u);
	KUNIT_EXPECT_EQ(td->test, td->e->nr_victims, 0u);
	KUNIT_EXPECT_EQ(td->test, td->e->early_inflight, 0u);
}

static void run_chaos(struct kunit *test, bool change, enum ssdc_durability mode)
{
	const struct chaos_param *p = test->param_value;
	struct chaos *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct ssdc_params params = td_params();
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	params.replacement = p->replacement;
	params.admission = p->admission;
	params.origin_sectors = SPACE;
	params.tunables.dram_mode = mode;
	params.tunables.flush_interval_s = p->errors ? 3 : 0;
	c->td = td_new(test, &params);
	c->errors = p->errors;
	ssdc_random_seed(&c->random, p - chaos_params);
	c->td->e->hold_work = 1 + rnd(c, SSDC_HOLD_WORK);
	for (i = 1; i <= STEPS; i++) {
		step(c, change);
		if (i % 500 == 0)
			calm_down(c);
	}
	calm_down(c);
	/* This FLUSH reports an error of an earlier one that was not the host's. */
	td_flush(c->td);
	td_settle(c->td);
	td_clean_all(c->td);
	for (i = 0; i < SPACE / TD_PAGE_SECTORS; i++)
		td_load(c->td, i, 1);
}

static void random_requests(struct kunit *test)
{
	run_chaos(test, false, SSDC_VOLATILE);
}

static void random_requests_and_policy_changes(struct kunit *test)
{
	run_chaos(test, true, SSDC_VOLATILE);
}

static void random_requests_to_protected_dram(struct kunit *test)
{
	run_chaos(test, true, SSDC_PROTECTED);
}

static struct kunit_case random_cases[] = {
	KUNIT_CASE_PARAM(random_requests, chaos_gen_params),
	KUNIT_CASE_PARAM(random_requests_and_policy_changes, chaos_gen_params),
	KUNIT_CASE_PARAM(random_requests_to_protected_dram, chaos_gen_params),
	{}
};

static struct kunit_suite random_suite = {
	.name = "ssdcache_random",
	.exit = td_exit,
	.test_cases = random_cases,
};

kunit_test_suite(random_suite);
