build/say.o: say.c trace.h
trace.h:
