# SPDX-License-Identifier: GPL-2.0
#
# make demo		capture a real workload and replay it against every policy; report
# make check		every test
# make bench		cost in instructions, throughput, metadata
#
# make module [KDIR=…]	the module, for the running kernel or for KDIR
# make feeder [KDIR=…]	the test module that replays traces in virtual time
# make userspace	the tools
# make install		module, tools, man pages	(DESTDIR, PREFIX)
# make uninstall
# make docs		Documentation/reference.rst from the descriptor tables
# make clean

PREFIX ?= /usr/local
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
JOBS ?= $(shell nproc)

# Each kernel has a build tree of its own, so that they do not get into each other's way.
BUILD := $(CURDIR)/build/$(notdir $(patsubst %/,%,$(KDIR)))
MODULE := $(BUILD)/dm-ssdcache/dm-ssdcache.ko
MODULE_DIR := $(DESTDIR)/lib/modules/$(KVER)/updates

.PHONY: all module module-tree feeder userspace demo check bench install uninstall docs clean

all: module userspace

# Where the sources are.
module-dir := dm-ssdcache
feeder-dir := scripts/lab/feeder

module feeder: module-tree
	@test -d "$(KDIR)" || { echo "no kernel headers at $(KDIR): install linux-headers-$(KVER), or say KDIR=…" >&2; exit 1; }
	$(MAKE) -j$(JOBS) -C $(KDIR) M=$(BUILD)/$($@-dir) $(if $(ARCH),ARCH=$(ARCH)) \
		$(if $(W),W=$(W)) $(if $(C),C=$(C)) modules

# A mirror of symbolic links; files that are gone from the source go there, too.
module-tree:
	@mkdir -p $(BUILD)
	@find $(BUILD) -xtype l -delete
	@mkdir -p $(BUILD)/scripts/lab
	@cp -rsfu $(CURDIR)/dm-ssdcache $(CURDIR)/include $(BUILD)/
	@cp -rsfu $(CURDIR)/scripts/lab/feeder $(BUILD)/scripts/lab/

userspace:
	$(MAKE) -C userspace all

demo:
	scripts/studies/demo.sh

check:
	scripts/check/check.sh

bench:
	scripts/studies/bench.sh

install: all
	install -D -m 644 $(MODULE) $(MODULE_DIR)/dm-ssdcache.ko
	$(if $(DESTDIR),,depmod $(KVER))
	$(MAKE) -C userspace install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)

uninstall:
	rm -f $(MODULE_DIR)/dm-ssdcache.ko
	$(if $(DESTDIR),,depmod $(KVER))
	$(MAKE) -C userspace uninstall PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)

docs: userspace
	userspace/build/bin/ssdcache-sim --describe=rst > Documentation/reference.rst

clean:
	rm -rf build
	$(MAKE) -C userspace clean
