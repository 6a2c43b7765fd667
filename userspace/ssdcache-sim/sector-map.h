/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_SECTOR_MAP_H
#define SSDC_SIM_SECTOR_MAP_H

#include "sim.h"

/* A hash map from sector to value, 0 if none was set. All zero: empty. */
struct sector_map {
	struct {
		u64 key;	/* sector + 1; 0: free */
		u64 value;
	} *slots;
	size_t nr;
	unsigned int bits;
};

u64 *sector_map_at(struct sector_map *map, u64 sector);
u64 sector_map_get(const struct sector_map *map, u64 sector);
void sector_map_each(const struct sector_map *map, bool (*visit)(void *data, u64 sector),
		     void *data);
void sector_map_free(struct sector_map *map);

#endif /* SSDC_SIM_SECTOR_MAP_H */
