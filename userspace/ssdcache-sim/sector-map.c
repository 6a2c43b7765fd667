// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include "sector-map.h"

#define FIRST_BITS 12

static size_t room(const struct sector_map *map)
{
	return map->bits ? (size_t)1 << map->bits : 0;
}

/* The slot with @key, or the free slot for it. */
static size_t slot_of(const struct sector_map *map, u64 key)
{
	size_t at = (key * 0x9e3779b97f4a7c15ULL) >> (64 - map->bits);

	while (map->slots[at].key && map->slots[at].key != key)
		at = (at + 1) & (room(map) - 1);
	return at;
}

static void grow(struct sector_map *map)
{
	struct sector_map old = *map;
	size_t i;

	map->bits = old.bits ? old.bits + 1 : FIRST_BITS;
	map->slots = xcalloc(room(map), sizeof(*map->slots));
	for (i = 0; i < room(&old); i++)
		if (old.slots[i].key)
			map->slots[slot_of(map, old.slots[i].key)] = old.slots[i];
	free(old.slots);
}

/* Pointer to the value of @sector, valid until the next call. */
u64 *sector_map_at(struct sector_map *map, u64 sector)
{
	size_t at;

	if (2 * map->nr >= room(map))
		grow(map);
	at = slot_of(map, sector + 1);
	if (!map->slots[at].key) {
		map->slots[at].key = sector + 1;
		map->nr++;
	}
	return &map->slots[at].value;
}

u64 sector_map_get(const struct sector_map *map, u64 sector)
{
	return map->nr ? map->slots[slot_of(map, sector + 1)].value : 0;
}

void sector_map_each(const struct sector_map *map, bool (*visit)(void *data, u64 sector),
		     void *data)
{
	size_t i;

	for (i = 0; i < room(map); i++)
		if (map->slots[i].key && !visit(data, map->slots[i].key - 1))
			return;
}

void sector_map_free(struct sector_map *map)
{
	free(map->slots);
}
