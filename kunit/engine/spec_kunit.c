// SPDX-License-Identifier: GPL-2.0
#include "driver.h"

struct spec_case {
	enum ssdc_kind kind;
	const char *spec;
	const char *text;	/* as printed back, or the error; NULL: the name is unknown */
};

static void spec_desc(const struct spec_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "'%s'", c->spec);
}

static const struct spec_case good_specs[] = {
	{ SSDC_REPLACEMENT, "fifo", "fifo" },
	{ SSDC_REPLACEMENT, "lru", "lru" },
	{ SSDC_REPLACEMENT, "lfu", "lfu" },
	{ SSDC_REPLACEMENT, "cflru", "cflru" },
	{ SSDC_REPLACEMENT, "cflru-ef", "cflru-ef" },
	{ SSDC_REPLACEMENT, "cflru-ef-sc", "cflru-ef-sc" },
	{ SSDC_REPLACEMENT, "cflru:window=33", "cflru:window=33" },
	{ SSDC_REPLACEMENT, "cflru:window=50", "cflru" },
	{ SSDC_REPLACEMENT, "cflru:window=10,window=20", "cflru:window=20" },
	{ SSDC_REPLACEMENT, "cflru-ef:threshold=70", "cflru-ef:threshold=70" },
	{ SSDC_REPLACEMENT, "cflru-ef-sc:ef_batch=4,adapt=off",
	  "cflru-ef-sc:adapt=off,ef_batch=4" },
	{ SSDC_REPLACEMENT, "cflru-ef-sc:threshold=80,adapt=on,ef_batch=0,period=1000,step=5",
	  "cflru-ef-sc" },
	{ SSDC_REPLACEMENT, "cflru-ef-sc:step=50,period=1,ef_batch=256,adapt=off,threshold=0",
	  "cflru-ef-sc:threshold=0,adapt=off,ef_batch=256,period=1,step=50" },
	{ SSDC_REPLACEMENT, "fab", "fab" },
	{ SSDC_REPLACEMENT, "bplru:padding=on,block=256", "bplru:block=256,padding=on" },
	{ SSDC_REPLACEMENT, "vbbms:profile=s000,random_share=60", "vbbms:profile=s000" },
	{ SSDC_REPLACEMENT, "req-block:literal=on,count=pages,delta=7",
	  "req-block:delta=7,count=pages,literal=on" },
	{ SSDC_REPLACEMENT, "vs-batch:rebuild=100,evict=idle", "vs-batch:evict=idle" },
	{ SSDC_REPLACEMENT, "vs-batch-plus:gap=4,decay=on,rebuild=50",
	  "vs-batch-plus:rebuild=50,decay=on" },
	{ SSDC_REPLACEMENT, "co-active:pause_ms=1,candidates=64,clean_max=0",
	  "co-active:clean_max=0,pause_ms=1" },
	{ SSDC_REPLACEMENT, "ecr:candidates=1,window=25", "ecr:candidates=1" },
	{ SSDC_REPLACEMENT, "lcr:overload=0", "lcr:overload=0" },
	{ SSDC_REPLACEMENT, "mq-ssd:keep_clean=on,budget=1", "mq-ssd:budget=1,keep_clean=on" },
	{ SSDC_ADMISSION, "write-buffer", "write-buffer" },
	{ SSDC_ADMISSION, "read-write", "read-write" },
	{ SSDC_ADMISSION, "l-corw", "l-corw" },
	{ SSDC_ADMISSION, "l-corw:epsilon=10,tt_low=2,period_ms=200",
	  "l-corw:tt_low=2,epsilon=10" },
	{ SSDC_ADMISSION, "corw-1", "corw-1" },
	{ SSDC_ADMISSION, "corw-8:wt_sync=on,cold=0", "corw-8:cold=0,wt_sync=on" },
	{ SSDC_PREFETCH, "none", "none" },
};

KUNIT_ARRAY_PARAM(good_spec, good_specs, spec_desc);

static void spec_round_trip(struct kunit *test)
{
	const struct spec_case *c = test->param_value;
	struct ssdc_error error = {};
	struct ssdc_plugin *plugin, *again;
	char text[SSDC_SPEC_LEN], second[SSDC_SPEC_LEN];

	plugin = ssdc_plugin_create(c->kind, c->spec, NULL, &error);
	KUNIT_ASSERT_NOT_NULL_MSG(test, plugin, "%s", error.text);
	KUNIT_EXPECT_EQ(test, ssdc_spec_print(plugin, text, sizeof(text)), (int)strlen(text));
	ssdc_plugin_destroy(plugin);
	KUNIT_EXPECT_STREQ(test, text, c->text);

	again = ssdc_plugin_create(c->kind, text, NULL, &error);
	KUNIT_ASSERT_NOT_NULL_MSG(test, again, "%s", error.text);
	ssdc_spec_print(again, second, sizeof(second));
	ssdc_plugin_destroy(again);
	KUNIT_EXPECT_STREQ(test, second, text);
}

#define EF_KEYS "threshold adapt ef_batch ef_dies period step charge"
#define CORW_KEYS "period_ms rar_window cold wt_sync"
#define L_CORW_KEYS CORW_KEYS " tt_low tt_high rt_low rt_high ct_low ct_high lambda gamma " \
	"weight epsilon seed"

static const struct spec_case bad_specs[] = {
	{ SSDC_REPLACEMENT, "mru", NULL },
	{ SSDC_REPLACEMENT, "", NULL },
	{ SSDC_REPLACEMENT, "LRU", NULL },
	{ SSDC_REPLACEMENT, "cflru-e", NULL },
	{ SSDC_REPLACEMENT, "none", NULL },
	{ SSDC_REPLACEMENT, "mru:window=1", NULL },
	{ SSDC_REPLACEMENT, "opt:next=any",
	  "replacement: \"opt\" is only in the simulator, where the future is known" },
	{ SSDC_ADMISSION, "lru", NULL },
	{ SSDC_ADMISSION, "corw", NULL },
	{ SSDC_ADMISSION, "corw-9", NULL },
	{ SSDC_ADMISSION, "corw-1:tt=5",
	  "corw-1: \"tt=5\" is not key=value with a key of " CORW_KEYS },
	{ SSDC_ADMISSION, "l-corw:tt=5",
	  "l-corw: \"tt=5\" is not key=value with a key of " L_CORW_KEYS },
	{ SSDC_ADMISSION, "l-corw:gamma=91",
	  "gamma: \"91\" is not a number from 0 to 90 percent" },
	{ SSDC_PREFETCH, "all", NULL },
	{ SSDC_REPLACEMENT, "lru:", "lru: \"\": lru has no keys" },
	{ SSDC_REPLACEMENT, "lru:window=3",
	  "lru: \"window=3\": lru has no keys" },
	{ SSDC_REPLACEMENT, "cflru:", "cflru: \"\" is not key=value with a key of window" },
	{ SSDC_REPLACEMENT, "cflru:window",
	  "cflru: \"window\" is not key=value with a key of window" },
	{ SSDC_REPLACEMENT, "cflru:size=3",
	  "cflru: \"size=3\" is not key=value with a key of window" },
	{ SSDC_REPLACEMENT, "cflru:=3", "cflru: \"=3\" is not key=value with a key of window" },
	{ SSDC_REPLACEMENT, "cflru:window=3,",
	  "cflru: \"\" is not key=value with a key of window" },
	{ SSDC_REPLACEMENT, "cflru:window=",
	  "window: \"\" is not a number from 1 to 100 percent" },
	{ SSDC_REPLACEMENT, "cflru:window=0",
	  "window: \"0\" is not a number from 1 to 100 percent" },
	{ SSDC_REPLACEMENT, "cflru:window=101",
	  "window: \"101\" is not a number from 1 to 100 percent" },
	{ SSDC_REPLACEMENT, "cflru:window==5",
	  "window: \"=5\" is not a number from 1 to 100 percent" },
	{ SSDC_REPLACEMENT, "cflru-ef:adapt=maybe", "adapt: \"maybe\" is not one of off, on" },
	{ SSDC_REPLACEMENT, "cflru-ef-sc:ef_batch=4,threshold=200",
	  "threshold: \"200\" is not a number from 0 to 100 percent" },
	{ SSDC_REPLACEMENT, "fab:block=1", "block: \"1\" is not a number from 2 to 256 pages" },
	{ SSDC_REPLACEMENT, "bplru:block=257",
	  "block: \"257\" is not a number from 2 to 256 pages" },
	{ SSDC_REPLACEMENT, "bplru:padding=yes", "padding: \"yes\" is not one of off, on" },
	{ SSDC_REPLACEMENT, "vbbms:profile=s001",
	  "profile: \"s001\" is not one of s004, s000, lin22, sha23" },
	{ SSDC_REPLACEMENT, "vbbms:random_share=100",
	  "random_share: \"100\" is not a number from 1 to 99 percent" },
	{ SSDC_REPLACEMENT, "req-block:delta=0",
	  "delta: \"0\" is not a number from 1 to 256 pages" },
	{ SSDC_REPLACEMENT, "req-block:count=all", "count: \"all\" is not one of requests, pages" },
	{ SSDC_REPLACEMENT, "vs-batch:evict=all", "evict: \"all\" is not one of idle, one" },
	{ SSDC_REPLACEMENT, "vs-batch-plus:rebuild=294",
	  "rebuild: \"294\" is not a number from 1 to 293 permille" },
	{ SSDC_REPLACEMENT, "ecr:candidates=65",
	  "candidates: \"65\" is not a number from 1 to 64 pages" },
	{ SSDC_REPLACEMENT, "mq-ssd:period_ms=0",
	  "period_ms: \"0\" is not a number from 1 to 3600000 ms" },
	{ SSDC_REPLACEMENT, "cflru-ef-sc:batch=4",
	  "cflru-ef-sc: \"batch=4\" is not key=value with a key of " EF_KEYS },
};

KUNIT_ARRAY_PARAM(bad_spec, bad_specs, spec_desc);

static void spec_error_names_word_and_range(struct kunit *test)
{
	const struct spec_case *c = test->param_value;
	struct ssdc_error error = {};
	struct ssdc_plugin *plugin = ssdc_plugin_create(c->kind, c->spec, NULL, &error);

	KUNIT_EXPECT_NULL(test, plugin);
	KUNIT_EXPECT_STREQ(test, error.text, c->text ? c->text :
			   td_not_one_of(test, c->kind, c->spec));
	ssdc_plugin_destroy(plugin);
}

static void spec_very_long_name(struct kunit *test)
{
	const struct ssdc_plugin_type *first = ssdc_type_next(SSDC_REPLACEMENT, NULL);
	struct ssdc_error error = {};
	char *spec = kunit_kzalloc(test, 5000, GFP_KERNEL);
	char end[64];

	KUNIT_ASSERT_NOT_NULL(test, spec);
	scnprintf(end, sizeof(end), "xxxx\" is not one of %s ", first->info.name);
	memset(spec, 'x', 4999);
	KUNIT_EXPECT_NULL(test, ssdc_plugin_create(SSDC_REPLACEMENT, spec, NULL, &error));
	KUNIT_EXPECT_NOT_NULL(test, strstr(error.text, end));
}

/* A spec that sets all tunables fits into SSDC_SPEC_LEN, and can be parsed again. */
static void check_longest_spec(struct kunit *test, const struct ssdc_plugin_type *type)
{
	const struct ssdc_plugin_info *info = &type->info;
	struct ssdc_error error = {};
	struct ssdc_plugin *plugin = ssdc_plugin_create(type->kind, info->name, NULL, &error);
	char text[SSDC_SPEC_LEN];
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, plugin);
	for (i = 0; i < info->nr_tunables; i++) {
		const struct ssdc_tunable *tunable = &info->tunables[i];
		u32 *value = ssdc_tunable_at(tunable, plugin);

		if (tunable->words)
			*value = !tunable->def;
		else
			*value = tunable->def == tunable->max ? tunable->min : tunable->max;
	}
	KUNIT_EXPECT_LT_MSG(test, ssdc_spec_print(plugin, text, sizeof(text)), SSDC_SPEC_LEN - 1,
			    "%s", text);
	ssdc_plugin_destroy(plugin);
	plugin = ssdc_plugin_create(type->kind, text, NULL, &error);
	KUNIT_EXPECT_NOT_NULL_MSG(test, plugin, "%s", error.text);
	ssdc_plugin_destroy(plugin);
}

static void spec_longest_fits(struct kunit *test)
{
	enum ssdc_kind kind;

	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		const struct ssdc_plugin_type *type = NULL;

		while ((type = ssdc_type_next(kind, type)))
			check_longest_spec(test, type);
	}
}

static void spec_print_stays_in_the_buffer(struct kunit *test)
{
	struct ssdc_error error = {};
	struct ssdc_plugin *plugin;
	char text[10];

	plugin = ssdc_plugin_create(SSDC_REPLACEMENT, "cflru-ef-sc:ef_batch=4", NULL, &error);
	KUNIT_ASSERT_NOT_NULL(test, plugin);
	KUNIT_EXPECT_EQ(test, ssdc_spec_print(plugin, text, sizeof(text)), 9);
	KUNIT_EXPECT_STREQ(test, text, "cflru-ef-");
	ssdc_plugin_destroy(plugin);
}

static bool admit_none(struct ssdc_admission *a, const struct ssdc_host_request *rq,
		       ssdc_page_t page)
{
	return false;
}

static struct ssdc_admission_type outside = {
	.plugin.kind = SSDC_ADMISSION,
	.plugin.info = {
		.name = "outside",
		.source = "a test",
		.status = "as published",
		.doc = "registered from outside",
		.instance_bytes = sizeof(struct ssdc_admission),
	},
	.admit_read = admit_none,
};

