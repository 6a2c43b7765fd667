/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the three kinds of plug-in (replacement, admission, prefetch) have in
 * common: a name, its provenance, its tunables and its statistics.
 */
#ifndef SSDC_PLUGIN_H
#define SSDC_PLUGIN_H

#include <linux/list.h>
#include "../base/describe.h"

struct ssdc_engine;
struct ssdc_plugin;

/* Pages that a piece of background work deals with under the lock, or so. */
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
 * struct ssdc_plugin_info - the visible side of a plug-in
 * @name: as in table lines and messages, at most SSDC_NAME_LEN - 1 characters
 * @source: the publication it follows
 * @status: "as published", or what in it is a stand-in and why
 * @doc: one line for `ssdcachectl policies`
 * @tunables: offsets into the instance
 * @stats: offsets into the instance
 * @instance_bytes: size of the instance; the type's own struct starts with
 *	struct ssdc_plugin
 * @page_bytes: memory it needs per page beyond struct ssdc_entry
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
};

/**
 * struct ssdc_plugin_type - registered once for each plug-in
 * @kind: which of the three
 * @info: the visible side
 * @owner: the module that holds the code (a struct module *), NULL when built in;
 *	set by registering it
 * @node: in the list of types that were registered from outside
 * @step: optional. Do a bounded piece (of SSDC_STEP_FRAMES pages or so) of work that takes
 *	too long for the other ops, and say whether there is more. Called under the
 *	engine's lock, off the requests' way, after an op of the plug-in has set
 *	@wants_step of the instance, and again until it says that it is done. Requests
 *	are served between two pieces, so work on a copy of what their decisions use. Not
 *	called while the device is suspended, nor for a policy that is being replaced
 */
struct ssdc_plugin_type {
	enum ssdc_kind kind;
	struct ssdc_plugin_info info;
	void *owner;
	struct list_head node;
	bool (*step)(struct ssdc_plugin *plugin);
};

/* The start of every plug-in instance. */
struct ssdc_plugin {
	const struct ssdc_plugin_type *type;
	struct ssdc_engine *engine;
	bool wants_step;	/* set by the plug-in if its type has step() */
};

const char *ssdc_kind_name(enum ssdc_kind kind);

/* Built-in types, then the registered ones; NULL after the last. */
const struct ssdc_plugin_type *ssdc_type_next(enum ssdc_kind kind,
					      const struct ssdc_plugin_type *prev);
const struct ssdc_plugin_type *ssdc_type_find(enum ssdc_kind kind, const char *name, size_t len);
int ssdc_type_register(struct ssdc_plugin_type *type);
void ssdc_type_unregister(struct ssdc_plugin_type *type);

/*
 * A spec is one word, "NAME" or "NAME:key=value,key=value": the same in table
 * lines, messages, ssdcachectl and ssdcache-sim.
 *
 * ssdc_spec_type() finds the type a spec names. ssdc_plugin_create() makes an
 * instance with its tunables set; it may sleep and the caller frees it with
 * ssdc_plugin_destroy(); who changes a tunable of one in use calls
 * ssdc_plugin_tuned(). ssdc_spec_print() writes the spec back, tunables at
 * their defaults left out.
 */
const struct ssdc_plugin_type *ssdc_spec_type(enum ssdc_kind kind, const char *spec,
					      struct ssdc_error *error);
struct ssdc_plugin *ssdc_plugin_create(enum ssdc_kind kind, const char *spec,
				       struct ssdc_engine *engine, struct ssdc_error *error);
void ssdc_plugin_destroy(struct ssdc_plugin *plugin);
void ssdc_plugin_tuned(struct ssdc_plugin *plugin);
int ssdc_spec_print(const struct ssdc_plugin *plugin, char *buf, size_t size);

/* The built-in types in the order in which they are listed, then NULL. In builtin.c. */
extern struct ssdc_plugin_type *const ssdc_builtin_types[];

/* Each of them: "extern struct ssdc_replacement_type ssdc_lru;" */
#define SSDC_BUILTIN(kind, file, type) extern struct ssdc_##kind##_type type;
#define SSDC_HELPER(kind, file)
#include "../builtin.h"

#endif /* SSDC_PLUGIN_H */
