/* SPDX-License-Identifier: GPL-2.0 */
/* The flash translation layer: mapping, blocks, free pages. */
#ifndef SSDF_FTL_H
#define SSDF_FTL_H

#include "state.h"

int ssdf_ftl_create(struct ssdf_device *f);
void ssdf_ftl_destroy(struct ssdf_device *f);
u32 ssdf_least_load(const struct ssdf_device *f);
bool ssdf_is_overfull(const struct ssdf_device *f, u32 plane);
bool ssdf_write_page(struct ssdf_device *f, ssdf_lpn_t lpn, struct ssdf_command *cmd);
bool ssdf_is_map_block(const struct ssdf_device *f, ssdf_block_t nr);
bool ssdf_gc_has_page(const struct ssdf_device *f, u32 plane);
ssdf_ppn_t ssdf_gc_page(struct ssdf_device *f, u32 plane, ssdf_lpn_t lpn);
void ssdf_unwrite_page(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn, ssdf_ppn_t old);
bool ssdf_lose_page(struct ssdf_device *f, ssdf_lpn_t lpn, ssdf_ppn_t ppn);
u32 ssdf_trim_page(struct ssdf_device *f, ssdf_lpn_t lpn);
bool ssdf_programmed(struct ssdf_device *f, ssdf_ppn_t ppn);
bool ssdf_is_in_flash(const struct ssdf_device *f, ssdf_ppn_t ppn);
void ssdf_place_to_read(const struct ssdf_device *f, struct ssdf_command *cmd);
ssdf_block_t ssdf_emptiest(struct ssdf_device *f, u32 plane, u32 worth);
void ssdf_take_closed(struct ssdf_device *f, u32 plane, ssdf_block_t block);
void ssdf_erased(struct ssdf_device *f, u32 plane, ssdf_block_t block);
void ssdf_fill_page(struct ssdf_device *f, u32 plane, ssdf_lpn_t lpn);
void ssdf_fill_moved_page(struct ssdf_device *f, u32 plane, ssdf_lpn_t lpn);
void ssdf_restore_map(struct ssdf_device *f);
bool ssdf_restore_page(struct ssdf_device *f, ssdf_lpn_t lpn);
void ssdf_restore_block(struct ssdf_device *f, ssdf_block_t block, u32 written);
void ssdf_restore_closed(struct ssdf_device *f, ssdf_block_t block);
int ssdf_ftl_check(const struct ssdf_device *f);

#endif /* SSDF_FTL_H */
