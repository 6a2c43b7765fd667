/* SPDX-License-Identifier: GPL-2.0 */
/* The state before the first use. */
#ifndef SSDF_AGE_H
#define SSDF_AGE_H

#include "state.h"

void ssdf_age_begin(struct ssdf_device *f);

#endif /* SSDF_AGE_H */
