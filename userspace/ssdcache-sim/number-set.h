/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_NUMBER_SET_H
#define SSDC_SIM_NUMBER_SET_H

#include "sim.h"

#define NUMBER_SET_LEVELS 6
#define NUMBER_SET_NONE	U32_MAX

/* A set of numbers up to a bound: a bitmap, a bitmap of its words that are not 0, and so on. */
struct number_set {
	u64 *levels[NUMBER_SET_LEVELS];
	unsigned int nr_levels;
	u64 bytes;
};

void number_set_create(struct number_set *set, u32 bound);
void number_set_add(struct number_set *set, u32 number);
bool number_set_has(const struct number_set *set, u32 number);
void number_set_remove(struct number_set *set, u32 number);
u32 number_set_highest(const struct number_set *set, u32 limit);
void number_set_free(struct number_set *set);

#endif /* SSDC_SIM_NUMBER_SET_H */
