build/device.o: device.c replay.h trace.h
replay.h:
trace.h:
