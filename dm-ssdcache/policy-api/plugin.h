/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The common part of the three kinds of plug-in: replacement policies, admission schemes and
 * prefetchers have a name, a source, tunables, statistics and, if needed, background steps.
 */
#ifndef SSDC_PLUGIN_H
#define SSDC_PLUGIN_H

#include <linux/list.h>
#include "tier.h"
#include "../base/describe.h"

struct ssdc_plugin;

/* Handle about this many pages per background step. */
#define SSDC_STEP_FRAMES 64

enum ssdc_kind {
	SSDC_REPLACEMENT,
	SSDC_ADMISSION,
	SSDC_PREFETCH,
	SSDC_NR_KINDS,
};

#define SSDC_NAME_LEN 24
#define SSDC_SPEC_LEN 256

/**
 * struct ssdc_plugin_info - description of a plug-in for users
 * @name: in table lines and messages; at most SSDC_NAME_LEN - 1 characters
 * @source: the publication that it follows, or "textbook"
 * @status: "as published", or what differs and why
 * @doc: one line for "ssdcachectl policies"
 * @tunables: table of tunables, offsets into the instance; NULL if @nr_tunables is 0
 * @nr_tunables: rows of @tunables
 * @stats: table of statistics, offsets into the instance; NULL if @nr_stats is 0
 * @nr_stats: rows of @stats
 * @instance_bytes: size of the plug-in's own instance structure
 * @page_bytes: memory that it needs per page, in addition to struct ssdc_entry
 * @on_request: tools that compare policies include it only on request, as similar plug-ins are
 *	included anyway: it was made for caches in general, or is known from an abstract only
 */
struct ssdc_plugin_info {
	const char *name;
	const char *source;
	const char *status;
	const char *doc;
	const struct ssdc_tunable *tunables;
	unsigned int nr_tunables;
	const struct ssdc_stat *stats;
	unsigned int nr_stats;
	size_t instance_bytes;
	unsigned int page_bytes;
	bool on_request;
};

/**
 * struct ssdc_plugin_type - code and description of a plug-in, shared by its instances
 * @kind: replacement, admission or prefetch
 * @info: description for users
 * @owner: the module that holds the code (struct module *), NULL if built in; set by
 *	ssdc_plugin_register()
 * @node: private to registry.c
 * @step: optional. Do one bounded piece of deferred work, about SSDC_STEP_FRAMES pages, and return
 *	whether more is left. Use it for work too long for the other ops: set @wants_step of the
 *	instance in any op, and the engine calls step() until it returns false. Context: the
 *	engine's lock, which is dropped after each step. Steps are background work. But if the
 *	decision of a request made a policy want steps, the request waits for the steps before its
 *	next decision. It may run them itself, up to 16 plus one per 16 frames, which is more than
 *	one build of a graph takes. Other requests run between two steps, so work on a copy of the
 *	data that decisions use, and replace the data in the last step. The engine does not call
 *	step() while the device is suspended, nor on a policy that is being replaced.
 */
struct ssdc_plugin_type {
	enum ssdc_kind kind;
	struct ssdc_plugin_info info;
	void *owner;
	struct list_head node;
	bool (*step)(struct ssdc_plugin *plugin);
};

/**
 * struct ssdc_plugin - the first member of every instance
 * @type: its type
 * @tier: the DRAM tier that the instance serves
 * @wants_step: call @type->step(); set by the plug-in, cleared by the engine
 */
struct ssdc_plugin {
	const struct ssdc_plugin_type *type;
	const struct ssdc_tier *tier;
	bool wants_step;
};

const char *ssdc_kind_name(enum ssdc_kind kind);

const struct ssdc_plugin_type *ssdc_type_next(enum ssdc_kind kind,
					      const struct ssdc_plugin_type *prev);
const struct ssdc_plugin_type *ssdc_type_find(enum ssdc_kind kind, const char *name, size_t len);
int ssdc_type_check(const struct ssdc_plugin_type *type, struct ssdc_error *error);
int ssdc_type_register(struct ssdc_plugin_type *type);
void ssdc_type_unregister(struct ssdc_plugin_type *type);

/*
 * A spec names a plug-in and sets its tunables: "NAME" or "NAME:key=value,key=value". Table
 * lines, messages, sysfs, ssdcachectl and ssdcache-sim all use specs.
 */
const struct ssdc_plugin_type *ssdc_spec_type(enum ssdc_kind kind, const char *spec,
					      struct ssdc_error *error);
struct ssdc_plugin *ssdc_plugin_create(enum ssdc_kind kind, const char *spec,
				       const struct ssdc_tier *tier, struct ssdc_error *error);
void ssdc_plugin_destroy(struct ssdc_plugin *plugin);
void ssdc_plugin_tuned(struct ssdc_plugin *plugin);
int ssdc_spec_print(const struct ssdc_plugin *plugin, char *buf, size_t size);

/* The built-in types in the order of builtin.h, then NULL. */
extern struct ssdc_plugin_type *const ssdc_builtin_types[];

/* Declare each built-in type, as in "extern struct ssdc_replacement_type ssdc_lru;". */
#define SSDC_BUILTIN(kind, file, type) extern struct ssdc_##kind##_type type;
#define SSDC_HELPER(kind, file)
#include "../builtin.h"

#endif /* SSDC_PLUGIN_H */
