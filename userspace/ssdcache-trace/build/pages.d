build/pages.o: pages.c pages.h trace.h
pages.h:
trace.h:
