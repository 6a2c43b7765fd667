build/sim/trace-msr.o: ../ssdcache-sim/trace-msr.c \
 ../ssdcache-sim/trace.h ../ssdcache-sim/input.h ../ssdcache-sim/sim.h \
 ../shim/linux/kernel.h ../shim/linux/bitops.h ../shim/linux/bits.h \
 ../shim/linux/types.h ../shim/linux/build_bug.h ../shim/linux/bug.h \
 ../shim/linux/compiler.h ../shim/linux/container_of.h \
 ../shim/linux/limits.h ../shim/linux/log2.h ../shim/linux/minmax.h \
 ../ssdcache-sim/../../dm-ssdcache/engine/engine.h ../shim/linux/list.h \
 ../ssdcache-sim/../../dm-ssdcache/engine/replacement.h \
 ../ssdcache-sim/../../dm-ssdcache/engine/plugin.h \
 ../ssdcache-sim/../../dm-ssdcache/engine/describe.h \
 ../shim/linux/stddef.h \
 ../ssdcache-sim/../../dm-ssdcache/engine/frame-list.h \
 ../ssdcache-sim/../../dm-ssdcache/engine/entry.h \
 ../ssdcache-sim/../../dm-ssdcache/engine/types.h \
 ../ssdcache-sim/../../dm-ssdcache/engine/admission.h \
 ../ssdcache-sim/../../dm-ssdcache/engine/prefetch.h \
 ../ssdcache-sim/../../dm-ssdcache/engine/histogram.h
../ssdcache-sim/trace.h:
../ssdcache-sim/input.h:
../ssdcache-sim/sim.h:
../shim/linux/kernel.h:
../shim/linux/bitops.h:
../shim/linux/bits.h:
../shim/linux/types.h:
../shim/linux/build_bug.h:
../shim/linux/bug.h:
../shim/linux/compiler.h:
../shim/linux/container_of.h:
../shim/linux/limits.h:
../shim/linux/log2.h:
../shim/linux/minmax.h:
../ssdcache-sim/../../dm-ssdcache/engine/engine.h:
../shim/linux/list.h:
../ssdcache-sim/../../dm-ssdcache/engine/replacement.h:
../ssdcache-sim/../../dm-ssdcache/engine/plugin.h:
../ssdcache-sim/../../dm-ssdcache/engine/describe.h:
../shim/linux/stddef.h:
../ssdcache-sim/../../dm-ssdcache/engine/frame-list.h:
../ssdcache-sim/../../dm-ssdcache/engine/entry.h:
../ssdcache-sim/../../dm-ssdcache/engine/types.h:
../ssdcache-sim/../../dm-ssdcache/engine/admission.h:
../ssdcache-sim/../../dm-ssdcache/engine/prefetch.h:
../ssdcache-sim/../../dm-ssdcache/engine/histogram.h:
