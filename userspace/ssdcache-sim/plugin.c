// SPDX-License-Identifier: GPL-2.0
/*
 * --plugin: policies in shared objects. The functions of include/dm-ssdcache-policy.h as the
 * simulator has them; dm-ssdcache/driver/ssdcache/policies.c is the kernel's counterpart.
 */
#include <dlfcn.h>
#include <string.h>
#include "../../include/dm-ssdcache-policy.h"
#include "plugin.h"
#include "plugin-check.h"
#include "sim.h"

static const char *loading;		/* the file, as the user named it */
static unsigned int registered;		/* types, by all files so far */
static struct ssdc_replacement_type **policies;	/* those of them that are replacement policies */
static size_t nr_policies;
static const char **files;		/* so far */
static size_t nr_files;

/* Unlike the kernel's, does not return an error: the simulator ends with the reason. */
int ssdc_plugin_register_owned(struct ssdc_plugin_type *type, struct module *owner)
{
	struct ssdc_error error;

	(void)owner;
	if (ssdc_type_check(type, &error))
		die(TOOL_BAD_USAGE, "--plugin %s: %s", loading, error.text);
	registered++;
	if (type->kind == SSDC_REPLACEMENT) {
		policies = xrealloc(policies, nr_policies + 1, sizeof(*policies));
		policies[nr_policies++] = (struct ssdc_replacement_type *)type;
	}
	return ssdc_type_register(type);
}
EXPORT_SYMBOL_GPL(ssdc_plugin_register_owned);

void ssdc_plugin_unregister(struct ssdc_plugin_type *type)
{
	ssdc_type_unregister(type);
}
EXPORT_SYMBOL_GPL(ssdc_plugin_unregister);

/* dlopen() looks for a name without a slash in the system's folders; the user means this one. */
static void *open_file(const char *file)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s%s", strchr(file, '/') ? "" : "./", file);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/**
 * sim_plugin_load() - load a shared object and have it register its plug-ins
 * @file: its name
 *
 * Ends the program if the file cannot be loaded or registers nothing.
 */
void sim_plugin_load(const char *file)
{
	unsigned int before = registered;
	int (*init)(void);
	void *object;
	int r = 0;

	loading = file;
	object = open_file(file);
	if (!object)
		die(TOOL_BAD_USAGE, "--plugin: %s", dlerror());
	*(void **)&init = dlsym(object, "ssdc_module_init");
	if (init)
		r = init();
	if (r)
		die(TOOL_FAILED, "--plugin %s: its init function returned %d", file, r);
	if (registered == before)
		die(TOOL_BAD_USAGE,
		    "--plugin %s: registers no policy; is ssdc_module_plugin() missing?", file);
	files = xrealloc(files, nr_files + 1, sizeof(*files));
	files[nr_files++] = file;
}

/* Check the answers of all replacement policies that were loaded; a wrong one ends the program. */
void sim_plugins_check(void)
{
	size_t i;

	for (i = 0; i < nr_policies; i++)
		sim_plugin_check(policies[i]);
}

/* Is a policy from a shared object? By its name, as --log-decisions wraps its type. */
bool sim_plugin_is_loaded(const struct ssdc_replacement *r)
{
	size_t i;

	for (i = 0; i < nr_policies; i++)
		if (!strcmp(policies[i]->plugin.info.name, r->plugin.type->info.name))
			return true;
	return false;
}

/* The name of a file that was loaded, from 0; NULL after the last. */
const char *sim_plugin_file(size_t i)
{
	return i < nr_files ? files[i] : NULL;
}
