/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDCACHECTL_LIVE_H
#define SSDCACHECTL_LIVE_H

#include "../common/options.h"

extern const struct option_def live_options[];

int live_advise(int argc, char **argv);

#endif /* SSDCACHECTL_LIVE_H */
