// SPDX-License-Identifier: GPL-2.0
/*
 * Words of the spec of a choice.
 */
#include <kunit/test.h>
#include <linux/string.h>
#include "../../dm-ssdcache/auto/auto.h"

static int parse(struct kunit *test, const char *spec, struct ssdc_auto_spec *parsed)
{
	struct ssdc_error error = {};

	KUNIT_ASSERT_TRUE(test, ssdc_auto_is_spec(spec));
	return ssdc_auto_parse(spec, "read-write", parsed, &error);
}

static void auto_spec_defaults(struct kunit *test)
{
	struct ssdc_auto_spec *parsed = kunit_kzalloc(test, sizeof(*parsed), GFP_KERNEL);

	KUNIT_EXPECT_FALSE(test, ssdc_auto_is_spec("automatic"));
	KUNIT_EXPECT_FALSE(test, ssdc_auto_is_spec("lru"));
	KUNIT_ASSERT_EQ(test, parse(test, "auto", parsed), 0);
	/* The first one is live until something is known: the best one on average. */
	KUNIT_EXPECT_STREQ(test, parsed->candidates[0].replacement, "freeboard");
	KUNIT_EXPECT_STREQ(test, parsed->candidates[0].admission, "read-write");
	KUNIT_EXPECT_GE(test, parsed->nr, 2);
	KUNIT_EXPECT_EQ(test, parsed->tunables.goal, SSDC_AUTO_LATENCY);
	KUNIT_EXPECT_EQ(test, parsed->tunables.period, 100);
	KUNIT_EXPECT_EQ(test, parsed->tunables.memory, 20000);
}

/* A policy that flushes early is no default where flushes are the cost. */
static void auto_spec_defaults_by_goal(struct kunit *test)
{
	struct ssdc_auto_spec *parsed = kunit_kzalloc(test, sizeof(*parsed), GFP_KERNEL);
	struct ssdc_error error = {};
	u32 i;

	KUNIT_ASSERT_EQ(test, parse(test, "auto:goal=p99", parsed), 0);
	KUNIT_EXPECT_STREQ(test, parsed->candidates[0].replacement, "freeboard");
	KUNIT_EXPECT_GE(test, parsed->nr, 2);
	KUNIT_ASSERT_EQ(test, parse(test, "auto:goal=flash-writes", parsed), 0);
	KUNIT_EXPECT_STREQ(test, parsed->candidates[0].replacement, "ad-lru");
	KUNIT_EXPECT_GE(test, parsed->nr, 2);
	for (i = 0; i < parsed->nr; i++)
		KUNIT_EXPECT_NE(test, strcmp(parsed->candidates[i].replacement, "freeboard"), 0);
	/* The goal may come after the policies. */
	KUNIT_ASSERT_EQ(test, ssdc_auto_parse("auto", "auto:goal=flash-writes", parsed, &error), 0);
	KUNIT_EXPECT_STREQ(test, parsed->candidates[0].replacement, "ad-lru");
	KUNIT_EXPECT_STREQ(test, parsed->candidates[0].admission, "write-buffer");
	KUNIT_ASSERT_EQ(test, parse(test, "auto:candidates=freeboard,goal=flash-writes", parsed),
			0);
	KUNIT_EXPECT_STREQ(test, parsed->candidates[0].replacement, "freeboard");
}

static void auto_spec_words(struct kunit *test)
{
	static const char spec[] =
"auto:goal=flash-writes,candidates=lfu/write-buffer+cflru:window=30+fifo/l-corw,period=77";
	struct ssdc_auto_spec *parsed = kunit_kzalloc(test, sizeof(*parsed), GFP_KERNEL);

	KUNIT_ASSERT_EQ(test, parse(test, spec, parsed), 0);
	KUNIT_EXPECT_EQ(test, parsed->nr, 3);
	KUNIT_EXPECT_STREQ(test, parsed->candidates[0].replacement, "lfu");
	KUNIT_EXPECT_STREQ(test, parsed->candidates[0].admission, "write-buffer");
	KUNIT_EXPECT_STREQ(test, parsed->candidates[1].replacement, "cflru:window=30");
	KUNIT_EXPECT_STREQ(test, parsed->candidates[1].admission, "read-write");
	KUNIT_EXPECT_STREQ(test, parsed->candidates[2].admission, "l-corw");
	KUNIT_EXPECT_EQ(test, parsed->tunables.goal, SSDC_AUTO_FLASH_WRITES);
	KUNIT_EXPECT_EQ(test, parsed->tunables.period, 77);
}

