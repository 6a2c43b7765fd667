// SPDX-License-Identifier: GPL-2.0
/*
 * A shorter workload: the requests to a share of the addresses, from first to last. Runs of it get as much less
 * DRAM, and as much less time: a page is used again after as many other pages per page of DRAM as in the whole,
 * and the device is as busy. Phases, idle times and queues that grow until the end are in the sample as they are
 * in the whole; parts of the whole, one after the other, miss what is used again later.
 *
 * Addresses are taken by regions, so that requests stay whole, and neighbours together. The regions are a
 * systematic sample of all, from the busiest to the idlest.
 */
#include <stdlib.h>
#include <string.h>
#include "advise.h"
#include "sector-map.h"

/* Regions are as large as the largest page of a cache, or smaller until the sample has this many; at least 4 KiB. */
#define MOST_SECTORS	(SSDC_MAX_PAGE_BYTES >> SSDC_SECTOR_SHIFT)
#define LEAST_SECTORS	8u
#define REGIONS		10

/**
 * struct region - consecutive addresses
 * @nr: which
 * @sectors: read and written by requests that start there
 */
struct region {
	u64 nr;
	u64 sectors;
};

/**
 * struct regions - the regions of a workload
 * @size: of each, in sectors
 * @of: each
 * @nr: how many
 * @places: 1 + place in @of, by number; after the choice: 1: chosen
 * @sectors: sum of all
 */
struct regions {
	u32 size;
	struct region *of;
	size_t nr;
	struct sector_map places;
	u64 sectors;
};

static u64 region_of(const struct regions *regions, const struct sim_record *record)
{
	return record->sector / regions->size;
}

static bool is_access(const struct sim_record *record)
{
	return record->op == SSDC_READ || record->op == SSDC_WRITE;
}

static void count(struct regions *regions, const struct sim_record *record)
{
	u64 *place = sector_map_at(&regions->places, region_of(regions, record));

	if (!*place) {
		/* Doubled when full. */
		if (!(regions->nr & (regions->nr - 1)))
			regions->of = xrealloc(regions->of, max_t(size_t, 1, 2 * regions->nr), sizeof(*regions->of));
		regions->of[regions->nr] = (struct region) { region_of(regions, record), 0 };
		*place = ++regions->nr;
	}
	regions->of[*place - 1].sectors += record->nr_sectors;
	regions->sectors += record->nr_sectors;
}

static void free_regions(struct regions *regions)
{
	free(regions->of);
	sector_map_free(&regions->places);
}

static void find_regions(struct regions *regions, const struct sim_workload *whole, double share)
{
	u32 size = MOST_SECTORS;
	size_t i;

	for (;; size /= 2) {
		*regions = (struct regions) { .size = size };
		for (i = 0; i < whole->nr; i++) {
			const struct sim_record record = sim_request(whole, i);

			if (is_access(&record))
				count(regions, &record);
		}
		if (size == LEAST_SECTORS || regions->nr * share >= REGIONS)
			return;
		free_regions(regions);
	}
}

static int busiest_first(const void *x, const void *y)
{
	const struct region *a = x, *b = y;

	if (a->sectors != b->sectors)
		return a->sectors > b->sectors ? -1 : 1;
	return a->nr < b->nr ? -1 : a->nr > b->nr;
}

/*
 * A region is chosen where the sample is short of its share of the regions down to there by more than half of the
 * region. Returns the sectors of those chosen.
 */
static u64 choose(struct regions *regions, double share)
{
	double seen = 0, chosen = 0;
	size_t i;

	qsort(regions->of, regions->nr, sizeof(*regions->of), busiest_first);
	for (i = 0; i < regions->nr; i++) {
		const struct region *region = &regions->of[i];
		bool take;

		seen += region->sectors;
		take = share * seen - chosen > region->sectors / 2.0;
		chosen += take ? region->sectors : 0;
		*sector_map_at(&regions->places, region->nr) = take;
	}
	return chosen;
}

/* Of requests without an address, FLUSH, the same share is taken. */
static bool is_taken(const struct regions *regions, const struct sim_record *record, double share, double *flushes)
{
	if (record->op != SSDC_FLUSH)
		return sector_map_get(&regions->places, region_of(regions, record));
	*flushes += share;
	if (*flushes < 1)
		return false;
	*flushes -= 1;
	return true;
}

static void take(struct advise_sample *sample, const struct sim_workload *whole, const struct regions *regions)
{
	u64 start_ns = whole->records[0].time_ns;
	double flushes = 0;
	size_t i;

	for (i = 0; i < whole->nr; i++) {
		const struct sim_record request = sim_request(whole, i);
		struct sim_record *record = &sample->workload.records[sample->workload.nr];

		if (!is_taken(regions, &request, sample->share, &flushes))
			continue;
		/* With its address before --fold. */
		*record = whole->records[i];
		record->time_ns = start_ns + (record->time_ns - start_ns) * sample->share;
		sample->workload.nr++;
	}
}

/**
 * advise_sample_make() - make a shorter workload
 * @sample: result, to be freed with advise_sample_free()
 * @whole: all requests
 * @share: about so many of their sectors, of 1; 1: all
 */
void advise_sample_make(struct advise_sample *sample, const struct sim_workload *whole, double share)
{
	struct regions regions;
	u64 chosen;

	*sample = (struct advise_sample) { .workload = *whole, .share = 1, .cost = 1 };
	if (share >= 1)
		return;
	find_regions(&regions, whole, share);
	chosen = choose(&regions, share);
	sample->owned = true;
	/* Nearly all goes to one region: its first requests say enough. */
	sample->share = chosen ? (double)chosen / regions.sectors : share;
	sample->workload.mapped_bytes = 0;
	sample->workload.nr = chosen ? 0 : max_t(size_t, whole->nr * share, 1);
	sample->workload.records = xcalloc(whole->nr, sizeof(*sample->workload.records));
	if (chosen)
		take(sample, whole, &regions);
	else
		memcpy(sample->workload.records, whole->records, sample->workload.nr * sizeof(*whole->records));
	sample->cost = (double)sample->workload.nr / whole->nr;
	free_regions(&regions);
}

void advise_sample_free(struct advise_sample *sample)
{
	if (sample->owned)
		sim_workload_free(&sample->workload);
}
