build/convert.o: convert.c trace.h
trace.h:
