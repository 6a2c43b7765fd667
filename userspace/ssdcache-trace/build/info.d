build/info.o: info.c pages.h trace.h
pages.h:
trace.h:
