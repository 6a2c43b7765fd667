build/ring.o: ring.c replay.h trace.h
replay.h:
trace.h:
