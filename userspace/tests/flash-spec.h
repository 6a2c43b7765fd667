/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TESTS_FLASH_SPEC_H
#define TESTS_FLASH_SPEC_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../dm-ssdcache/flash/state.h"

/* As ssdf_params_parse(), but of a key that is given twice, the last value counts: tests change what they start from. */
static inline int flash_params_from_spec(struct ssdf_params *params, const char *spec, struct ssdc_error *error)
{
	size_t len = strcspn(spec, ":");
	const char *word = spec + len, *value;
	char name[32];
	int r;

	snprintf(name, sizeof(name), "%.*s", (int)len, spec);
	for (r = ssdf_params_parse(params, name, error); !r && *word; word = value + len) {
		word++;
		value = word + strcspn(word, "=") + 1;
		len = strcspn(value, ",");
		r = ssdf_params_set(params, word, value - 1 - word, value, len, error);
	}
	return r;
}

/* A flash device from a spec such as "custom:channels=2"; ends the program if there is none. */
static inline struct ssdf_device *flash_from_spec(const char *spec)
{
	struct ssdc_error error;
	struct ssdf_params params;
	struct ssdf_device *f = NULL;

	if (!flash_params_from_spec(&params, spec, &error) && !ssdf_params_check(&params, 0, &error))
		f = ssdf_create(&params, &error);
	if (!f) {
		printf("Bail out! %s: %s\n", spec, error.text);
		exit(1);
	}
	return f;
}

#endif /* TESTS_FLASH_SPEC_H */
