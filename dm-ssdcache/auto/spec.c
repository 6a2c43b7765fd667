// SPDX-License-Identifier: GPL-2.0
/* The words of "auto:candidates=lru+mq-ssd,period=1000". */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include "auto.h"

const char *const ssdc_auto_goals[] = { "latency", "p99", "flash-writes", NULL };

#define TUNABLE(member) offsetof(struct ssdc_auto_tunables, member)

const struct ssdc_tunable ssdc_auto_tunable_table[] = {
	{ "period", "requests", "requests between two decisions",
	  TUNABLE(period), 100, 10, 100000000, NULL },
	{ "memory", "requests", "mean age of known costs; more: surer, and later, decisions",
	  TUNABLE(memory), 20000, 10, 1000000, NULL },
	{ "hysteresis", "percent", "change only if that costs so much less; a sample asks for more",
	  TUNABLE(hysteresis), 15, 0, 99, NULL },
	{ "goal", "", "what is cost: mean response, 99th percentile, or pages flushed",
	  TUNABLE(goal), SSDC_AUTO_LATENCY, 0, 0, ssdc_auto_goals },
	{ "change", "", "off: the live policies stay, and only the costs are known",
	  TUNABLE(change), 1, 0, 0, ssdc_off_on },
	{ "rate", "millionths", "addresses in the sample; more where a shadow would have few pages",
	  TUNABLE(rate), SSDC_SHADOW_RATE, 1, SSDC_SHADOW_WHOLE, NULL },
	{ "region", "KiB", "size of the regions that are sampled as a whole, a power of two",
	  TUNABLE(region), SSDC_SHADOW_REGION >> 10, 4, SSDC_AUTO_MAX_REGION_KIB, NULL },
	{ "pages", "pages", "a shadow whose tier would have fewer has a higher rate",
	  TUNABLE(pages), SSDC_SHADOW_PAGES, 1, SSDC_MAX_FRAMES, NULL },
	{ "read_us", "us", "time of a page read; 0: that of the device",
	  TUNABLE(read_us), 0, 0, 10000000, NULL },
	{ "write_us", "us", "time of a page write; 0: that of the device",
	  TUNABLE(write_us), 0, 0, 10000000, NULL },
};

const unsigned int ssdc_nr_auto_tunables = ARRAY_SIZE(ssdc_auto_tunable_table);

/**
 * ssdc_auto_is_spec() - does a spec of a replacement policy ask for a choice?
 * @spec: "NAME" or "NAME:..."
 */
bool ssdc_auto_is_spec(const char *spec)
{
	size_t len = sizeof(SSDC_AUTO_NAME) - 1;

	return !strncmp(spec, SSDC_AUTO_NAME, len) && (!spec[len] || spec[len] == ':');
}

/**
 * ssdc_auto_offer() - where a choice is accepted, too, name it among the policies
 * @error: about a spec, zeroed before; if it lists the replacement policies, "auto" is added, and
 *	else nothing
 */
void ssdc_auto_offer(struct ssdc_error *error)
{
	size_t at = strlen(error->text);

	if (error->unknown & BIT(SSDC_REPLACEMENT))
		scnprintf(error->text + at, sizeof(error->text) - at, " %s", SSDC_AUTO_NAME);
}

static int add_candidate(struct ssdc_auto_spec *parsed, char *text, const char *admission,
			 struct ssdc_error *error)
{
	struct ssdc_shadow_candidate *candidate = &parsed->candidates[parsed->nr];
	char *slash = strchr(text, '/');

	if (parsed->nr == SSDC_AUTO_MAX_CANDIDATES)
		return ssdc_finding(error, "auto: candidates: more than %u",
				    SSDC_AUTO_MAX_CANDIDATES);
	if (!text[0] || slash == text)
		return ssdc_finding(error, "auto: candidates: one has no name");
	candidate->replacement = text;
	candidate->admission = admission;
	if (slash) {
		*slash = '\0';
		candidate->admission = slash + 1;
	}
	parsed->nr++;
	return 0;
}

/* "A+B/C": policies, or a policy with an admission scheme. */
static int parse_candidates(struct ssdc_auto_spec *parsed, const char *value, size_t len,
			    const char *admission, struct ssdc_error *error)
{
	char *at = parsed->text, *plus;

	if (len >= sizeof(parsed->text))
		return ssdc_finding(error, "auto: candidates: longer than %zu characters",
				    sizeof(parsed->text) - 1);
	memcpy(at, value, len);
	at[len] = '\0';
	parsed->nr = 0;
	for (;;) {
		plus = strchr(at, '+');
		if (plus)
			*plus = '\0';
		if (add_candidate(parsed, at, admission, error))
			return -EINVAL;
		if (!plus)
			return 0;
		at = plus + 1;
	}
}

static int unknown_word(const char *word, size_t len, struct ssdc_error *error)
{
	size_t size = sizeof(error->text), at;
	unsigned int i;

	ssdc_finding(error, "auto: '%.*s' is not one of candidates=", (int)min_t(size_t, len, 32),
		     word);
	at = strlen(error->text);
	for (i = 0; i < ssdc_nr_auto_tunables; i++)
		at += scnprintf(error->text + at, size - at, " %s=",
				ssdc_auto_tunable_table[i].name);
	return -EINVAL;
}

/* One "KEY=VALUE" of @len characters. */
static int parse_word(struct ssdc_auto_spec *parsed, const char *word, size_t len,
		      const char *admission, struct ssdc_error *error)
{
	static const char list[] = "candidates";
	const char *equals = strchr(word, '=');
	const struct ssdc_tunable *tunable;
	size_t key = equals && equals < word + len ? (size_t)(equals - word) : len, rest;

	rest = key < len ? len - key - 1 : 0;
	if (key < len && key == sizeof(list) - 1 && !strncmp(word, list, key))
		return parse_candidates(parsed, equals + 1, rest, admission, error);
	tunable = ssdc_tunable_find(ssdc_auto_tunable_table, ssdc_nr_auto_tunables, word, key);
	if (!tunable || key == len)
		return unknown_word(word, len, error);
	return ssdc_tunable_parse(tunable, equals + 1, rest,
				  ssdc_tunable_at(tunable, &parsed->tunables), error);
}

/**
 * ssdc_auto_parse() - parse the spec of a choice
 * @spec: one that ssdc_auto_is_spec()
 * @admission: the scheme of the candidates that name none; must live as long as @parsed
 * @parsed: result; not to be copied, as it points into itself
 * @error: on failure, names the bad word and the valid ones
 *
 * The names of policies are checked as shadows are made of them.
 *
 * Return: 0 or -EINVAL.
 */
int ssdc_auto_parse(const char *spec, const char *admission, struct ssdc_auto_spec *parsed,
		    struct ssdc_error *error)
{
	static const char usual[] = SSDC_AUTO_CANDIDATES;
	const char *at = strchr(spec, ':'), *comma;
	size_t len;

	ssdc_tunables_default(ssdc_auto_tunable_table, ssdc_nr_auto_tunables, &parsed->tunables);
	if (parse_candidates(parsed, usual, sizeof(usual) - 1, admission, error))
		return -EINVAL;
	while (at) {
		at++;
		comma = strchr(at, ',');
		len = comma ? (size_t)(comma - at) : strlen(at);
		if (parse_word(parsed, at, len, admission, error))
			return -EINVAL;
		at = comma;
	}
	if (is_power_of_2(parsed->tunables.region))
		return 0;
	ssdc_finding(error, "auto: region: %u is not a power of two", parsed->tunables.region);
	return -EINVAL;
}
