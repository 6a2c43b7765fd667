build/discard.o: discard.c replay.h trace.h
replay.h:
trace.h:
