/* SPDX-License-Identifier: GPL-2.0 */
/* Programs and erases that let host reads go first. */
#ifndef SSDF_SUSPEND_H
#define SSDF_SUSPEND_H

#include "state.h"

bool ssdf_may_suspend(const struct ssdf_device *f, const struct ssdf_die *die);
void ssdf_suspend(struct ssdf_device *f, struct ssdf_die *die);
u64 ssdf_resume(struct ssdf_device *f, struct ssdf_die *die);

#endif /* SSDF_SUSPEND_H */