static void auto_spec_refuses(struct kunit *test)
{
	static const char *const bad[] = {
		"auto:", "auto:period", "auto:period=", "auto:period=9", "auto:hysteresis=100",
		"auto:memory=9", "auto:memory=1000001",
		"auto:goal=hits", "auto:candidates=", "auto:candidates=lru+",
		"auto:candidates=/l-corw",
		"auto:window=3", "auto:period=100,", "auto:change=no", "auto:rate=0",
		"auto:region=48", "auto:candidate=lru",
		"auto:candidates=a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q",
	};
	struct ssdc_auto_spec *parsed = kunit_kzalloc(test, sizeof(*parsed), GFP_KERNEL);
	char *longer = kunit_kzalloc(test, 400, GFP_KERNEL);
	struct ssdc_error error = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_NE_MSG(test, parse(test, bad[i], parsed), 0, "%s", bad[i]);
	memset(longer, 'x', 399);
	memcpy(longer, "auto:candidates=", 16);
	KUNIT_EXPECT_NE(test, parse(test, longer, parsed), 0);
	longer[16 + SSDC_SPEC_LEN] = '\0';
	KUNIT_EXPECT_NE(test, ssdc_auto_parse(longer, "read-write", parsed, &error), 0);
	KUNIT_EXPECT_STREQ(test, error.text, "auto: candidates: longer than 255 characters");
	longer[16 + SSDC_SPEC_LEN - 1] = '\0';
	KUNIT_EXPECT_EQ(test, parse(test, longer, parsed), 0);
}

static void expect_candidate(struct kunit *test, const struct ssdc_auto_spec *parsed, u32 i,
			     const char *replacement, const char *admission)
{
	KUNIT_EXPECT_STREQ(test, parsed->candidates[i].replacement, replacement);
	KUNIT_EXPECT_STREQ(test, parsed->candidates[i].admission, admission);
}

/* A scheme is chosen for one policy. */
static void auto_spec_schemes(struct kunit *test)
{
	struct ssdc_auto_spec *parsed = kunit_kzalloc(test, sizeof(*parsed), GFP_KERNEL);
	struct ssdc_error error = {};

	KUNIT_ASSERT_NOT_NULL(test, parsed);
	KUNIT_ASSERT_EQ(test, ssdc_auto_parse("cflru:window=30,x=y", "auto", parsed, &error), 0);
	KUNIT_EXPECT_EQ(test, parsed->nr, 2);
	/* The first one is live until something is known: the better one on average. */
	expect_candidate(test, parsed, 0, "cflru:window=30,x=y", "write-buffer");
	expect_candidate(test, parsed, 1, "cflru:window=30,x=y", "read-write");
	KUNIT_EXPECT_EQ(test, parsed->tunables.period, 100);

	KUNIT_ASSERT_EQ(test, ssdc_auto_parse("lru", "auto:period=70,candidates=l-corw:period_ms=1",
					      parsed, &error), 0);
	KUNIT_EXPECT_EQ(test, parsed->nr, 1);
	expect_candidate(test, parsed, 0, "lru", "l-corw:period_ms=1");
	KUNIT_EXPECT_EQ(test, parsed->tunables.period, 70);
}

/* A candidate that is named again, or follows from two names, is one candidate. */
static void auto_spec_names_again(struct kunit *test)
{
	static const char policies[] = "auto:candidates=lru+lfu/l-corw+lru/read-write+lfu/l-corw";
	struct ssdc_auto_spec *parsed = kunit_kzalloc(test, sizeof(*parsed), GFP_KERNEL);
	struct ssdc_error error = {};

	KUNIT_ASSERT_NOT_NULL(test, parsed);
	KUNIT_ASSERT_EQ(test, parse(test, policies, parsed), 0);
	KUNIT_EXPECT_EQ(test, parsed->nr, 2);
	expect_candidate(test, parsed, 0, "lru", "read-write");
	expect_candidate(test, parsed, 1, "lfu", "l-corw");

	KUNIT_ASSERT_EQ(test, ssdc_auto_parse("auto:candidates=lru+lru/l-corw",
					      "auto:candidates=l-corw+write-buffer+l-corw", parsed,
					      &error), 0);
	KUNIT_EXPECT_EQ(test, parsed->nr, 2);
	expect_candidate(test, parsed, 0, "lru", "l-corw");
	expect_candidate(test, parsed, 1, "lru", "write-buffer");
}

/* A policy is combined with each scheme, unless it names a scheme of its own. */
static void auto_spec_combines(struct kunit *test)
{
	static const char policies[] = "auto:candidates=lru+fifo/l-corw+lfu,memory=300";
	static const char schemes[] = "auto:candidates=write-buffer+read-write,goal=p99";
	struct ssdc_auto_spec *parsed = kunit_kzalloc(test, sizeof(*parsed), GFP_KERNEL);
	struct ssdc_error error = {};

	KUNIT_ASSERT_NOT_NULL(test, parsed);
	KUNIT_ASSERT_EQ(test, ssdc_auto_parse(policies, schemes, parsed, &error), 0);
	KUNIT_EXPECT_EQ(test, parsed->nr, 5);
	expect_candidate(test, parsed, 0, "lru", "write-buffer");
	expect_candidate(test, parsed, 1, "lru", "read-write");
	expect_candidate(test, parsed, 2, "fifo", "l-corw");
	expect_candidate(test, parsed, 3, "lfu", "write-buffer");
	expect_candidate(test, parsed, 4, "lfu", "read-write");
	KUNIT_EXPECT_EQ(test, parsed->tunables.memory, 300);
	KUNIT_EXPECT_EQ(test, parsed->tunables.goal, SSDC_AUTO_P99);
}

static void auto_spec_refuses_schemes(struct kunit *test)
{
	static const struct {
		const char *replacement;
		const char *admission;
		const char *says;
	} bad[] = {
		{ "lru", "auto:candidates=", "auto: candidates: one has no name" },
		{ "lru", "auto:candidates=read-write/lru",
		  "auto: candidates: 'read-write/lru' is not a scheme" },
		{ "lru", "auto:window=3", "auto: 'window=3' is not one of candidates= period=" },
		{ "auto:period=50", "auto:memory=100,period=50",
		  "auto: period: given for replacement and for admission" },
		{ "auto:candidates=a+b+c+d+e+f+g+h+i", "auto", "auto: candidates: more than 16" },
		{ "auto:candidates=lru/read-write+lfu/l-corw", "auto",
		  "auto: each policy names a scheme: none is left to choose" },
	};
	struct ssdc_auto_spec *parsed = kunit_kzalloc(test, sizeof(*parsed), GFP_KERNEL);
	struct ssdc_error error;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, parsed);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		memset(&error, 0, sizeof(error));
		KUNIT_EXPECT_EQ(test, ssdc_auto_parse(bad[i].replacement, bad[i].admission, parsed,
						      &error), -EINVAL);
		KUNIT_EXPECT_EQ_MSG(test, strncmp(error.text, bad[i].says, strlen(bad[i].says)), 0,
				    "%s", error.text);
	}
}

#define LONG_NAME	"a-name-that-is-so-long-that-no-error-shows-all-of-its-characters:y=z"

static bool offers_auto(const struct ssdc_error *error)
{
	return !strcmp(error->text + strlen(error->text) - 5, " auto");
}

/* Is "auto" offered for an unknown plug-in of a kind, beside these specs? */
static bool is_offered(struct kunit *test, enum ssdc_kind kind, const char *replacement,
		       const char *admission)
{
	struct ssdc_error *error = kunit_kzalloc(test, sizeof(*error), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, error);
	KUNIT_EXPECT_NULL(test, ssdc_spec_type(kind, "x:y=z", error));
	ssdc_auto_offer(error, replacement, admission);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(error->text, "\"x\" is not one of "), "%s",
				  error->text);
	return offers_auto(error);
}

/* Only the lists of policies and of schemes get one more, unless they are of a candidate. */
static void auto_spec_offer(struct kunit *test)
{
	struct ssdc_error *errors = kunit_kcalloc(test, 2, sizeof(*errors), GFP_KERNEL);
	char *before = kunit_kzalloc(test, SSDC_ERROR_LEN, GFP_KERNEL);
	unsigned int i;

	KUNIT_EXPECT_TRUE(test, is_offered(test, SSDC_REPLACEMENT, "x:y=z", "read-write"));
	KUNIT_EXPECT_TRUE(test, is_offered(test, SSDC_ADMISSION, "lru", "x:y=z"));
	KUNIT_EXPECT_TRUE(test, is_offered(test, SSDC_REPLACEMENT, "x:y=z", "auto"));
	KUNIT_EXPECT_TRUE(test, is_offered(test, SSDC_ADMISSION, "auto", "x:y=z"));
	KUNIT_EXPECT_FALSE(test, is_offered(test, SSDC_REPLACEMENT, "auto:candidates=x", "auto"));
	KUNIT_EXPECT_FALSE(test, is_offered(test, SSDC_ADMISSION, "lru", "auto:candidates=x"));
	/* The scheme of a candidate. */
	KUNIT_EXPECT_FALSE(test, is_offered(test, SSDC_ADMISSION, "auto:candidates=lru/x", "xy"));
	KUNIT_EXPECT_FALSE(test, is_offered(test, SSDC_ADMISSION, "auto:candidates=lru/x",
					    "read-write"));
	KUNIT_EXPECT_FALSE(test, is_offered(test, SSDC_PREFETCH, "lru", "read-write"));

	KUNIT_ASSERT_NOT_NULL(test, errors);
	KUNIT_ASSERT_NOT_NULL(test, before);
	/* An error shows the beginning of a long name. */
	KUNIT_EXPECT_NULL(test, ssdc_spec_type(SSDC_REPLACEMENT, LONG_NAME, &errors[0]));
	ssdc_auto_offer(&errors[0], LONG_NAME, "read-write");
	KUNIT_EXPECT_TRUE(test, offers_auto(&errors[0]));
	errors[0] = (struct ssdc_error) {};
	KUNIT_EXPECT_NULL(test, ssdc_spec_type(SSDC_REPLACEMENT, "opt", &errors[0]));
	/* A plug-in of another module may say this of a tunable. */
	strscpy(errors[1].text, "replacement: \"x\" is not one of off, on", SSDC_ERROR_LEN);
	for (i = 0; i < 2; i++) {
		strscpy(before, errors[i].text, SSDC_ERROR_LEN);
		ssdc_auto_offer(&errors[i], "opt", "read-write");
		KUNIT_EXPECT_STREQ(test, errors[i].text, before);
	}
}

static struct kunit_case auto_spec_cases[] = {
	KUNIT_CASE(auto_spec_defaults),
	KUNIT_CASE(auto_spec_defaults_by_goal),
	KUNIT_CASE(auto_spec_words),
	KUNIT_CASE(auto_spec_refuses),
	KUNIT_CASE(auto_spec_schemes),
	KUNIT_CASE(auto_spec_names_again),
	KUNIT_CASE(auto_spec_combines),
	KUNIT_CASE(auto_spec_refuses_schemes),
	KUNIT_CASE(auto_spec_offer),
	{}
};

static struct kunit_suite auto_spec_suite = {
	.name = "ssdcache_auto_spec",
	.test_cases = auto_spec_cases,
};

kunit_test_suite(auto_spec_suite);
