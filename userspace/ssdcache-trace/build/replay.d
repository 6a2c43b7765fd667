build/replay.o: replay.c replay.h trace.h
replay.h:
trace.h:
