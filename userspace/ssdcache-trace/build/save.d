build/save.o: save.c trace.h
trace.h:
