// SPDX-License-Identifier: GPL-2.0
/*
 * The table of built-in plug-ins. It lives outside engine/, which depends on no policy.
 */
#include "policy-api/admission.h"
#include "policy-api/prefetch.h"
#include "policy-api/replacement.h"

#define SSDC_BUILTIN(kind, file, type) &(type).plugin,
#define SSDC_HELPER(kind, file)
struct ssdc_plugin_type *const ssdc_builtin_types[] = {
#include "builtin.h"
	NULL
};
