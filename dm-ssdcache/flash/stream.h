/* SPDX-License-Identifier: GPL-2.0 */
/* Which host writes share blocks. */
#ifndef SSDF_STREAM_H
#define SSDF_STREAM_H

#include "state.h"

u32 ssdf_stream_of(const struct ssdf_device *f, ssdf_lpn_t lpn, const struct ssdf_request *rq);
void ssdf_stream_collected(struct ssdf_device *f, u32 plane, ssdf_block_t block);

#endif /* SSDF_STREAM_H */
