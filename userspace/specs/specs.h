/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Completion of what the engine's and the flash model's tables name: plug-ins, profiles, tunables and their values.
 */
#ifndef SPECS_H
#define SPECS_H

#include "../../dm-ssdcache/base/describe.h"
#include "../../dm-ssdcache/policy-api/plugin.h"
#include "../common/complete.h"

/* What a list of specs takes besides plug-ins: the choice by shadows; groups of plug-ins. */
enum { COMPLETE_AUTO = 1, COMPLETE_GROUPS = 2 };

bool complete_kind(struct completion at, const char *kind);
bool complete_specs(struct completion at, const char *kind, unsigned int also);
void complete_profile(struct completion at);
void complete_setting(struct completion at, const struct ssdc_tunable *table, unsigned int nr);
void complete_value(struct completion at, const struct ssdc_tunable *table, unsigned int nr, const char *key, size_t key_len);

#endif /* SPECS_H */
