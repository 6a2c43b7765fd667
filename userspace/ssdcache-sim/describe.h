/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_DESCRIBE_H
#define SSDC_SIM_DESCRIBE_H

#include <stdbool.h>
#include <stdio.h>

extern const char *const sim_describe_formats[];

void sim_describe_json(FILE *out);
bool sim_describe(const char *format, FILE *out);

#endif /* SSDC_SIM_DESCRIBE_H */
