build/blktrace.o: blktrace.c trace.h
trace.h:
