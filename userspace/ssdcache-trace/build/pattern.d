build/pattern.o: pattern.c replay.h trace.h
replay.h:
trace.h:
