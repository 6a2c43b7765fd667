# SPDX-License-Identifier: GPL-2.0
# The fuzz targets, part of userspace/Makefile. BUILD is a folder of its own for each compiler:
#
#	make fuzz-replay-bin	build/sanitized/fuzz/bin/TARGET: runs the files it is given; any compiler
#	make fuzz-clang-bin	build/fuzz-clang/fuzz/bin/TARGET: libFuzzer; clang
#
# fuzz/replay.sh and fuzz/run.sh use them.

comma := ,
fuzz-targets := ctl flash readers sim tables traces
fuzz-bin := $(fuzz-targets:%=$(BUILD)/fuzz/bin/%)
fuzz-common := $(BUILD)/fuzz/harness.o $(if $(LIBFUZZER),,$(BUILD)/fuzz/replay.o)
fuzz-wrap := -Wl,--wrap=exit -Wl,--wrap=fopen -Wl,--wrap=fdopen -Wl,--wrap=fclose $(LIBFUZZER)

# Small buffers, so that lines cross their ends and tables grow. They are also faster.
fuzz-input-flags := -DRAW_BYTES=256 -DTEXT_BYTES=6000 -DXZ_MEMORY=16777216 -DKEPT_REQUESTS=4 -DWINDOW_EVENTS=32 -DMIN_WINDOW=8 \
		    -DFIRST_RANGES=4
fuzz-input := $(patsubst trace/%.c,$(BUILD)/fuzz/readers/%.o,$(wildcard trace/*.c))
$(BUILD)/fuzz/readers/%.o: trace/%.c $(built-with)
	$(call compile,$(base-flags) $(sim-flags) $(fuzz-input-flags))

# The target "readers" counts branches but does not note operands of comparisons, which takes half of the time. "traces" does.
fuzz-quick := $(fuzz-input:$(BUILD)/fuzz/readers/%=$(BUILD)/fuzz/quick/%)
$(BUILD)/fuzz/quick/%.o: trace/%.c $(built-with)
	$(call compile,$(base-flags) $(sim-flags) $(fuzz-input-flags) $(FUZZ_QUICK))

fuzz-driver := $(addprefix $(BUILD)/fuzz/driver/,ssdcache/table.o ssdcache/auto.o ssdcache/auto-sysfs.o ssdcache/message.o \
		 ssdcache/policies.o common/origin.o)
$(fuzz-driver) $(BUILD)/fuzz/tables.o $(BUILD)/fuzz/sysfs-files.o: flags := $(filter-out -I$(SHIM),$(flags)) -Ifuzz/kernel -Itests/zoned -I$(SHIM) \
	-DSSDC_HAVE_HRTIMER_SETUP -DSSDC_HAVE_BLK_MODE -DSSDC_HAVE_FEAT_ZONED
$(BUILD)/fuzz/driver/%.o: $(ENGINE)/driver/%.c $(built-with)
	$(call compile,$(flags) -Wno-unused-parameter)

fuzz-trace := $(addprefix $(BUILD)/fuzz/trace/,counts.o load.o convert.o info.o pages.o save.o)
$(BUILD)/fuzz/trace/%.o: ssdcache-trace/%.c $(built-with)
	$(call compile,$(base-flags) $(sim-flags) -DCHUNK_BYTES=512 -DFIRST_ROOM=16 -DCOUNTS_SUB_BITS=3u -DXZ_PRESET=0 -DBZ2_BLOCK=1)
# The system's own types, as in ssdcache-trace and sysfs.c.
fuzz-files := $(BUILD)/fuzz/trace-input.o $(BUILD)/fuzz/memory-file.o
fuzz-capture := $(BUILD)/fuzz/capture-file.o
fuzz-files-wrap := $(addprefix -Wl$(comma)--wrap=,open read lseek stat fstat close)
$(addprefix $(BUILD)/fuzz/,traces.o readers.o harness.o replay.o) $(fuzz-files) $(fuzz-capture): flags := $(base-flags)

# Without sysfs.c and origin.c, which ctl.c replaces.
fuzz-ctl-plain := $(addprefix $(BUILD)/fuzz/ctl/,attribute.o devmap.o null-blk.o)
fuzz-ctl := $(patsubst ssdcachectl/%.c,$(BUILD)/fuzz/ctl/%.o,$(filter-out ssdcachectl/sysfs.c ssdcachectl/origin.c, \
	      $(wildcard ssdcachectl/*.c)))
ctl-flags := $(base-flags) $(call pkg-config,--cflags devmapper jansson)
$(fuzz-ctl) $(BUILD)/fuzz/ctl.o: flags := $(ctl-flags) -I$(SHIM)
$(fuzz-ctl-plain): flags := $(ctl-flags)
$(BUILD)/fuzz/ctl/main.o: flags += -Dmain=ctl_main
$(BUILD)/fuzz/ctl/%.o: ssdcachectl/%.c $(built-with)
	$(call compile,$(flags))

$(BUILD)/fuzz/bin/ctl: $(BUILD)/fuzz/ctl.o $(fuzz-common) $(fuzz-ctl) $(BUILD)/specs/specs.o $(engine-obj) $(common-obj)
	$(call link,$(fuzz-wrap) -Wl$(comma)--wrap=devmap_begin -Wl$(comma)--wrap=devmap_end \
		-Wl$(comma)--wrap=devmap_message $(call pkg-config,--libs devmapper jansson) -lm)

$(BUILD)/fuzz/bin/flash: $(BUILD)/fuzz/flash.o $(fuzz-common) $(engine-obj) $(common-obj)
	$(call link,$(fuzz-wrap))

$(BUILD)/fuzz/bin/sim: $(BUILD)/fuzz/sim.o $(fuzz-common) $(engine-obj) $(common-obj) \
		   $(filter-out %/program.o %/plugin.o,$(sim-obj)) $(fuzz-input)
	$(call link,$(fuzz-wrap) -Wl$(comma)--wrap=ssdc_background $(sim-libs))

$(BUILD)/fuzz/bin/tables: $(BUILD)/fuzz/tables.o $(BUILD)/fuzz/sysfs-files.o $(fuzz-common) $(fuzz-driver) $(engine-obj) $(common-obj)
	$(call link,$(fuzz-wrap))

$(BUILD)/fuzz/bin/traces: $(BUILD)/fuzz/traces.o $(fuzz-files) $(fuzz-capture) $(fuzz-common) $(fuzz-trace) $(common-obj) $(fuzz-input)
	$(call link,$(fuzz-wrap) $(fuzz-files-wrap) -Wl$(comma)--wrap=atexit $(sim-libs))

$(BUILD)/fuzz/bin/readers: $(BUILD)/fuzz/readers.o $(fuzz-files) $(fuzz-common) $(BUILD)/fuzz/trace/load.o $(common-obj) $(fuzz-quick)
	$(call link,$(fuzz-wrap) $(fuzz-files-wrap) $(sim-libs))

fuzz-bin: $(fuzz-bin)

FUZZ_FLAGS := -O1 -g -fsanitize=address,undefined,float-cast-overflow,fuzzer-no-link -fno-sanitize-recover=all \
	      -fno-omit-frame-pointer
fuzz-replay-bin:
	$(Q)$(MAKE) BUILD=$(BUILD)/sanitized CFLAGS="$(SANITIZE)" fuzz-bin

fuzz-clang-bin:
	$(Q)$(MAKE) BUILD=$(BUILD)/fuzz-clang CC=clang CFLAGS="$(FUZZ_FLAGS)" FUZZ_QUICK="-O2 -fno-sanitize-coverage=trace-cmp" \
		LIBFUZZER=-fsanitize=fuzzer fuzz-bin

-include $(wildcard $(BUILD)/fuzz/*.d $(BUILD)/fuzz/*/*.d $(BUILD)/fuzz/*/*/*.d)

.PHONY: fuzz-bin fuzz-replay-bin fuzz-clang-bin
