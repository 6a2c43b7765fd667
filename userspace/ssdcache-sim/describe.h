/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_DESCRIBE_H
#define SSDC_SIM_DESCRIBE_H

#include <stdio.h>

void sim_describe_json(FILE *out);
void sim_describe_rst(FILE *out);
void sim_describe_names(FILE *out);

#endif /* SSDC_SIM_DESCRIBE_H */
