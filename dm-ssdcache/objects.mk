# SPDX-License-Identifier: GPL-2.0
#
# The portable objects, without suffix: the one list that the module, KUnit and the user-space tools build from.

base-objects := base/describe base/ghost base/histogram base/holds base/page-set

policy-api-objects := policy-api/check

# In the order of engine/FLOORS.
engine-objects := engine/lifecycle engine/check engine/stats engine/request engine/read engine/write \
		  engine/discard engine/sync engine/read-ahead engine/writeback engine/evict engine/prefetch engine/stable engine/copy engine/twin \
		  engine/page engine/pass engine/wait engine/switch engine/thrash engine/tier engine/directory engine/view engine/registry \
		  engine/shards

shadow-objects := shadow/shadows shadow/replay shadow/dies shadow/flash

auto-objects := auto/decide auto/spec

flash-objects := flash/age flash/device flash/errors flash/events flash/ftl flash/gc flash/lookup \
		 flash/map-cache flash/media-commands flash/media-events flash/nand flash/nand-setup flash/params \
		 flash/profiles flash/program flash/queues flash/restore flash/setup flash/stats flash/steady \
		 flash/stream flash/suspend flash/victim flash/view flash/wear

# The policies and their helpers: from the lines of builtin.h, "SSDC_BUILTIN(kind, file, type)" and
# "SSDC_HELPER(kind, file)". sort drops repetitions: a file may define several types.
builtin-list := $(dir $(lastword $(MAKEFILE_LIST)))builtin.h
policy-objects := $(sort $(shell LC_ALL=C awk -F '[^a-z0-9-]+' '/^SSDC_/ { print $$2 "/" $$3 }' $(builtin-list)))

portable-objects := $(base-objects) $(policy-api-objects) $(engine-objects) $(shadow-objects) $(auto-objects) $(flash-objects) $(policy-objects) builtin
