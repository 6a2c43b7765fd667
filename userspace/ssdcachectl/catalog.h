/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine's descriptor tables, linked in: names, help and ranges of all built-in plug-ins;
 * and the plug-ins that the running kernel offers.
 */
#ifndef SSDCACHECTL_CATALOG_H
#define SSDCACHECTL_CATALOG_H

#include <stdbool.h>
#include "../../dm-ssdcache/auto/auto.h"
#include "../../dm-ssdcache/base/holds.h"
#include "../../dm-ssdcache/engine/engine.h"
#include "../../dm-ssdcache/flash/flash.h"
#include "sysfs.h"

/*
 * A section of parameters or statistics: of a kind of plug-in, of the target itself, of each
 * channel, of the lock, of a choice of policies, or of its shadows. See catalog_has().
 */
#define CATALOG_CORE		SSDC_NR_KINDS
#define CATALOG_CHANNELS	(SSDC_NR_KINDS + 1)
#define CATALOG_HOLDS		(SSDC_NR_KINDS + 2)
#define CATALOG_AUTO		(SSDC_NR_KINDS + 3)
#define CATALOG_SHADOW		(SSDC_NR_KINDS + 4)
#define CATALOG_SECTIONS	(SSDC_NR_KINDS + 5)

#define CATALOG_OFFER_LEN	8192

/**
 * struct catalog_offer - the plug-ins that the running kernel has
 * @known: there is a device to ask
 * @lines: of its available_* files, by kind
 */
struct catalog_offer {
	bool known;
	char lines[SSDC_NR_KINDS][CATALOG_OFFER_LEN];
};

/**
 * struct catalog_tables - descriptors of a section
 * @tunables: NULL for a plug-in that is not linked in
 * @nr_tunables: how many
 * @stats: likewise
 * @nr_stats: how many
 * @numbered: the items' names are numbers, and one descriptor serves all
 */
struct catalog_tables {
	const struct ssdc_tunable *tunables;
	unsigned int nr_tunables;
	const struct ssdc_stat *stats;
	unsigned int nr_stats;
	bool numbered;
};

/* A line of available_*, split into words. */
struct catalog_line {
	char name[64];
	char source[512];
	char status[512];
	char doc[512];
};

const char *catalog_section_name(unsigned int section);
bool catalog_is_optional(unsigned int section);
bool catalog_kind(const char *word, enum ssdc_kind *kind);
bool catalog_has(enum device_target target, unsigned int section);
struct catalog_tables catalog_find_tables(enum device_target target, unsigned int section,
				     const char *spec);
const struct ssdc_tunable *catalog_tunable(const struct catalog_tables *tables, const char *name);
const struct ssdc_stat *catalog_stat(const struct catalog_tables *tables, const char *name);
void catalog_range(const struct ssdc_tunable *tunable, char *buf, size_t size);

void catalog_offer_read(const struct command *cmd, struct catalog_offer *offer);
const char *catalog_offer_next(const char *at, struct catalog_line *line);
bool catalog_offered(const struct catalog_offer *offer, enum ssdc_kind kind, const char *name,
		     size_t len);
int catalog_check_spec(const struct command *cmd, enum ssdc_kind kind, const char *spec);
int catalog_check_tunable(const struct command *cmd, const struct ssdc_tunable *tunable,
			  const char *value);

#endif /* SSDCACHECTL_CATALOG_H */
