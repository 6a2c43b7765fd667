# SPDX-License-Identifier: GPL-2.0

## Build
#   make                  module and tools
#   make module           the module for the running kernel, or for KDIR=DIRECTORY
#   make feeder           the test module that replays traces in virtual time
#   make userspace        the tools, in userspace/build/bin
#   make docs             Documentation/reference.rst, from the descriptor tables
#   make clean
## Test
#   make quick            before each commit: tools, style, unit tests; a minute, no kernel, no root
#   make check            every test, in a quarter of an hour (longer the first time); installs packages; SSDC_LONG=1: more tests
## Study
#   make demo             capture a real workload, replay it against every policy; a report
#   make bench            cost in instructions, throughput, metadata
## Install
#   make install          module, tools, man pages; honours DESTDIR and PREFIX
#   make uninstall
## Variables
#   V=1                   print every command, and every result of quick and check
#   KDIR, ARCH, W, C      as in the kernel's build; KVER: the kernel to install for

PREFIX ?= /usr/local
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
JOBS ?= $(shell nproc)

# Each kernel has its own build tree, so that builds for several kernels do not disturb each other.
BUILD := $(CURDIR)/build/$(notdir $(patsubst %/,%,$(KDIR)))
MODULE := $(BUILD)/dm-ssdcache/dm-ssdcache.ko
MODULE_DIR := $(DESTDIR)/lib/modules/$(KVER)/updates

# V=1 reaches kbuild and userspace/Makefile as a variable of the command line. Without it, kbuild's lines are shortened:
# they name files by their full paths in the build tree.
Q := $(if $(filter 1,$(V)),,@)
short := $(if $(filter 1,$(V)),,| sed -u 's|$(BUILD)/||g; /^make.*: \(Entering\|Leaving\) directory/d')
MAKEFLAGS += --no-print-directory
SHELL := /bin/bash

.PHONY: all help module module-tree feeder userspace demo quick check bench install uninstall docs clean

all: module userspace

help:
	@sed -n '/^##/,/^$$/ { s/^## //p; s/^# / /p }' Makefile

# Folders of the two modules.
module-dir := dm-ssdcache
feeder-dir := scripts/lab/feeder

module feeder: module-tree
	@test -d "$(KDIR)" || { echo "no kernel headers at $(KDIR): install linux-headers-$(KVER) or set KDIR" >&2; exit 1; }
	$(Q)set -o pipefail; $(MAKE) -j$(JOBS) -C $(KDIR) M=$(BUILD)/$($@-dir) $(if $(ARCH),ARCH=$(ARCH)) \
		$(if $(W),W=$(W)) $(if $(C),C=$(C)) modules $(short)

# A mirror of symbolic links, without links to sources that no longer exist and to what a build in the tree left.
module-tree:
	$(Q)mkdir -p $(BUILD)/scripts/lab
	$(Q)find $(BUILD) -xtype l -delete
	$(Q)cp -rsfu $(CURDIR)/dm-ssdcache $(CURDIR)/include $(BUILD)/
	$(Q)cp -rsfu $(CURDIR)/scripts/lab/feeder $(BUILD)/scripts/lab/
	$(Q)find $(BUILD) -type l \( -name '*.o' -o -name '*.ko' -o -name '.*.cmd' -o -name '*.mod' -o -name '*.mod.c' \
		-o -name modules.order -o -name Module.symvers \) -delete

userspace:
	$(Q)$(MAKE) -C userspace all

demo:
	$(Q)scripts/studies/demo.sh

quick:
	$(Q)V=$(V) scripts/check/check.sh --quick

check:
	$(Q)V=$(V) scripts/check/check.sh

bench:
	$(Q)scripts/studies/bench.sh

install: all
	$(Q)install -D -m 644 $(MODULE) $(MODULE_DIR)/dm-ssdcache.ko
	$(Q)$(if $(DESTDIR),:,depmod $(KVER))
	$(Q)$(MAKE) -C userspace install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)

uninstall:
	$(Q)rm -f $(MODULE_DIR)/dm-ssdcache.ko
	$(Q)$(if $(DESTDIR),:,depmod $(KVER))
	$(Q)$(MAKE) -C userspace uninstall PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)

docs: userspace
	$(Q)userspace/build/bin/ssdcache-sim --describe=rst > Documentation/reference.rst

clean:
	$(Q)rm -rf build
	$(Q)$(MAKE) -C userspace clean
