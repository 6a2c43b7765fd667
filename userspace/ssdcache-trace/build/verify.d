build/verify.o: verify.c replay.h trace.h
replay.h:
trace.h:
