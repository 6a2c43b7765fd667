build/latency.o: latency.c replay.h trace.h
replay.h:
trace.h:
