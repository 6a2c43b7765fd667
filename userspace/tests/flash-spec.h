/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TESTS_FLASH_SPEC_H
#define TESTS_FLASH_SPEC_H

#include <stdio.h>
#include <stdlib.h>
#include "../../dm-ssdcache/flash/state.h"

/* A flash device from a spec such as "custom:channels=2"; ends the program if there is none. */
static inline struct ssdf_device *flash_from_spec(const char *spec)
{
	struct ssdc_error error;
	struct ssdf_params params;
	struct ssdf_device *f = NULL;

	if (!ssdf_params_parse(&params, spec, &error) && !ssdf_params_check(&params, 0, &error))
		f = ssdf_create(&params, &error);
	if (!f) {
		printf("Bail out! %s: %s\n", spec, error.text);
		exit(1);
	}
	return f;
}

#endif /* TESTS_FLASH_SPEC_H */
