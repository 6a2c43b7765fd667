# SPDX-License-Identifier: GPL-2.0

## Build
#   make                  module and tools
#   make module           the module for the running kernel, or for KDIR=DIRECTORY
#   make feeder           the test module that replays traces in virtual time
#   make userspace        the tools, in userspace/build/bin
#   make docs             Documentation/reference.rst, from the descriptor tables
#   make clean
#   make distclean-cache  remove the kernels and what else the lab keeps outside the tree (~/.cache/dm-ssdcache)
## Test
#   make quick            before each commit: tools, style, unit tests; a minute and a half, no kernel, no root
#   make check            every test, in a quarter of an hour (longer the first time); installs packages; SSDC_LONG=1: more tests
## Study
#   make demo             capture a real workload, replay it against every policy; a page that says which suits it
#   make demo TRACE=FILE  the same page of a trace of your own, in the simulator: results/report
#   make bench            cost in instructions, throughput, metadata
## Install
#   make install          module, tools, man pages, headers for policies; without kernel headers all but the module
#   make install-tools    all but the module: needs no root, with PREFIX=$HOME/FOLDER
#   make uninstall
#   make deb              Debian packages of the tools, of the module's source for DKMS and of the Python package, in build/packages
#   make rpm              tools and module's source for distributions with RPM
## Variables
#   V=1                   print every command, and every result of quick and check
#   KDIR, ARCH, LLVM, ... as in the kernel's build; KVER: the kernel to install for
#   DESTDIR, PREFIX       where to install: files below DESTDIR, tools in PREFIX (/usr/local); absolute paths
#   STRIP=0               install the module with its debug information

PREFIX ?= /usr/local
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build
JOBS ?= $(shell nproc)

# Each kernel has its own build tree, so that builds for several kernels do not disturb each other.
BUILD := $(CURDIR)/build/$(notdir $(patsubst %/build,%,$(patsubst %/,%,$(KDIR))))
# Without this, a BUILD in the environment would hand the folder of the module on to userspace/Makefile.
unexport BUILD
# make splits names at blanks, and would build, and remove, in the folder that the first part names. make and the shell read
# other characters in their own ways, too.
special = $(foreach c,( ) & ; ' " ` $$ | < > * ? [ { \ % :,$(if $(findstring $(c),$(1)),$(c)))
not-in-paths = $(or $(if $(filter-out 1,$(words x$(1))),white space),$(strip $(special)))
ifneq ($(call not-in-paths,$(BUILD)),)
$(error no $(call not-in-paths,$(BUILD)) allowed in the path of the tree ($(CURDIR)) or in KDIR ($(KDIR)))
endif
# As in userspace/rules.mk, and before anything is installed
ifneq ($(filter install install-module install-tools uninstall,$(MAKECMDGOALS)),)
$(foreach name,DESTDIR PREFIX SBINDIR ZSH_DIR,$(if $(filter-out /%,$(firstword $($(name)))), \
	$(error $(name) ($($(name))) must be an absolute path)))
endif
# See $(built-with) in userspace/rules.mk.
ifneq ($(MAKECMDGOALS),)
ifeq ($(filter-out install install-module install-tools uninstall,$(MAKECMDGOALS)),)
export KEEP_BUILT_WITH := 1
endif
endif
MODULE := $(BUILD)/dm-ssdcache/dm-ssdcache.ko
MODULE_DIR := $(DESTDIR)/lib/modules/$(KVER)/updates
# For policies outside the tree: what samples/policy/Makefile calls SSDCACHE
HEADER_DIR := $(DESTDIR)$(PREFIX)/include/dm-ssdcache
policy-headers = $(shell find include/dm-ssdcache-policy.h include/shim dm-ssdcache/builtin.h dm-ssdcache/base dm-ssdcache/policy-api \
	-name '*.h')

# V=1 reaches kbuild and userspace/Makefile as a variable of the command line. Without it, kbuild's lines are shortened:
# they name files by their full paths in the build tree.
Q := $(if $(filter 1,$(V)),,@)
short := $(if $(filter 1,$(V)),,| sed -u 's|$(BUILD)/||g; /^make.*: \(Entering\|Leaving\) directory/d')
MAKEFLAGS += --no-print-directory
SHELL := /bin/bash

.PHONY: all help module module-tree feeder userspace demo quick check bench install install-module install-tools \
	install-source uninstall deb rpm docs distclean-cache clean

all: module userspace

help:
	@sed -n '/^##/,/^$$/ { s/^## //p; s/^# / /p }' Makefile

# Folders of the two modules.
module-dir := dm-ssdcache
feeder-dir := scripts/lab/feeder

module feeder: module-tree
	@test -d "$(KDIR)" || { echo "no kernel headers at $(KDIR): install linux-headers-$(KVER) or set KDIR" >&2; exit 1; }
	$(Q)set -o pipefail; $(MAKE) $(if $(filter-out -j1,$(filter -j%,$(MAKEFLAGS))),,-j$(JOBS)) -C $(KDIR) M=$(BUILD)/$($@-dir) $(if $(ARCH),ARCH=$(ARCH)) \
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
	$(Q)if [ -e "$(TRACE)" ]; then scripts/studies/demo.sh "$(TRACE)"; else scripts/studies/demo.sh $(TRACE); fi

quick:
	$(Q)V=$(V) scripts/check/check.sh --quick

check:
	$(Q)V=$(V) scripts/check/check.sh

bench:
	$(Q)scripts/studies/bench.sh

# A kernel that was named must have its headers.
ifeq ($(wildcard $(KDIR)/Makefile)$(filter-out file,$(origin KVER) $(origin KDIR)),)
install: install-tools
	@echo "no kernel headers at $(KDIR): the tools are installed, the module is not" >&2
else
install: install-module install-tools
endif

# Of the toolchain that the kernel's build takes: LLVM=1, LLVM=FOLDER/ or LLVM=-VERSION
strip-tool = $(if $(LLVM),$(filter %/,$(LLVM))llvm-strip$(filter -%,$(LLVM)),$(CROSS_COMPILE)strip)

install-module: module
	$(Q)install -D -m 644 "$(MODULE)" "$(MODULE_DIR)/dm-ssdcache.ko"
	$(Q)$(if $(filter 0,$(STRIP)),:,$(strip-tool) --strip-debug "$(MODULE_DIR)/dm-ssdcache.ko")
	$(Q)install -m 644 "$(dir $(MODULE))Module.symvers" "$(MODULE_DIR)/dm-ssdcache.symvers"
	$(Q)$(if $(DESTDIR),:,depmod $(KVER))

install-tools: userspace
	$(Q)$(MAKE) -C userspace install PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)"
	$(Q)for header in $(policy-headers); do \
		install -D -m 644 "$$header" "$(HEADER_DIR)/$$header" || exit; \
	done

# The module's source as DKMS wants it; DKMS_SOURCE is /usr/src/dm-ssdcache-VERSION below a package's root.
install-source:
	$(Q)install -d -m 755 "$(DKMS_SOURCE)/include"
	$(Q)tar -c --exclude-vcs-ignores --exclude=.gitignore --mode=u=rwX,go=rX dm-ssdcache include | \
		tar -x -p --no-same-owner -C "$(DKMS_SOURCE)"
	$(Q)install -m 755 packaging/keep-symvers.sh "$(DKMS_SOURCE)"

uninstall:
	$(Q)$(MAKE) -C userspace uninstall PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)"
	$(Q)rm -rf "$(HEADER_DIR)"
	$(Q)rm -f "$(MODULE_DIR)/dm-ssdcache.symvers"
	$(Q)[ ! -e "$(MODULE_DIR)/dm-ssdcache.ko" ] || { rm "$(MODULE_DIR)/dm-ssdcache.ko"$(if $(DESTDIR),, && depmod $(KVER)); }

deb rpm:
	$(Q)packaging/$@.sh

docs: userspace
	$(Q)userspace/build/bin/ssdcache-sim --describe=rst > Documentation/reference.rst.new
	$(Q)mv Documentation/reference.rst.new Documentation/reference.rst

distclean-cache:
	$(Q)scripts/lab/clean-cache.sh

clean:
	$(Q)rm -rf build
	$(Q)$(MAKE) -C userspace clean
