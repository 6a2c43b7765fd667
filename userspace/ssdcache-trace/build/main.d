build/main.o: main.c trace.h
trace.h:
