// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include "../../dm-ssdcache/engine/engine.h"

struct knobs {
	u32 pages;
	u32 mode;
};

static const char *const modes[] = { "slow", "fast", NULL };

static const struct ssdc_tunable knob_table[] = {
	{ "pages", "pages", "a number", offsetof(struct knobs, pages), 7, 2, 500, NULL },
	{ "mode", "", "a word", offsetof(struct knobs, mode), 1, 0, 0, modes },
};

struct numbers {
	u64 wide;
	u32 narrow;
	u32 level;
};

static const struct ssdc_stat number_table[] = {
	SSDC_STAT(struct numbers, wide, "wide", "pages", SSDC_COUNTER, "64 bits"),
	SSDC_STAT(struct numbers, narrow, "narrow", "pages", SSDC_COUNTER, "32 bits"),
	SSDC_STAT(struct numbers, level, "level", "pages", SSDC_GAUGE, "a level"),
};

struct word_case {
	const char *text;
	int ret;
	u64 value;
};

static void word_desc(const struct word_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "'%s'", c->text);
}

static const struct word_case number_words[] = {
	{ "0", 0, 0 },
	{ "7", 0, 7 },
	{ "0010", 0, 10 },
	{ "18446744073709551615", 0, U64_MAX },
	{ "18446744073709551616", -ERANGE },
	{ "18446744073709551620", -ERANGE },
	{ "99999999999999999999999", -ERANGE },
	{ "", -EINVAL },
	{ "-1", -EINVAL },
	{ "+1", -EINVAL },
	{ " 1", -EINVAL },
	{ "1 ", -EINVAL },
	{ "1\t", -EINVAL },
	{ "0x10", -EINVAL },
	{ "1k", -EINVAL },
	{ "one", -EINVAL },
};

KUNIT_ARRAY_PARAM(number_word, number_words, word_desc);

static void describe_parse_number(struct kunit *test)
{
	const struct word_case *c = test->param_value;
	u64 value = 4711;

	KUNIT_EXPECT_EQ(test, ssdc_parse_u64(c->text, strlen(c->text), &value), c->ret);
	KUNIT_EXPECT_EQ(test, value, c->ret ? 4711 : c->value);
}

static void describe_parse_number_stops_at_length(struct kunit *test)
{
	u64 value;

	KUNIT_EXPECT_EQ(test, ssdc_parse_u64("123,4", 3, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 123ULL);
}

static const struct word_case size_words[] = {
	{ "0", 0, 0 },
	{ "512", 0, 512 },
	{ "4k", 0, 4096 },
	{ "4K", 0, 4096 },
	{ "64M", 0, 64ULL << 20 },
	{ "64m", 0, 64ULL << 20 },
	{ "3g", 0, 3ULL << 30 },
	{ "3G", 0, 3ULL << 30 },
	{ "2t", 0, 2ULL << 40 },
	{ "2T", 0, 2ULL << 40 },
	{ "16777215t", 0, 16777215ULL << 40 },
	{ "16777216t", -ERANGE },
	{ "18014398509481984k", -ERANGE },
	{ "", -EINVAL },
	{ "k", -EINVAL },
	{ "4kk", -EINVAL },
	{ "4kb", 0, 4096 },
	{ "64MB", 0, 64ULL << 20 },
	{ "16MiB", 0, 16ULL << 20 },
	{ "2gib", 0, 2ULL << 30 },
	{ "16777216tb", -ERANGE },
	{ "4b", -EINVAL },
	{ "4ib", -EINVAL },
	{ "4kib4", -EINVAL },
	{ "b", -EINVAL },
	{ "kib", -EINVAL },
	{ "1.5m", -EINVAL },
	{ "-4k", -EINVAL },
};

KUNIT_ARRAY_PARAM(size_word, size_words, word_desc);

static void describe_parse_size(struct kunit *test)
{
	const struct word_case *c = test->param_value;
	u64 bytes = 4711;

	KUNIT_EXPECT_EQ(test, ssdc_parse_size(c->text, strlen(c->text), &bytes), c->ret);
	KUNIT_EXPECT_EQ(test, bytes, c->ret ? 4711 : c->value);
}

static const struct word_case printed_sizes[] = {
	{ "0", 0, 0 },
	{ "1", 0, 1 },
	{ "1023", 0, 1023 },
	{ "1k", 0, 1024 },
	{ "1025", 0, 1025 },
	{ "1536k", 0, 1536 << 10 },
	{ "64m", 0, 64 << 20 },
	{ "5g", 0, 5ULL << 30 },
	{ "5121m", 0, 5121ULL << 20 },
	{ "2t", 0, 2ULL << 40 },
	{ "18446744073709551615", 0, U64_MAX },
};

KUNIT_ARRAY_PARAM(printed_size, printed_sizes, word_desc);

static void describe_print_size_round_trip(struct kunit *test)
{
	const struct word_case *c = test->param_value;
	char text[32];
	u64 bytes;
	int len;

	len = ssdc_print_size(c->value, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text, c->text);
	KUNIT_EXPECT_EQ(test, len, (int)strlen(text));
	KUNIT_ASSERT_EQ(test, ssdc_parse_size(text, len, &bytes), 0);
	KUNIT_EXPECT_EQ(test, bytes, c->value);
}

static void describe_print_size_stays_in_the_buffer(struct kunit *test)
{
	char text[4] = "xxx";

	KUNIT_EXPECT_EQ(test, ssdc_print_size(123456789, text, 3), 2);
	KUNIT_EXPECT_STREQ(test, text, "12");
}

static void describe_defaults(struct kunit *test)
{
	struct knobs knobs = { 1, 0 };

	ssdc_tunables_default(knob_table, ARRAY_SIZE(knob_table), &knobs);
	KUNIT_EXPECT_EQ(test, knobs.pages, 7u);
	KUNIT_EXPECT_EQ(test, knobs.mode, 1u);
}

static void describe_find(struct kunit *test)
{
	unsigned int nr = ARRAY_SIZE(knob_table);

	KUNIT_EXPECT_PTR_EQ(test, ssdc_tunable_find(knob_table, nr, "mode", 4), &knob_table[1]);
	KUNIT_EXPECT_PTR_EQ(test, ssdc_tunable_find(knob_table, nr, "pages=3", 5), &knob_table[0]);
	KUNIT_EXPECT_NULL(test, ssdc_tunable_find(knob_table, nr, "page", 4));
	KUNIT_EXPECT_NULL(test, ssdc_tunable_find(knob_table, nr, "pagess", 6));
	KUNIT_EXPECT_NULL(test, ssdc_tunable_find(knob_table, nr, "", 0));
	KUNIT_EXPECT_NULL(test, ssdc_tunable_find(NULL, 0, "mode", 4));
}

static int parse(const struct ssdc_tunable *tunable, const char *word, u32 *value)
{
	struct ssdc_error error = {};

	return ssdc_tunable_parse(tunable, word, strlen(word), value, &error);
}

static void describe_tunable_range(struct kunit *test)
{
	u32 value = 4711;

	KUNIT_EXPECT_EQ(test, parse(&knob_table[0], "2", &value), 0);
	KUNIT_EXPECT_EQ(test, value, 2u);
	KUNIT_EXPECT_EQ(test, parse(&knob_table[0], "500", &value), 0);
	KUNIT_EXPECT_EQ(test, value, 500u);
	KUNIT_EXPECT_EQ(test, parse(&knob_table[0], "1", &value), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse(&knob_table[0], "501", &value), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse(&knob_table[0], "4294967298", &value), -EINVAL);
	KUNIT_EXPECT_EQ(test, value, 500u);
}

static void describe_number_error_names_word_and_range(struct kunit *test)
{
	struct ssdc_error error = {};
	u32 value;

	ssdc_tunable_parse(&knob_table[0], "many,mode=fast", 4, &value, &error);
	KUNIT_EXPECT_STREQ(test, error.text,
			   "pages: \"many\" is not a number from 2 to 500 pages");
}

static void describe_choice_error_names_word_and_choices(struct kunit *test)
{
	struct ssdc_error error = {};
	u32 value;

	ssdc_tunable_parse(&knob_table[1], "faster", 6, &value, &error);
	KUNIT_EXPECT_STREQ(test, error.text, "mode: \"faster\" is not one of slow, fast");
}

static void describe_long_word_is_cut(struct kunit *test)
{
	struct ssdc_error error = {};
	char word[301];
	u32 value;

	memset(word, 'x', 300);
	word[300] = '\0';
	ssdc_tunable_parse(&knob_table[0], word, 300, &value, &error);
	KUNIT_EXPECT_NOT_NULL(test, strstr(error.text, "from 2 to 500 pages"));
}

static void describe_word_must_match_as_a_whole(struct kunit *test)
{
	struct ssdc_error error = {};
	u32 value = 4711;

	KUNIT_EXPECT_EQ(test, parse(&knob_table[1], "fas", &value), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse(&knob_table[1], "1", &value), -EINVAL);
	KUNIT_EXPECT_EQ(test, parse(&knob_table[1], "", &value), -EINVAL);
	KUNIT_EXPECT_EQ(test, value, 4711u);
	KUNIT_EXPECT_EQ(test, ssdc_tunable_parse(&knob_table[1], "slowly", 4, &value, &error), 0);
	KUNIT_EXPECT_EQ(test, value, 0u);
}

static void describe_stat_widths(struct kunit *test)
{
	struct numbers n = { 1ULL << 40, 5, 6 };

	KUNIT_EXPECT_EQ(test, ssdc_stat_read(&number_table[0], &n), 1ULL << 40);
	KUNIT_EXPECT_EQ(test, ssdc_stat_read(&number_table[1], &n), 5ULL);
	KUNIT_EXPECT_EQ(test, ssdc_stat_read(&number_table[2], &n), 6ULL);
}

struct rows {
	u32 before;
	u32 narrow[3];
	u64 wide[2];
	u64 after;
};

static const struct ssdc_stat row_table[] = {
	SSDC_STAT_ROW(struct rows, narrow, "narrow", "", SSDC_COUNTER, "three numbers"),
	SSDC_STAT_ROW(struct rows, wide, "wide", "", SSDC_GAUGE, "two numbers"),
	SSDC_STAT(struct rows, after, "after", "", SSDC_GAUGE, "one number"),
};

static void describe_rows(struct kunit *test)
{
	struct rows rows = { 1, { 2, 3, U32_MAX }, { U64_MAX, 0 }, 7 };
	char text[64];

	KUNIT_EXPECT_EQ(test, ssdc_stat_count(&row_table[0]), 3u);
	KUNIT_EXPECT_EQ(test, ssdc_stat_count(&row_table[2]), 1u);
	KUNIT_EXPECT_EQ(test, ssdc_stat_read_at(&row_table[0], &rows, 2), (u64)U32_MAX);
	KUNIT_EXPECT_EQ(test, ssdc_stat_print(&row_table[0], &rows, text, sizeof(text)), 14);
	KUNIT_EXPECT_STREQ(test, text, "2 3 4294967295");
	ssdc_stat_print(&row_table[1], &rows, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text, "18446744073709551615 0");
	ssdc_stat_print(&row_table[2], &rows, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text, "7");
	KUNIT_EXPECT_EQ(test, ssdc_stat_print(&row_table[0], &rows, text, 4), 3);
	KUNIT_EXPECT_STREQ(test, text, "2 3");

	ssdc_stats_reset(row_table, ARRAY_SIZE(row_table), &rows);
	KUNIT_EXPECT_EQ(test, rows.before, 1u);
	KUNIT_EXPECT_EQ(test, rows.narrow[0] | rows.narrow[1] | rows.narrow[2], 0u);
	KUNIT_EXPECT_EQ(test, rows.wide[0], U64_MAX);
}

/* Counters and amounts of shards add up; of other gauges the largest stands for all. */
static void describe_merge(struct kunit *test)
{
	const struct rows shards[] = {
		{ 1, { 2, 3, U32_MAX }, { 9, 4 }, 7 }, { 1, { 5, 0, 1 }, { 8, 6 }, 2 },
	};
	const struct numbers levels[] = { { 1, 2, 6 }, { 3, 4, U32_MAX } };
	u64 narrow[3] = {}, wide[2] = {}, after = 0, level = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shards); i++) {
		ssdc_stat_merge(&row_table[0], &shards[i], narrow);
		ssdc_stat_merge(&row_table[1], &shards[i], wide);
		ssdc_stat_merge(&row_table[2], &shards[i], &after);
		ssdc_stat_merge(&number_table[2], &levels[i], &level);
	}
	KUNIT_EXPECT_EQ(test, narrow[0], 7ULL);
	KUNIT_EXPECT_EQ(test, narrow[1], 3ULL);
	KUNIT_EXPECT_EQ(test, narrow[2], 1ULL + U32_MAX);
	KUNIT_EXPECT_EQ(test, wide[0], 9ULL);
	KUNIT_EXPECT_EQ(test, wide[1], 6ULL);
	KUNIT_EXPECT_EQ(test, after, 7ULL);
	KUNIT_EXPECT_EQ(test, level, 6ULL + U32_MAX);
}

