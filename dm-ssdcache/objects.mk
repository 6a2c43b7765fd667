# SPDX-License-Identifier: GPL-2.0
#
# The portable objects, without suffix: the one list that the module, KUnit and the user-space tools build from.

base-objects := base/describe base/histogram base/page-set

# In the order of engine/FLOORS.
engine-objects := engine/lifecycle engine/check engine/stats engine/request engine/discard engine/sync \
		  engine/read-ahead engine/writeback engine/evict engine/prefetch engine/page engine/pass \
		  engine/wait engine/switch engine/thrash engine/directory engine/view engine/registry

flash-objects := flash/age flash/device flash/ftl flash/gc flash/media flash/nand flash/params flash/restore \
		 flash/stats

policy-objects := \
	replacement/block-group \
	replacement/bplru \
	replacement/cflru \
	replacement/cflru-ef \
	replacement/cflru-ef-sc \
	replacement/co-active \
	replacement/ecr \
	replacement/fab \
	replacement/fifo \
	replacement/lcr \
	replacement/lfu \
	replacement/lru \
	replacement/mq-ssd \
	replacement/req-block \
	replacement/vbbms \
	replacement/visibility-build \
	replacement/visibility-graph \
	replacement/vs-batch \
	replacement/vs-batch-plus \
	replacement/vs-lists \
	admission/corw \
	admission/corw-rules \
	admission/l-corw \
	admission/read-write \
	admission/reaccess \
	admission/write-buffer \
	prefetch/block-rules \
	prefetch/c-miner \
	prefetch/fp-growth \
	prefetch/none \
	prefetch/page-counts \
	prefetch/pattern \
	prefetch/pattern-matrix \
	prefetch/pattern-plus \
	prefetch/pattern-pool \
	prefetch/patterns \
	prefetch/rop

portable-objects := $(base-objects) $(engine-objects) $(flash-objects) $(policy-objects)
