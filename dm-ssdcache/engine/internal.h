/* SPDX-License-Identifier: GPL-2.0 */
/* All headers of the engine, for tests; the engine itself does not include this file. */
#ifndef SSDC_INTERNAL_H
#define SSDC_INTERNAL_H

#include "engine.h"
#include "read.h"
#include "write.h"
#include "read-ahead.h"
#include "discard.h"
#include "sync.h"
#include "writeback.h"
#include "evict.h"
#include "prefetch.h"
#include "stable.h"
#include "copy.h"
#include "twin.h"
#include "page.h"
#include "decide.h"
#include "pass.h"
#include "wait.h"
#include "switch.h"
#include "thrash.h"
#include "directory.h"
#include "view.h"

#endif /* SSDC_INTERNAL_H */