static void describe_reset_leaves_gauges(struct kunit *test)
{
	struct numbers n = { U64_MAX, U32_MAX, 6 };

	ssdc_stats_reset(number_table, ARRAY_SIZE(number_table), &n);
	KUNIT_EXPECT_EQ(test, n.wide, 0ULL);
	KUNIT_EXPECT_EQ(test, n.narrow, 0u);
	KUNIT_EXPECT_EQ(test, n.level, 6u);
}

/* Print and parse again several valid values of a tunable. */
static void round_trip(struct kunit *test, const struct ssdc_tunable *tunable)
{
	u32 values[] = { tunable->def, tunable->min, tunable->max };
	struct ssdc_error error = {};
	char text[48];
	u32 i, value;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		int len = ssdc_tunable_print(tunable, values[i], text, sizeof(text));

		KUNIT_EXPECT_EQ_MSG(test, ssdc_tunable_parse(tunable, text, len, &value, &error),
				    0, "%s: %s", tunable->name, error.text);
		KUNIT_EXPECT_EQ_MSG(test, value, values[i], "%s", tunable->name);
	}
}

static void check_texts(struct kunit *test, const char *name, const char *unit, const char *doc)
{
	KUNIT_EXPECT_TRUE(test, name && name[0]);
	KUNIT_EXPECT_TRUE_MSG(test, doc && doc[0] && !strchr(doc, '\n'), "%s", name);
	KUNIT_EXPECT_NOT_NULL_MSG(test, unit, "%s", name);
	KUNIT_EXPECT_NULL_MSG(test, strpbrk(name, " \t\n=,:"), "%s", name);
}

static void check_tunables(struct kunit *test, const struct ssdc_tunable *table, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		check_texts(test, table[i].name, table[i].unit, table[i].doc);
		KUNIT_EXPECT_PTR_EQ_MSG(test, &table[i],
					ssdc_tunable_find(table, nr, table[i].name,
							  strlen(table[i].name)),
					"%s is there twice", table[i].name);
		if (!table[i].words)
			KUNIT_EXPECT_LE_MSG(test, table[i].min, table[i].max, "%s", table[i].name);
		round_trip(test, &table[i]);
	}
}

static void check_stats(struct kunit *test, const struct ssdc_stat *table, unsigned int nr)
{
	unsigned int i, j;

	for (i = 0; i < nr; i++) {
		check_texts(test, table[i].name, table[i].unit, table[i].doc);
		KUNIT_EXPECT_TRUE_MSG(test, table[i].width == 4 || table[i].width == 8, "%s",
				      table[i].name);
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_TRUE_MSG(test, strcmp(table[i].name, table[j].name),
					      "%s is there twice", table[i].name);
	}
}

/* All rows of all tables of the module. */
static void describe_all_tables(struct kunit *test)
{
	enum ssdc_kind kind;

	check_tunables(test, ssdc_core_tunable_table, ssdc_nr_core_tunables);
	check_stats(test, ssdc_core_stat_table, ssdc_nr_core_stats);
	for (kind = 0; kind < SSDC_NR_KINDS; kind++) {
		const struct ssdc_plugin_type *type = NULL;

		while ((type = ssdc_type_next(kind, type))) {
			check_texts(test, type->info.name, type->info.source, type->info.doc);
			KUNIT_EXPECT_NOT_NULL(test, type->info.status);
			check_tunables(test, type->info.tunables, type->info.nr_tunables);
			check_stats(test, type->info.stats, type->info.nr_stats);
		}
	}
}

static struct kunit_case describe_cases[] = {
	KUNIT_CASE_PARAM(describe_parse_number, number_word_gen_params),
	KUNIT_CASE(describe_parse_number_stops_at_length),
	KUNIT_CASE_PARAM(describe_parse_size, size_word_gen_params),
	KUNIT_CASE_PARAM(describe_print_size_round_trip, printed_size_gen_params),
	KUNIT_CASE(describe_print_size_stays_in_the_buffer),
	KUNIT_CASE(describe_defaults),
	KUNIT_CASE(describe_find),
	KUNIT_CASE(describe_tunable_range),
	KUNIT_CASE(describe_number_error_names_word_and_range),
	KUNIT_CASE(describe_choice_error_names_word_and_choices),
	KUNIT_CASE(describe_long_word_is_cut),
	KUNIT_CASE(describe_word_must_match_as_a_whole),
	KUNIT_CASE(describe_stat_widths),
	KUNIT_CASE(describe_rows),
	KUNIT_CASE(describe_merge),
	KUNIT_CASE(describe_reset_leaves_gauges),
	KUNIT_CASE(describe_all_tables),
	{}
};

static struct kunit_suite describe_suite = {
	.name = "ssdcache_describe",
	.test_cases = describe_cases,
};

kunit_test_suite(describe_suite);
