// SPDX-License-Identifier: GPL-2.0
/*
 * A cache that chooses its policies by itself. See auto.h.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../ssdflash/flash.h"
#include "cache.h"
#include "trace.h"

/*
 * Times of an origin that is no ssdflash, until times have been measured. ssdcache-sim uses the
 * same.
 */
#define PAGE_NS		75000

/* A measured time has a weight of a sixteenth in the mean, and is cut off at this limit. */
#define WEIGHT		16
#define LONGEST_NS	(10ULL * NSEC_PER_SEC)

/*
 * Requests to count before the counts are added up: the number of their pages fits into 32 bits, as
 * each request is within a region. A few more requests may be counted in the meantime.
 */
#define MOST_PASSED	4096u
static_assert(2ULL * MOST_PASSED * SSDC_AUTO_MAX_REGION_KIB <=
	      (u64)U32_MAX * (SSDC_MIN_PAGE_BYTES / 1024));

/* Pieces of the shadows' work while @control is held, each about as long as a page access. */
#define PIECES		256

static struct workqueue_struct *queue;	/* work items of all caches */

/**
 * dmsc_auto_of() - the choice of a cache
 * @c: cache
 *
 * Context: @control is held.
 * Return: the choice; NULL: the policies are fixed.
 */
struct dmsc_choice *dmsc_auto_of(struct dmsc_cache *c)
{
	return rcu_dereference_protected(c->chooser.choice, lockdep_is_held(&c->control));
}

static struct dmsc_choice *locked_choice(struct dmsc_auto *chooser)
{
	return rcu_dereference_protected(chooser->choice, lockdep_is_held(&chooser->lock));
}

/* Tell the choice of the requests that were only counted. The caller has @lock. */
static void count_passed(struct dmsc_auto *chooser)
{
	struct dmsc_choice *choice = locked_choice(chooser);
	u64 passed = atomic64_xchg(&chooser->passed, 0);

	if (choice && choice->a && passed)
		ssdc_auto_pass(choice->a, (u32)passed, passed >> 32);
}

/*
 * Set how many more requests need only be counted. The first request is always fed, as it starts
 * the clock of the shadows. The caller has @lock.
 */
static void prepare_to_pass(struct dmsc_auto *chooser, const struct ssdc_auto *a)
{
	u32 most = a->shadows->fed ? min(ssdc_auto_left(a), MOST_PASSED) : 0;

	/* Pairs with dmsc_auto_pass(). */
	smp_store_release(&chooser->most, most);
}

/**
 * dmsc_auto_catch_up() - bring the counters of the choice up to date, if there is one
 * @chooser: of a cache
 *
 * Context: @lock is held, and @control, unless the cache is being constructed or destroyed.
 */
void dmsc_auto_catch_up(struct dmsc_auto *chooser)
{
	struct dmsc_choice *choice = locked_choice(chooser);

	count_passed(chooser);
	if (!choice || !choice->a)
		return;
	prepare_to_pass(chooser, choice->a);
	/* Requests that were only counted may have ended the period. */
	if (ssdc_auto_is_due(choice->a))
		queue_work(queue, &chooser->work);
}

/* The caller has @control, or the cache is being constructed or destroyed. */
static void set_choice(struct dmsc_cache *c, struct dmsc_choice *choice)
{
	struct dmsc_auto *chooser = &c->chooser;

	spin_lock(&chooser->lock);
	WRITE_ONCE(chooser->most, 0);
	count_passed(chooser);
	rcu_assign_pointer(chooser->choice, choice);
	if (choice && choice->a) {
		WRITE_ONCE(chooser->region_shift, choice->a->shadows->region_shift);
		WRITE_ONCE(chooser->page_shift, choice->a->shadows->page_shift);
		WRITE_ONCE(chooser->threshold, choice->a->shadows->threshold);
	}
	dmsc_auto_catch_up(chooser);
	spin_unlock(&chooser->lock);
}

/* ---- requests ---- */

/**
 * dmsc_auto_feed_choice() - a request arrived; see dmsc_auto_feed()
 * @s: its shard
 * @host: the request
 * @counted: the request was counted, and no part of it is in the sample
 *
 * Context: the submitter's.
 */
void dmsc_auto_feed_choice(struct dmsc_shard *s, const struct ssdc_host_request *host,
			   bool counted)
{
	struct dmsc_cache *c = s->cache;
	struct dmsc_auto *chooser = &c->chooser;
	struct dmsc_choice *choice;
	bool due = false;

	/* Each shard has its own bio of a FLUSH. */
	if (host->op == SSDC_FLUSH && s != c->shards)
		return;
	spin_lock(&chooser->lock);
	count_passed(chooser);
	choice = locked_choice(chooser);
	if (likely(choice)) {
		if (!counted)
			ssdc_auto_feed(choice->a, host->op, host->sector, host->nr_sectors,
				       host->fua, host->start_ns);
		due = ssdc_auto_is_due(choice->a);
		prepare_to_pass(chooser, choice->a);
	}
	spin_unlock(&chooser->lock);
	if (unlikely(due))
		queue_work(queue, &chooser->work);
}

/**
 * dmsc_auto_take_time() - the origin has read or written; see dmsc_auto_measures()
 * @c: cache
 * @write: it was a write
 * @ns: how long that took, from the submission on
 *
 * Context: any.
 */
void dmsc_auto_take_time(struct dmsc_cache *c, bool write, u64 ns)
{
	struct dmsc_choice *choice;
	u64 mean_ns;

	rcu_read_lock();
	choice = rcu_dereference(c->chooser.choice);
	if (choice && choice->measures) {
		ns = min_t(u64, ns, LONGEST_NS);
		mean_ns = atomic64_read(&choice->took_ns[write]);
		mean_ns = mean_ns ? mean_ns - mean_ns / WEIGHT + ns / WEIGHT : ns;
		atomic64_set(&choice->took_ns[write], mean_ns);
	}
	rcu_read_unlock();
}

/* Pass the measured times to the shadows. A time given in the spec stays. */
static void set_times(struct dmsc_choice *choice)
{
	const struct ssdc_auto_tunables *words = &choice->spec.tunables;
	u64 read_ns = atomic64_read(&choice->took_ns[READ]);
	u64 write_ns = atomic64_read(&choice->took_ns[WRITE]);

	if (words->read_us || !read_ns)
		read_ns = words->read_us ? (u64)words->read_us * NSEC_PER_USEC : PAGE_NS;
	if (words->write_us || !write_ns)
		write_ns = words->write_us ? (u64)words->write_us * NSEC_PER_USEC : PAGE_NS;
	ssdc_shadows_set_times(choice->a->shadows, read_ns, write_ns);
}

/* ---- the work item ---- */

/*
 * Make the policies of a candidate the live ones. Plug-ins that @live has, too, stay. On failure
 * nothing changes. The caller has @control, and disposes of the replaced plug-ins.
 */
static int change_to(struct dmsc_cache *c, const struct ssdc_shadow_candidate *wanted,
		     const struct ssdc_shadow_candidate *live, struct dmsc_replaced *replaced,
		     struct ssdc_error *error)
{
	struct ssdc_plugin **policies = NULL, **schemes = NULL;

	if (strcmp(wanted->replacement, live->replacement)) {
		policies = dmsc_make_plugins(c, SSDC_REPLACEMENT, wanted->replacement, error);
		if (!policies)
			return -EINVAL;
	}
	if (strcmp(wanted->admission, live->admission)) {
		schemes = dmsc_make_plugins(c, SSDC_ADMISSION, wanted->admission, error);
		if (!schemes) {
			dmsc_drop_plugins(policies, c->nr_shards);
			return -EINVAL;
		}
	}
	if (policies)
		dmsc_switch_plugins(c, policies, wanted->replacement, replaced);
	if (schemes)
		dmsc_switch_plugins(c, schemes, wanted->admission, replaced);
	return 0;
}

static void obey(struct dmsc_cache *c, struct ssdc_auto *a, struct dmsc_replaced *replaced)
{
	const struct ssdc_shadow_candidate *live = &a->shadows->candidates[a->live];
	struct ssdc_error error = {};
	int r = change_to(c, ssdc_auto_wanted(a), live, replaced, &error);

	if (r)
		c->last_error = error;
	/* The requests counted so far arrived while the old candidate was live, or just after. */
	spin_lock(&c->chooser.lock);
	dmsc_auto_catch_up(&c->chooser);
	ssdc_auto_switched(a, !r);
	spin_unlock(&c->chooser.lock);
}

/* Do a bounded piece of work. Returns true if work is left. The caller has @control. */
static bool step(struct dmsc_cache *c, struct dmsc_replaced *replaced)
{
	struct dmsc_choice *choice = dmsc_auto_of(c);
	u64 nr_decisions;

	if (!choice || c->chooser.stopped)
		return false;
	nr_decisions = choice->a->nr_decisions;
	if (choice->measures)
		set_times(choice);
	ssdc_auto_step(choice->a, PIECES);
	if (choice->a->nr_decisions != nr_decisions)
		trace_ssdcache_decision(c, choice->a);
	if (ssdc_auto_wanted(choice->a))
		obey(c, choice->a, replaced);
	return ssdc_auto_has_work(choice->a);
}

static void do_work(struct work_struct *work)
{
	struct dmsc_cache *c = container_of(work, struct dmsc_cache, chooser.work);
	/* A suspend waits for this work, so reclaim must not wait for the device. */
	unsigned int noio = memalloc_noio_save();
	bool more;

	do {
		struct dmsc_replaced replaced = {};

		mutex_lock(&c->control);
		more = step(c, &replaced);
		mutex_unlock(&c->control);
		dmsc_dispose(c, &replaced);
		cond_resched();
	} while (more);
	memalloc_noio_restore(noio);
}

/* ---- begin and end ---- */

/*
 * Create a choice, which has yet to begin. @text: "auto", "auto:...", or the spec of the only
 * policy. @admission: the same for the scheme of candidates that name none. One of the two is
 * "auto". Returns NULL on failure.
 */
static struct dmsc_choice *parse_choice(const char *text, const char *admission,
					struct ssdc_error *error)
{
	struct dmsc_choice *choice;

	if (strlen(text) >= SSDC_SPEC_LEN || strlen(admission) >= SSDC_SPEC_LEN) {
		ssdc_finding(error, "auto: longer than %u characters", SSDC_SPEC_LEN - 1);
		return NULL;
	}
	choice = kzalloc(sizeof(*choice), GFP_KERNEL);
	if (!choice) {
		ssdc_finding(error, "auto: no memory");
		return NULL;
	}
	strscpy(choice->text, text, sizeof(choice->text));
	strscpy(choice->admission, admission, sizeof(choice->admission));
	if (!ssdc_auto_parse(choice->text, choice->admission, &choice->spec, error))
		return choice;
	kfree(choice);
	return NULL;
}

/**
 * dmsc_choice_free() - free a choice
 * @choice: a choice that no cache has any more, or NULL
 *
 * Context: may sleep; waits for ends of I/O that look at the choice.
 */
void dmsc_choice_free(struct dmsc_choice *choice)
{
	struct ssdc_shadow_candidate *candidate;

	if (!choice)
		return;
	synchronize_rcu();
	ssdc_auto_destroy(choice->a);
	while (choice->pinned--) {
		candidate = &choice->spec.candidates[choice->pinned];
		dmsc_unpin_spec(SSDC_REPLACEMENT, candidate->replacement);
		dmsc_unpin_spec(SSDC_ADMISSION, candidate->admission);
	}
	kfree(choice);
}

/* The types of all candidates stay pinned as long as shadows have instances. */
static int pin_types(struct dmsc_choice *choice, struct ssdc_error *error)
{
	for (; choice->pinned < choice->spec.nr; choice->pinned++) {
		struct ssdc_shadow_candidate *candidate = &choice->spec.candidates[choice->pinned];

		if (dmsc_pin_type(SSDC_REPLACEMENT, candidate->replacement, error))
			return -EINVAL;
		if (dmsc_pin_type(SSDC_ADMISSION, candidate->admission, error)) {
			dmsc_unpin_spec(SSDC_REPLACEMENT, candidate->replacement);
			return -EINVAL;
		}
	}
	return 0;
}

/*
 * The properties of the live engine and of its origin that shadows need; too large for the stack.
 */
struct subject {
	struct ssdc_params live;
	struct ssdc_shadow_params shadow;
	struct ssdf_params flash;
};