static void spec_register_a_type(struct kunit *test)
{
	const struct ssdc_plugin_type *type = &outside.plugin;
	struct ssdc_error error = {};

	KUNIT_EXPECT_NULL(test, ssdc_spec_type(SSDC_ADMISSION, "outside", &error));
	KUNIT_ASSERT_EQ(test, ssdc_type_register(&outside.plugin), 0);
	KUNIT_EXPECT_PTR_EQ(test, ssdc_spec_type(SSDC_ADMISSION, "outside", &error), type);
	KUNIT_EXPECT_NULL(test, ssdc_spec_type(SSDC_PREFETCH, "outside", &error));
	KUNIT_EXPECT_NULL(test, ssdc_type_next(SSDC_ADMISSION, type));
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&outside.plugin), -EEXIST);
	ssdc_type_unregister(&outside.plugin);
	KUNIT_EXPECT_NULL(test, ssdc_spec_type(SSDC_ADMISSION, "outside", &error));
}

static void spec_register_refuses_a_built_in_name(struct kunit *test)
{
	struct ssdc_admission_type twin = outside;

	twin.plugin.info.name = "read-write";
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&twin.plugin), -EEXIST);
}

static void spec_register_refuses_half_a_record(struct kunit *test)
{
	struct ssdc_plugin_info *info;
	struct ssdc_admission_type type;

	info = &type.plugin.info;
	type = outside;
	type.plugin.kind = SSDC_NR_KINDS;
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&type.plugin), -EINVAL);
	type = outside;
	info->name = NULL;
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&type.plugin), -EINVAL);
	info->name = "a-name-of-24-characters-";
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&type.plugin), -EINVAL);
	info->name = "";
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&type.plugin), -EINVAL);
	info->name = "two words";
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&type.plugin), -EINVAL);
	info->name = "name:key";
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&type.plugin), -EINVAL);
	type = outside;
	info->source = NULL;
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&type.plugin), -EINVAL);
	type = outside;
	info->status = NULL;
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&type.plugin), -EINVAL);
	type = outside;
	info->doc = NULL;
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&type.plugin), -EINVAL);
	type = outside;
	info->instance_bytes = sizeof(struct ssdc_plugin) - 1;
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&type.plugin), -EINVAL);
}

/* Each mandatory op. */
static void spec_register_refuses_a_policy_without_its_ops(struct kunit *test)
{
	struct ssdc_replacement_type type = ssdc_lru;
	unsigned int i;

	for (i = 0; i < 7; i++) {
		type = ssdc_lru;
		type.plugin.info.name = "outside";
		switch (i) {
		case 0:
			type.insert = NULL;
			break;
		case 1:
			type.remove = NULL;
			break;
		case 2:
			type.victims = NULL;
			break;
		case 3:
			type.adopt = NULL;
			break;
		case 4:
			type.pop_hottest = NULL;
			break;
		case 5:
			type.check = NULL;
			break;
		case 6:
			type.plugin.info.instance_bytes = sizeof(struct ssdc_replacement) - 1;
			break;
		}
		KUNIT_EXPECT_EQ_MSG(test, ssdc_type_register(&type.plugin), -EINVAL, "%u", i);
	}
}

static void spec_register_refuses_twins_in_a_table(struct kunit *test)
{
	static const struct ssdc_tunable tunables[] = {
		{ "one", "", "a", 0, 0, 0, 1, NULL },
		{ "two", "", "b", 0, 0, 0, 1, NULL },
		{ "one", "", "c", 0, 0, 0, 1, NULL },
	};
	struct ssdc_admission_type type = outside;

	type.plugin.info.tunables = tunables;
	type.plugin.info.nr_tunables = 3;
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&type.plugin), -EINVAL);
	type.plugin.info.nr_tunables = 2;
	KUNIT_EXPECT_EQ(test, ssdc_type_register(&type.plugin), 0);
	ssdc_type_unregister(&type.plugin);
}

static struct kunit_case spec_cases[] = {
	KUNIT_CASE_PARAM(spec_round_trip, good_spec_gen_params),
	KUNIT_CASE_PARAM(spec_error_names_word_and_range, bad_spec_gen_params),
	KUNIT_CASE(spec_very_long_name),
	KUNIT_CASE(spec_longest_fits),
	KUNIT_CASE(spec_print_stays_in_the_buffer),
	KUNIT_CASE(spec_register_a_type),
	KUNIT_CASE(spec_register_refuses_a_built_in_name),
	KUNIT_CASE(spec_register_refuses_half_a_record),
	KUNIT_CASE(spec_register_refuses_a_policy_without_its_ops),
	KUNIT_CASE(spec_register_refuses_twins_in_a_table),
	{}
};

static struct kunit_suite spec_suite = {
	.name = "ssdcache_spec",
	.test_cases = spec_cases,
};

kunit_test_suite(spec_suite);
