/* SPDX-License-Identifier: GPL-2.0 */
/* Ageing: the steady state of random writes. */
#ifndef SSDF_STEADY_H
#define SSDF_STEADY_H

#include "state.h"

void ssdf_steady_begin(struct ssdf_device *f);
void ssdf_steady_plane(struct ssdf_device *f, u32 lpns);
bool ssdf_steady_page(struct ssdf_device *f);
bool ssdf_steady_write(struct ssdf_device *f);

#endif /* SSDF_STEADY_H */
