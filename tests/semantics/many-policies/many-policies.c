// SPDX-License-Identifier: GPL-2.0
/* Registers as many replacement policies as the parameter nr says: many-0, many-1 and so on, all the same. */
#include "dm-ssdcache-policy.h"

#define MOST 128

struct many {
	struct ssdc_replacement r;	/* must be first */
	struct ssdc_list list;
};

static unsigned int nr = 1;
module_param(nr, uint, 0444);

static struct ssdc_replacement_type types[MOST];
static char names[MOST][SSDC_NAME_LEN];

static struct many *to_many(struct ssdc_replacement *r)
{
	return container_of(r, struct many, r);
}

static int many_create(struct ssdc_replacement *r, struct ssdc_error *error)
{
	ssdc_list_init(&to_many(r)->list);
	return 0;
}

static void many_insert(struct ssdc_replacement *r, ssdc_frame_t frame,
			const struct ssdc_host_request *rq, bool dirty)
{
	ssdc_list_add_head(r->entries, &to_many(r)->list, frame);
}

static void many_hit(struct ssdc_replacement *r, ssdc_frame_t frame,
		     const struct ssdc_host_request *rq, bool write)
{
}

static void many_remove(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_del(r->entries, &to_many(r)->list, frame);
}

static void many_victims(struct ssdc_replacement *r, const struct ssdc_view *view,
			 struct ssdc_batch *batch, unsigned int max)
{
	if (!ssdc_list_empty(&to_many(r)->list))
		ssdc_batch_add(batch, ssdc_list_pop_tail(r->entries, &to_many(r)->list));
}

static void many_adopt(struct ssdc_replacement *r, ssdc_frame_t frame)
{
	ssdc_list_add_tail(r->entries, &to_many(r)->list, frame);
}

static ssdc_frame_t many_pop_hottest(struct ssdc_replacement *r)
{
	return ssdc_list_pop_head(r->entries, &to_many(r)->list);
}

static int many_check(const struct ssdc_replacement *r, struct ssdc_error *finding)
{
	return 0;
}

static void unregister(unsigned int count)
{
	while (count)
		ssdc_plugin_unregister(&types[--count].plugin);
}

static int __init many_init(void)
{
	unsigned int i;
	int r;

	if (nr > MOST)
		return -EINVAL;
	for (i = 0; i < nr; i++) {
		struct ssdc_plugin_type *plugin = &types[i].plugin;

		scnprintf(names[i], sizeof(names[i]), "many-%u", i);
		types[i] = (struct ssdc_replacement_type){
			.create = many_create,
			.insert = many_insert,
			.hit = many_hit,
			.remove = many_remove,
			.victims = many_victims,
			.adopt = many_adopt,
			.pop_hottest = many_pop_hottest,
			.check = many_check,
		};
		plugin->kind = SSDC_REPLACEMENT;
		plugin->info.name = names[i];
		plugin->info.source = "a test";
		plugin->info.status = "a test";
		plugin->info.doc = "one of many policies, all of which are first in, first out";
		plugin->info.instance_bytes = sizeof(struct many);
		r = ssdc_plugin_register(plugin);
		if (r) {
			unregister(i);
			return r;
		}
	}
	return 0;
}

static void __exit many_exit(void)
{
	unregister(nr);
}

module_init(many_init);
module_exit(many_exit);
MODULE_DESCRIPTION("many replacement policies for ssdcache, for tests");
MODULE_LICENSE("GPL");
