/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TRACE_INPUT_H
#define TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_decoder;

/**
 * struct trace_input - a file read by lines or by records, decompressed if need be
 * @name: for messages
 * @line: number of the line or record read last, from 1
 * @bytes: how many bytes have been read, decompressed
 */
struct trace_input {
	const char *name;
	uint64_t line;
	uint64_t bytes;

	/* private: */
	int fd;
	const struct trace_decoder *decoder;
	void *state;
	uint8_t *raw;		/* bytes of the file */
	size_t raw_at;
	size_t raw_end;
	char *text;		/* decompressed */
	size_t text_at;
	size_t text_end;
	bool raw_over;
	bool text_over;
	bool in_long_line;
};

#define TRACE_LINE_BYTES	4096u

/* TRACE_LINE_LONG: more than TRACE_LINE_BYTES characters, which were skipped. */
enum trace_line { TRACE_LINE, TRACE_LINE_LONG, TRACE_LINE_END };

void trace_input_open(struct trace_input *in, const char *name);
bool trace_input_is_plain(const struct trace_input *in);
const char *trace_input_start(struct trace_input *in, size_t *size, bool *all);
enum trace_line trace_input_line(struct trace_input *in, char **line, size_t *len);
const uint8_t *trace_input_record(struct trace_input *in, size_t size, size_t *got);
void trace_input_back(struct trace_input *in, size_t size);
void trace_input_close(struct trace_input *in);

#endif /* TRACE_INPUT_H */