/* Returns true if the origin tells its times. */
static bool describe(struct dmsc_cache *c, struct subject *subject)
{
	struct ssdc_params *live = &subject->live;

	spin_lock_irq(&c->shards->lock);
	live->page_bytes = (u64)c->shards->engine->tier.page_sectors << SECTOR_SHIFT;
	live->dram_bytes = live->page_bytes * dmsc_capacity(c);
	live->origin_sectors = c->shards->engine->origin_sectors;
	live->tunables = c->shards->engine->tunables;
	spin_unlock_irq(&c->shards->lock);
	live->prefetch = "none";
	subject->shadow = (struct ssdc_shadow_params) {
		.live = live,
		.rate_ppm = SSDC_SHADOW_RATE,
		.region_bytes = SSDC_SHADOW_REGION,
		.ring_records = SSDC_SHADOW_RING,
		.least_pages = SSDC_SHADOW_PAGES,
		.window_pages = SSDC_SHADOW_WINDOW,
		.read_ns = PAGE_NS,
		.write_ns = PAGE_NS,
		.chips = 1,
	};
	if (!dmsf_params_of(dmsc_origin(c), &subject->flash))
		return false;
	ssdc_shadow_of_flash(&subject->shadow, live, &subject->flash);
	return true;
}

/*
 * Check the specs of all candidates, and a fixed admission scheme. Perhaps no candidate uses that
 * scheme, but it is in the table line, and later candidates may use it. After this check, only a
 * lack of memory can make the choice fail.
 */
static int check_candidates(struct dmsc_choice *choice, const struct ssdc_params *live,
			    struct ssdc_error *error)
{
	struct ssdc_params own = *live;
	u32 i;

	if ((u64)choice->spec.tunables.region << 10 < live->page_bytes)
		return ssdc_finding(error, "auto: region: %u KiB is less than a page",
				    choice->spec.tunables.region);
	for (i = 0; i < choice->spec.nr; i++) {
		own.replacement = choice->spec.candidates[i].replacement;
		own.admission = choice->spec.candidates[i].admission;
		if (ssdc_params_check(&own, error))
			return -EINVAL;
	}
	if (ssdc_auto_is_spec(choice->admission))
		return 0;
	own.admission = choice->admission;
	return ssdc_params_check(&own, error);
}

static int begin(struct dmsc_cache *c, struct dmsc_choice *choice, struct ssdc_error *error)
{
	struct subject *subject;
	unsigned int noio;
	int r;

	r = pin_types(choice, error);
	if (r)
		return r;
	subject = kzalloc(sizeof(*subject), GFP_KERNEL);
	if (!subject) {
		ssdc_finding(error, "auto: no memory");
		return -ENOMEM;
	}
	choice->measures = !describe(c, subject);
	noio = dmsc_lock_types();
	if (check_candidates(choice, &subject->live, error)) {
		r = -EINVAL;
	} else {
		choice->a = ssdc_auto_create(&choice->spec, &subject->shadow, error);
		r = choice->a ? 0 : -ENOMEM;
	}
	dmsc_unlock_types(noio);
	kfree(subject);
	return r;
}

/**
 * dmsc_auto_concerns() - does a change of a plug-in concern the choice?
 * @c: cache
 * @kind: kind of the plug-in
 * @spec: its spec
 *
 * "replacement auto" and "admission auto" begin a choice, or replace it. While one of the two is
 * chosen, a fixed spec of the other one changes the candidates.
 *
 * Context: @control is held.
 */
bool dmsc_auto_concerns(struct dmsc_cache *c, enum ssdc_kind kind, const char *spec)
{
	struct dmsc_choice *choice = dmsc_auto_of(c);

	switch (kind) {
	case SSDC_REPLACEMENT:
		return ssdc_auto_is_spec(spec) || (choice && ssdc_auto_is_spec(choice->admission));
	case SSDC_ADMISSION:
		return ssdc_auto_is_spec(spec) || (choice && ssdc_auto_is_spec(choice->text));
	default:
		return false;
	}
}

/*
 * The spec of a kind that stays: that of the choice or, if the plug-in is not chosen, that of the
 * live one, which is printed to @buf. A fixed scheme is that of the choice: another one may be
 * live, which a candidate names.
 */
