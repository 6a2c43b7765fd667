/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion of what the engine's and the flash model's tables name: plug-ins, profiles, tunables and their values.
 */
#ifndef SPECS_H
#define SPECS_H

#include "../../dm-ssdcache/base/describe.h"
#include "../../dm-ssdcache/policy-api/plugin.h"
#include "../common/complete.h"

bool complete_kind(struct completion at, const char *kind);
void complete_profile(struct completion at);
void complete_setting(struct completion at, const struct ssdc_tunable *table, unsigned int nr);
void complete_value(struct completion at, const struct ssdc_tunable *table, unsigned int nr, const char *key, size_t key_len);

#endif /* SPECS_H */
