/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the shells' completion offers besides the names of options; files where there is nothing.
 */
#ifndef SSDCACHECTL_COMPLETE_H
#define SSDCACHECTL_COMPLETE_H

#include "../common/complete.h"
#include "ctl.h"

bool ctl_complete(int argc, char **argv, const struct verb *const *verbs, size_t nr);

#endif /* SSDCACHECTL_COMPLETE_H */