static const char *spec_of(struct dmsc_cache *c, enum ssdc_kind kind, char buf[SSDC_SPEC_LEN])
{
	struct dmsc_choice *choice = dmsc_auto_of(c);

	if (choice && kind == SSDC_ADMISSION)
		return choice->admission;
	if (choice && ssdc_auto_is_spec(choice->text))
		return choice->text;
	ssdc_spec_print(ssdc_current_plugin(c->shards->engine, kind), buf, SSDC_SPEC_LEN);
	return buf;
}

/**
 * dmsc_auto_set() - begin a choice, or begin it anew
 * @c: cache
 * @kind: SSDC_REPLACEMENT or SSDC_ADMISSION, whose spec changes
 * @spec: the spec
 * @replaced: result: what the caller disposes of
 * @error: reason of a failure; then nothing has changed
 *
 * Context: @control is held; dmsc_auto_concerns(). May sleep.
 * Return: 0 or -EINVAL.
 */
int dmsc_auto_set(struct dmsc_cache *c, enum ssdc_kind kind, const char *spec,
		  struct dmsc_replaced *replaced, struct ssdc_error *error)
{
	struct dmsc_choice *old = dmsc_auto_of(c), *choice;
	/* A choice of policies begins with a new policy, one of schemes with a new scheme. */
	struct ssdc_shadow_candidate live = { "", "" };
	char buf[SSDC_SPEC_LEN];

	if (kind == SSDC_ADMISSION)
		choice = parse_choice(spec_of(c, SSDC_REPLACEMENT, buf), spec, error);
	else
		choice = parse_choice(spec, spec_of(c, SSDC_ADMISSION, buf), error);
	if (!choice)
		return -EINVAL;
	/* If only the scheme changes, the fixed policy stays as it is: see spec_of(). */
	if (kind == SSDC_ADMISSION && !ssdc_auto_is_spec(choice->text))
		live.replacement = choice->text;
	if (begin(c, choice, error) ||
	    change_to(c, &choice->spec.candidates[0], &live, replaced, error)) {
		dmsc_choice_free(choice);
		return -EINVAL;
	}
	set_choice(c, choice);
	replaced->choice = old;
	return 0;
}

/**
 * dmsc_auto_end() - end the choice, if there is one, after fixed plug-ins have replaced its own
 * @c: cache
 * @replaced: result: what the caller disposes of
 *
 * Context: @control is held.
 */
void dmsc_auto_end(struct dmsc_cache *c, struct dmsc_replaced *replaced)
{
	replaced->choice = dmsc_auto_of(c);
	set_choice(c, NULL);
}

static void load_types(const struct dmsc_choice *choice)
{
	u32 i;

	for (i = 0; i < choice->spec.nr; i++) {
		dmsc_load_type(SSDC_REPLACEMENT, choice->spec.candidates[i].replacement);
		dmsc_load_type(SSDC_ADMISSION, choice->spec.candidates[i].admission);
	}
}

/**
 * dmsc_auto_load_types() - load the modules of all candidates
 * @kind: kind of the plug-in
 * @spec: spec
 *
 * Context: as for dmsc_load_type().
 * Return: false if @spec is not the spec of a choice.
 */
bool dmsc_auto_load_types(enum ssdc_kind kind, const char *spec)
{
	struct dmsc_choice *choice;
	struct ssdc_error error;

	if (kind == SSDC_PREFETCH || !ssdc_auto_is_spec(spec))
		return false;
	/* The plug-in of the other kind is that of the cache: a built-in one stands in for it. */
	if (kind == SSDC_REPLACEMENT)
		choice = parse_choice(spec, "write-buffer", &error);
	else
		choice = parse_choice("lru", spec, &error);
	if (choice)
		load_types(choice);
	kfree(choice);
	return true;
}

/* ---- a table ---- */

/**
 * dmsc_auto_init() - initialize the choice, before anything that can fail
 * @c: cache
 */
void dmsc_auto_init(struct dmsc_cache *c)
{
	spin_lock_init(&c->chooser.lock);
	INIT_WORK(&c->chooser.work, do_work);
	c->chooser.stopped = true;
}

/**
 * dmsc_auto_prepare() - if a table line says "auto", use the policies of the first candidate
 * @c: cache that is being constructed
 * @params: from the table line
 * @error: reason of a failure
 *
 * Context: may sleep, and load modules.
 * Return: 0 or -EINVAL.
 */
int dmsc_auto_prepare(struct dmsc_cache *c, struct ssdc_params *params, struct ssdc_error *error)
{
	struct dmsc_choice *choice;

	if (!ssdc_auto_is_spec(params->replacement) && !ssdc_auto_is_spec(params->admission))
		return 0;
	choice = parse_choice(params->replacement, params->admission, error);
	if (!choice)
		return -EINVAL;
	load_types(choice);
	RCU_INIT_POINTER(c->chooser.choice, choice);
	params->replacement = choice->spec.candidates[0].replacement;
	params->admission = choice->spec.candidates[0].admission;
	return 0;
}

/**
 * dmsc_auto_start() - begin the choice that dmsc_auto_prepare() has found
 * @c: cache that is being constructed, with its engine
 * @error: reason of a failure
 *
 * Context: may sleep.
 * Return: 0 or -errno.
 */
int dmsc_auto_start(struct dmsc_cache *c, struct ssdc_error *error)
{
	struct dmsc_choice *choice = rcu_dereference_protected(c->chooser.choice, true);
	int r = choice ? begin(c, choice, error) : 0;

	if (!r)
		set_choice(c, choice);
	return r;
}

/**
 * dmsc_auto_destroy() - end the choice of a cache that is being destroyed
 * @c: cache, also one that is only partly constructed, without file functions
 *
 * Context: may sleep.
 */
void dmsc_auto_destroy(struct dmsc_cache *c)
{
	struct dmsc_choice *choice = rcu_dereference_protected(c->chooser.choice, true);

	cancel_work_sync(&c->chooser.work);
	set_choice(c, NULL);
	dmsc_choice_free(choice);
}

static void stop(struct dmsc_cache *c, bool stopped)
{
	mutex_lock(&c->control);
	c->chooser.stopped = stopped;
	mutex_unlock(&c->control);
}

/**
 * dmsc_auto_suspend() - change no policies, and run no shadows, until dmsc_auto_resume()
 * @c: cache without requests
 *
 * Context: may sleep.
 */
void dmsc_auto_suspend(struct dmsc_cache *c)
{
	stop(c, true);
	cancel_work_sync(&c->chooser.work);
}

/**
 * dmsc_auto_resume() - undo dmsc_auto_suspend()
 * @c: cache
 *
 * Context: may sleep.
 */
void dmsc_auto_resume(struct dmsc_cache *c)
{
	stop(c, false);
	if (rcu_access_pointer(c->chooser.choice))
		queue_work(queue, &c->chooser.work);
}

/**
 * dmsc_auto_exchange() - exchange the choices of two tables, one of which takes over the engines of
 * the other
 * @c: cache, which has not been resumed
 * @old: cache, which is suspended
 *
 * Context: @control of both is held.
 */
void dmsc_auto_exchange(struct dmsc_cache *c, struct dmsc_cache *old)
{
	struct dmsc_choice *mine = dmsc_auto_of(c), *other = dmsc_auto_of(old);

	/*
	 * Neither cache has requests, so no request feeds both choices. First, the requests that
	 * the old cache has counted are added to its choice.
	 */
	set_choice(old, other);
	set_choice(c, other);
	set_choice(old, mine);
}

/**
 * dmsc_auto_reset_stats() - zero the counters of the choice and of its shadows
 * @c: cache
 *
 * Context: @control is held.
 */
void dmsc_auto_reset_stats(struct dmsc_cache *c)
{
	struct dmsc_choice *choice = dmsc_auto_of(c);

	if (!choice)
		return;
	spin_lock(&c->chooser.lock);
	dmsc_auto_catch_up(&c->chooser);
	ssdc_auto_reset_stats(choice->a);
	ssdc_shadows_reset_stats(choice->a->shadows);
	spin_unlock(&c->chooser.lock);
}

/* ---- the module ---- */

int dmsc_auto_register(void)
{
	queue = alloc_workqueue("ssdcache-auto", WQ_UNBOUND, 0);
	return queue ? 0 : -ENOMEM;
}

void dmsc_auto_unregister(void)
{
	destroy_workqueue(queue);
}
