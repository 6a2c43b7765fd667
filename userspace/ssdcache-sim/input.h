/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SIM_INPUT_H
#define SSDC_SIM_INPUT_H

#include "sim.h"

struct sim_decoder;

/**
 * struct sim_input - a file read line by line, decompressed if need be
 * @name: for messages
 * @line: number of the line read last, from 1
 */
struct sim_input {
	const char *name;
	u64 line;

	int fd;
	const struct sim_decoder *decoder;
	void *state;
	u8 *raw;		/* bytes of the file */
	size_t raw_at;
	size_t raw_end;
	char *text;		/* decompressed */
	size_t text_at;
	size_t text_end;
	bool raw_over;
	bool text_over;
};

void sim_input_open(struct sim_input *in, const char *name);
bool sim_input_is_plain(const struct sim_input *in);
char *sim_input_line(struct sim_input *in, size_t *len);
void sim_input_close(struct sim_input *in);

/* Report an error as "FILE:LINE: ..." and end the program. */
void sim_bad_line(const struct sim_input *in, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3), __noreturn__));

#endif /* SSDC_SIM_INPUT_H */
