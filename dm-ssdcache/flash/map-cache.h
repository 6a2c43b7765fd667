/* SPDX-License-Identifier: GPL-2.0 */
/* A cached mapping table: which mappings the controller holds, and which it must write. */
#ifndef SSDF_MAP_CACHE_H
#define SSDF_MAP_CACHE_H

#include "state.h"

int ssdf_map_cache_create(struct ssdf_device *f);
void ssdf_map_cache_destroy(struct ssdf_device *f);
bool ssdf_map_hit(struct ssdf_device *f, ssdf_lpn_t lpn);
bool ssdf_map_find(struct ssdf_device *f, ssdf_lpn_t lpn);
ssdf_lpn_t ssdf_map_make_room(struct ssdf_device *f);
bool ssdf_lookup_follow(struct ssdf_device *f, struct ssdf_command *cmd);
void ssdf_lookup_begin_read(struct ssdf_device *f, const struct ssdf_command *cmd);
void ssdf_lookup_end_read(struct ssdf_device *f, const struct ssdf_command *cmd,
			  struct list_head *followers);
void ssdf_map_owe(struct ssdf_device *f, const struct ssdf_command *cmd, ssdf_lpn_t map_page);
ssdf_lpn_t ssdf_map_owed(struct ssdf_device *f, const struct ssdf_command *cmd);
void ssdf_map_insert(struct ssdf_device *f, ssdf_lpn_t lpn);
bool ssdf_map_fill(struct ssdf_device *f, ssdf_lpn_t lpn);
void ssdf_map_written(struct ssdf_device *f, ssdf_lpn_t map_page);
bool ssdf_map_changed(struct ssdf_device *f, ssdf_lpn_t lpn);
void ssdf_map_moved(struct ssdf_device *f, u32 plane, ssdf_lpn_t lpn);
ssdf_lpn_t ssdf_map_next_update(struct ssdf_device *f, u32 plane);
int ssdf_map_cache_check(const struct ssdf_device *f);

/* The translation page with the mapping of a page, as a logical page. */
static inline ssdf_lpn_t ssdf_translation_page(const struct ssdf_device *f, ssdf_lpn_t lpn)
{
	return ssdf_lpn(f->nr_lpns + ssdf_lpn_nr(lpn) / ssdf_map_page_entries(&f->params));
}

#endif /* SSDF_MAP_CACHE_H */
