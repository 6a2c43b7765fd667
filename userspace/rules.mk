# SPDX-License-Identifier: GPL-2.0
# What the Makefiles of all user-space tools share: compilers, quiet recipes, flags. Include it
# after setting BUILD. "make V=1" shows the commands.
#
# Honours CC, CFLAGS, CPPFLAGS, LDFLAGS, PKG_CONFIG, PYTHON and WERROR.

CC ?= gcc
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
PYTHON ?= python3
PREFIX ?= /usr/local
# Distributions that have one folder for programs name it.
SBINDIR ?= $(PREFIX)/sbin
# Empty for packages: later compilers may warn about more.
WERROR ?= -Werror
V ?= 0

# Several Makefiles install. A relative path would be a folder below each of them, "~" included, which shells leave in quotes.
ifneq ($(filter install uninstall,$(MAKECMDGOALS)),)
$(foreach name,DESTDIR PREFIX SBINDIR ZSH_DIR,$(if $(filter-out /%,$(firstword $($(name)))), \
	$(error $(name) ($($(name))) must be an absolute path)))
endif

# No built-in rules: make would try some forty for each file, which takes longer than all else if nothing has changed.
MAKEFLAGS += -r

# What a failed command leaves is not taken for its result.
.DELETE_ON_ERROR:

# Optimisation across files, at link time, unless the caller has chosen CFLAGS. The objects have ordinary
# code, too, which programs linked with $(no-lto) use: older versions of Clang only warn that they cannot do this.
ifeq ($(origin CFLAGS),file)
lto := $(shell $(CC) -Werror -flto=auto -ffat-lto-objects -x c -c /dev/null -o /dev/null 2>/dev/null && \
	       echo -flto=auto -ffat-lto-objects)
no-lto := $(if $(lto),-fno-lto)
endif

# make splits names at blanks, and would build, and remove, in the folder that the first part names. make and the shell read
# other characters in their own ways, too.
special = $(foreach c,( ) & ; ' " ` $$ | < > * ? [ { \ % :,$(if $(findstring $(c),$(1)),$(c)))
not-in-paths = $(or $(if $(filter-out 1,$(words x$(1))),white space),$(strip $(special)))
ifneq ($(call not-in-paths,$(CURDIR)$(BUILD)$(ENGINE_BUILD)),)
$(error no $(call not-in-paths,$(CURDIR)$(BUILD)$(ENGINE_BUILD)) allowed in the path of the tree ($(CURDIR)) or in BUILD ($(BUILD)))
endif

base-flags := -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wshadow $(WERROR)
userspace := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))
ENGINE := $(userspace)/../dm-ssdcache
SHIM := $(userspace)/../include/shim

SANITIZE := -O1 -g -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -fno-omit-frame-pointer

ifeq ($(V),0)
Q := @
tell = @printf '  %-7s %s\n' "$(1)" "$(2)"
MAKEFLAGS += --no-print-directory
else
Q :=
tell = @:
endif
# "make -s" prints nothing at all.
ifneq ($(findstring s,$(firstword -$(MAKEFLAGS))),)
tell = @:
endif
# $(call say,WORD,FILE): a file that is built
say = $(call tell,$(1),$(patsubst $(abspath $(userspace))/%,%,$(abspath $(2))))

# Objects depend on this file, which has the compiler and the flags of the last build. Root installs what the user has built, whatever
# flags root's environment has.
built-with := $(BUILD)/built-with
# The word "file" stands for default CFLAGS: the simulator then has flags of its own. LC_ALL=C: the version of the compiler is translated.
compiled-with := $(strip $(CC) $(base-flags) $(CPPFLAGS) $(CFLAGS) $(filter file,$(origin CFLAGS)) $(lto) $(LDFLAGS) \
			 $(shell LC_ALL=C $(CC) --version 2>/dev/null))
ifneq ($(MAKECMDGOALS),)
ifeq ($(filter-out install uninstall,$(MAKECMDGOALS)),)
export KEEP_BUILT_WITH := 1
endif
endif
ifeq ($(KEEP_BUILT_WITH),)
ifneq ($(file <$(built-with)),$(compiled-with))
$(built-with): force
endif
endif
$(built-with):
	@mkdir -p $(@D)
	$(Q)printf '%s\n' '$(subst ','\'',$(compiled-with))' >$@

.PHONY: force

# $(call compile,FLAGS): the recipe of one object. GCC's profiles name functions by the path of their object as the command has it. It is
# that below this folder, so that the packages have the same simulator wherever they are built.
define compile
@mkdir -p $(@D)
$(call say,CC,$@)
$(Q)$(CC) $(1) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MQ $@ -c -o $(patsubst $(CURDIR)/%,%,$@) $<
endef

# $(call link,LIBRARIES): the recipe of one program, from all objects among its prerequisites
define link
@mkdir -p $(@D)
$(call say,LD,$@)
$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(1)
endef

# $(call install,MODE,FILE,TARGET); the target is in a folder of the user's choice, whose name may have blanks
define install
$(call tell,INSTALL,$(3))
$(Q)install -D -m $(1) "$(2)" "$(3)"
endef

# $(eval $(call need-libraries,FILE,PACKAGES)): a rule for $(BUILD)/FILE, which exists if the libraries do. Objects depend on such a file, so
# that all that is missing is named at once, before the compiler misses a header. Because of .SECONDARY, only .PHONY makes a file that
# is missing.
define need-libraries
$(if $(wildcard $(BUILD)/$(1)),,.PHONY: $$(BUILD)/$(1))
$$(BUILD)/$(1):
	@mkdir -p $$(@D)
	$$(Q)PKG_CONFIG='$$(PKG_CONFIG)' $$(userspace)/need-libraries.sh $(2) -- $$(CC) $$(CPPFLAGS) $$(CFLAGS)
	@touch $$@
endef
# $(call pkg-config,WORD PACKAGE...)
pkg-config = $(shell $(PKG_CONFIG) $(1) 2>/dev/null)

# What all tools share.
common-obj := $(patsubst $(userspace)/%.c,$(BUILD)/%.o,$(wildcard $(userspace)/common/*.c))

$(BUILD)/common/%.o: $(userspace)/common/%.c $(built-with)
	$(call compile,$(base-flags) -fvisibility=hidden)

# The readers of traces.
trace-obj := $(patsubst $(userspace)/%.c,$(BUILD)/%.o,$(wildcard $(userspace)/trace/*.c))
trace-packages := liblzma libzstd zlib
# Not all distributions have a file for pkg-config with bzip2.
trace-libs = $(call pkg-config,--libs $(trace-packages)) -lbz2

$(trace-obj): flags := $(base-flags) -fvisibility=hidden
$(BUILD)/trace/%.o: $(userspace)/trace/%.c $(built-with)
	$(call compile,$(flags) $(call pkg-config,--cflags $(trace-packages)))

-include $(common-obj:.o=.d) $(trace-obj:.o=.d)
