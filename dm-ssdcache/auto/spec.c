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

/*
 * The policies to choose among if the spec names none, by enum ssdc_auto_goal. freeboard flushes
 * early, so it is fast, but writes more than others: Documentation/auto.md has the comparison.
 */
const char *const ssdc_auto_candidates[] = {
	[SSDC_AUTO_LATENCY] = "freeboard+lru",
	[SSDC_AUTO_P99] = "freeboard+lru",
	[SSDC_AUTO_FLASH_WRITES] = "ad-lru+cflru-ef-sc",
};

#define TUNABLE(member) offsetof(struct ssdc_auto_tunables, member)

const struct ssdc_tunable ssdc_auto_tunable_table[] = {
	{ "period", "requests", "requests between two decisions",
	  TUNABLE(period), 100, 10, 100000000, NULL },
	{ "memory", "requests", "mean age of known costs; more: surer, and later, decisions",
	  TUNABLE(memory), 20000, 10, 1000000, NULL },
	{ "hysteresis", "percent", "change only if that costs so much less; a sample asks for more",
	  TUNABLE(hysteresis), 17, 0, 99, NULL },
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
 * ssdc_auto_is_spec() - does a spec of a policy or of a scheme ask for a choice?
 * @spec: "NAME" or "NAME:..."
 */
bool ssdc_auto_is_spec(const char *spec)
{
	size_t len = sizeof(SSDC_AUTO_NAME) - 1;

	return !strncmp(spec, SSDC_AUTO_NAME, len) && (!spec[len] || spec[len] == ':');
}

/*
 * Does an error reject the name of @spec? It may be about another one, such as a candidate's. The
 * error shows as much of a name as ssdc_spec_type() prints.
 */
static bool is_rejected(const struct ssdc_error *error, const char *spec)
{
	const char *name = strchr(error->text, '"');
	size_t len = min_t(size_t, strcspn(spec, ":"), SSDC_NAME_LEN);

	return name && !strncmp(name + 1, spec, len) && name[1 + len] == '"';
}

/**
 * ssdc_auto_offer() - add "auto" to the names of plug-ins in an error, where a choice is accepted
 * @error: error about a spec, zeroed before it was set; changed only if it lists the replacement
 *	policies or the admission schemes
 * @replacement: spec of the replacement policy, as given
 * @admission: spec of the admission scheme, as given
 *
 * A candidate of a choice cannot be "auto" itself.
 */
void ssdc_auto_offer(struct ssdc_error *error, const char *replacement, const char *admission)
{
	size_t at = strlen(error->text);

	if ((error->unknown & BIT(SSDC_REPLACEMENT) && !ssdc_auto_is_spec(replacement) &&
	     is_rejected(error, replacement)) ||
	    (error->unknown & BIT(SSDC_ADMISSION) && !ssdc_auto_is_spec(admission) &&
	     is_rejected(error, admission)))
		scnprintf(error->text + at, sizeof(error->text) - at, " %s", SSDC_AUTO_NAME);
}

/* "A+B/C": A without a scheme of its own (NULL), and B with C. */
struct names {
	const char *at[SSDC_AUTO_MAX_CANDIDATES];
	const char *scheme[SSDC_AUTO_MAX_CANDIDATES];
	u32 nr;
};

static int too_many(struct ssdc_error *error)
{
	return ssdc_finding(error, "auto: candidates: more than %u", SSDC_AUTO_MAX_CANDIDATES);
}

static int add_name(struct names *names, char *name, struct ssdc_error *error)
{
	char *slash = strchr(name, '/');

	if (names->nr == SSDC_AUTO_MAX_CANDIDATES)
		return too_many(error);
	if (!name[0] || slash == name)
		return ssdc_finding(error, "auto: candidates: one has no name");
	if (slash)
		*slash = '\0';
	names->at[names->nr] = name;
	names->scheme[names->nr++] = slash ? slash + 1 : NULL;
	return 0;
}

/* Split "A+B/C" in a copy, for which @text has room for SSDC_SPEC_LEN characters. */
static int split_names(struct names *names, char *text, const char *value, size_t len,
		       struct ssdc_error *error)
{
	char *at = text, *plus;

	if (len >= SSDC_SPEC_LEN)
		return ssdc_finding(error, "auto: candidates: longer than %u characters",
				    SSDC_SPEC_LEN - 1);
	memcpy(text, value, len);
	text[len] = '\0';
	names->nr = 0;
	for (;;) {
		plus = strchr(at, '+');
		if (plus)
			*plus = '\0';
		if (add_name(names, at, error))
			return -EINVAL;
		if (!plus)
			return 0;
		at = plus + 1;
	}
}

/* A candidate that is there already is not added again: its shadow would only cost time. */
static int add_candidate(struct ssdc_auto_spec *parsed, const char *replacement,
			 const char *admission, struct ssdc_error *error)
{
	u32 i;

	for (i = 0; i < parsed->nr; i++)
		if (!strcmp(parsed->candidates[i].replacement, replacement) &&
		    !strcmp(parsed->candidates[i].admission, admission))
			return 0;
	if (parsed->nr == SSDC_AUTO_MAX_CANDIDATES)
		return too_many(error);
	parsed->candidates[parsed->nr++] = (struct ssdc_shadow_candidate) {
		.replacement = replacement,
		.admission = admission,
	};
	return 0;
}

/*
 * Each policy with its own scheme or, if it names none, with each of @schemes. If schemes are
 * @chosen, each must be that of a candidate, as only candidates are checked later.
 */
static int combine(struct ssdc_auto_spec *parsed, const struct names *policies,
		   const struct names *schemes, bool chosen, struct ssdc_error *error)
{
	bool any = false;
	u32 i, j;

	for (j = 0; j < schemes->nr; j++)
		if (schemes->scheme[j])
			return ssdc_finding(error, "auto: candidates: '%s/%s' is not a scheme",
					    schemes->at[j], schemes->scheme[j]);
	parsed->nr = 0;
	for (i = 0; i < policies->nr; i++) {
		const char *own = policies->scheme[i];

		any |= !own;
		for (j = 0; j < (own ? 1 : schemes->nr); j++)
			if (add_candidate(parsed, policies->at[i], own ? own : schemes->at[j],
					  error))
				return -EINVAL;
	}
	if (!any && chosen)
		return ssdc_finding(error,
				    "auto: each policy names a scheme: none is left to choose");
	return 0;
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

/* A spec of a choice that is being parsed. */
struct parse {
	struct ssdc_auto_tunables *tunables;
	struct names names;
	char *text;			/* for the names */
	u32 given;			/* a bit per tunable that a spec has set */
	u32 before;			/* likewise, by the spec of the other plug-in */
};

/* One "KEY=VALUE" of @len characters. */
static int parse_word(struct parse *p, const char *word, size_t len, struct ssdc_error *error)
{
	static const char list[] = "candidates";
	const char *equals = strchr(word, '=');
	const struct ssdc_tunable *tunable;
	size_t key = equals && equals < word + len ? (size_t)(equals - word) : len, rest;
	u32 bit;

	rest = key < len ? len - key - 1 : 0;
	if (key < len && key == sizeof(list) - 1 && !strncmp(word, list, key))
		return split_names(&p->names, p->text, equals + 1, rest, error);
	tunable = ssdc_tunable_find(ssdc_auto_tunable_table, ssdc_nr_auto_tunables, word, key);
	if (!tunable || key == len)
		return unknown_word(word, len, error);
	bit = BIT(tunable - ssdc_auto_tunable_table);
	if (p->before & bit)
		return ssdc_finding(error, "auto: %s: given for replacement and for admission",
				    tunable->name);
	p->given |= bit;
	return ssdc_tunable_parse(tunable, equals + 1, rest,
				  ssdc_tunable_at(tunable, p->tunables), error);
}

/*
 * The spec of one plug-in: if that is a choice, its names, none if it has the default ones, and its
 * tunables; else the spec itself is the only name.
 */
static int parse_spec(struct parse *p, const char *spec, char *text, struct ssdc_error *error)
{
	const char *at = strchr(spec, ':'), *comma;
	size_t len;

	if (!ssdc_auto_is_spec(spec)) {
		p->names = (struct names) { .at = { spec }, .nr = 1 };
		return 0;
	}
	p->text = text;
	p->names.nr = 0;
	while (at) {
		at++;
		comma = strchr(at, ',');
		len = comma ? (size_t)(comma - at) : strlen(at);
		if (parse_word(p, at, len, error))
			return -EINVAL;
		at = comma;
	}
	p->before |= p->given;
	return 0;
}

/* The default names, if a spec has named none. */
static int default_names(struct names *names, char *text, const char *usual,
			 struct ssdc_error *error)
{
	return names->nr ? 0 : split_names(names, text, usual, strlen(usual), error);
}

/**
 * ssdc_auto_parse() - parse the specs of a choice
 * @replacement: of the policies to choose among, if ssdc_auto_is_spec(); else of the only one
 * @admission: the same for the scheme of the candidates that name none
 * @parsed: result; not to be copied, as it points into itself, and to specs that are no choice,
 *	which must live as long
 * @error: on failure, names the bad word and the valid ones
 *
 * At least one of the specs is a choice. The names of plug-ins are checked when the shadows are
 * created.
 *
 * Return: 0 or -EINVAL.
 */
int ssdc_auto_parse(const char *replacement, const char *admission, struct ssdc_auto_spec *parsed,
		    struct ssdc_error *error)
{
	struct parse p = { .tunables = &parsed->tunables };
	struct names policies;

	ssdc_tunables_default(ssdc_auto_tunable_table, ssdc_nr_auto_tunables, &parsed->tunables);
	if (parse_spec(&p, replacement, parsed->text, error))
		return -EINVAL;
	policies = p.names;
	if (parse_spec(&p, admission, parsed->schemes, error))
		return -EINVAL;
	/* Either spec may have the goal, on which the default policies depend. */
	if (default_names(&policies, parsed->text, ssdc_auto_candidates[parsed->tunables.goal],
			  error) ||
	    default_names(&p.names, parsed->schemes, SSDC_AUTO_SCHEMES, error))
		return -EINVAL;
	if (combine(parsed, &policies, &p.names, ssdc_auto_is_spec(admission), error))
		return -EINVAL;
	if (is_power_of_2(parsed->tunables.region))
		return 0;
	ssdc_finding(error, "auto: region: %u is not a power of two", parsed->tunables.region);
	return -EINVAL;
}
