// SPDX-License-Identifier: GPL-2.0
/*
 * Reads files, plain, gzip or Zstandard. The first bytes of a file decide, so names do not matter and
 * pipes work.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include "input.h"

/* The fuzzers have smaller ones. */
#ifndef RAW_BYTES
#define RAW_BYTES	(256u << 10)
#define TEXT_BYTES	(1u << 20)
#endif
#define LINE_BYTES	4096u

/**
 * struct sim_decoder - a compression
 * @magic: how its files start
 * @magic_len: length of @magic
 * @open: allocate the state
 * @decode: decompress raw bytes into at most @room bytes of text; returns how many. 0: more raw
 *	bytes are needed
 * @whole: does the input end with a complete frame?
 * @close: free the state
 */
struct sim_decoder {
	u8 magic[4];
	size_t magic_len;
	void *(*open)(void);
	size_t (*decode)(struct sim_input *in, char *to, size_t room);
	bool (*whole)(const struct sim_input *in);
	void (*close)(void *state);
};

void sim_bad_line(const struct sim_input *in, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		die(TOOL_FAILED, "no memory");
	va_end(args);
	die(TOOL_BAD_USAGE, "%s:%llu: %s", in->name, in->line, text);
}

static void __attribute__((__noreturn__)) damaged(const struct sim_input *in, const char *why)
{
	die(TOOL_BAD_USAGE, "%s: damaged compressed data after line %llu: %s", in->name,
	    in->line, why ? why : "unknown");
}

static size_t plain_decode(struct sim_input *in, char *to, size_t room)
{
	size_t nr = in->raw_end - in->raw_at;

	if (nr > room)
		nr = room;
	memcpy(to, in->raw + in->raw_at, nr);
	in->raw_at += nr;
	return nr;
}

struct gzip {
	z_stream stream;
	bool ended;
};

static void *gzip_open(void)
{
	struct gzip *gzip = xcalloc(1, sizeof(*gzip));

	if (inflateInit2(&gzip->stream, 15 + 16) != Z_OK)
		die(TOOL_FAILED, "no memory");
	return gzip;
}

static size_t gzip_decode(struct sim_input *in, char *to, size_t room)
{
	struct gzip *gzip = in->state;
	int r;

	/* A file may consist of several gzip members. */
	if (gzip->ended && in->raw_at < in->raw_end) {
		inflateReset(&gzip->stream);
		gzip->ended = false;
	}
	gzip->stream.next_in = in->raw + in->raw_at;
	gzip->stream.avail_in = in->raw_end - in->raw_at;
	gzip->stream.next_out = (Bytef *)to;
	gzip->stream.avail_out = room;
	r = gzip->ended ? Z_BUF_ERROR : inflate(&gzip->stream, Z_NO_FLUSH);
	if (r == Z_STREAM_END)
		gzip->ended = true;
	else if (r != Z_OK && r != Z_BUF_ERROR)
		damaged(in, gzip->stream.msg);
	in->raw_at = in->raw_end - gzip->stream.avail_in;
	return room - gzip->stream.avail_out;
}

static bool gzip_whole(const struct sim_input *in)
{
	return ((const struct gzip *)in->state)->ended;
}

static void gzip_close(void *state)
{
	inflateEnd(&((struct gzip *)state)->stream);
	free(state);
}

struct zst {
	ZSTD_DStream *stream;
	bool whole;
};

static void *zst_open(void)
{
	struct zst *zst = xcalloc(1, sizeof(*zst));

	zst->stream = ZSTD_createDStream();
	if (!zst->stream)
		die(TOOL_FAILED, "no memory");
	return zst;
}

static size_t zst_decode(struct sim_input *in, char *to, size_t room)
{
	ZSTD_inBuffer raw = { in->raw, in->raw_end, in->raw_at };
	ZSTD_outBuffer text = { to, room, 0 };
	struct zst *zst = in->state;
	size_t r = ZSTD_decompressStream(zst->stream, &text, &raw);

	if (ZSTD_isError(r))
		damaged(in, ZSTD_getErrorName(r));
	if (raw.pos > in->raw_at || text.pos)
		zst->whole = !r;
	in->raw_at = raw.pos;
	return text.pos;
}

static bool zst_whole(const struct sim_input *in)
{
	return ((const struct zst *)in->state)->whole;
}

static void zst_close(void *state)
{
	ZSTD_freeDStream(((struct zst *)state)->stream);
	free(state);
}

static const struct sim_decoder decoders[] = {
	{ { 0x1f, 0x8b }, 2, gzip_open, gzip_decode, gzip_whole, gzip_close },
	{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, zst_open, zst_decode, zst_whole, zst_close },
	{ .decode = plain_decode },
};

/* Append as much of the file as fits to the unread bytes. */
static void fill_raw(struct sim_input *in)
{
	size_t left = in->raw_end - in->raw_at;

	memmove(in->raw, in->raw + in->raw_at, left);
	in->raw_at = 0;
	in->raw_end = left;
	while (in->raw_end < RAW_BYTES && !in->raw_over) {
		ssize_t nr = read(in->fd, in->raw + in->raw_end, RAW_BYTES - in->raw_end);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			die(TOOL_BAD_USAGE, "%s: %s", in->name, strerror(errno));
		in->raw_over = !nr;
		in->raw_end += nr;
	}
}

/* Append as much text as fits to the incomplete line. */
static void fill_text(struct sim_input *in)
{
	size_t left = in->text_end - in->text_at;

	memmove(in->text, in->text + in->text_at, left);
	in->text_at = 0;
	in->text_end = left;
	while (in->text_end < TEXT_BYTES && !in->text_over) {
		size_t nr = in->decoder->decode(in, in->text + in->text_end,
						TEXT_BYTES - in->text_end);

		in->text_end += nr;
		if (nr)
			continue;
		if (!in->raw_over) {
			fill_raw(in);
			continue;
		}
		if (in->decoder->whole && !in->decoder->whole(in))
			damaged(in, "it ends too early");
		in->text_over = true;
	}
}

/**
 * sim_input_open() - start to read a file; ends the program if it cannot be read
 * @in: result
 * @name: path, or - for standard input; kept
 */
void sim_input_open(struct sim_input *in, const char *name)
{
	const struct sim_decoder *decoder = decoders;

	memset(in, 0, sizeof(*in));
	in->name = name;
	in->fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (in->fd < 0)
		die(TOOL_BAD_USAGE, "%s: %s", name, strerror(errno));
	in->raw = xmalloc(RAW_BYTES);
	in->text = xmalloc(TEXT_BYTES + 1);
	fill_raw(in);
	while (decoder->magic_len && (in->raw_end < decoder->magic_len ||
				      memcmp(in->raw, decoder->magic, decoder->magic_len)))
		decoder++;
	in->decoder = decoder;
	if (decoder->open)
		in->state = decoder->open();
}

/**
 * sim_input_is_plain() - can the file be read again from its start?
 * @in: file
 */
bool sim_input_is_plain(const struct sim_input *in)
{
	return in->fd != STDIN_FILENO && lseek(in->fd, 0, SEEK_CUR) >= 0;
}

/**
 * sim_input_line() - read the next line
 * @in: file
 * @len: length of the line, without its end
 *
 * Return: the line, terminated, valid until the next call; NULL at the end of the file.
 */
char *sim_input_line(struct sim_input *in, size_t *len)
{
	char *line = in->text + in->text_at;
	char *end = memchr(line, '\n', in->text_end - in->text_at);

	if (!end && !in->text_over) {
		fill_text(in);
		line = in->text + in->text_at;
		end = memchr(line, '\n', in->text_end - in->text_at);
	}
	if (!end) {
		if (in->text_at == in->text_end)
			return NULL;
		end = in->text + in->text_end;
		in->text_at = in->text_end;
	} else {
		in->text_at = end + 1 - in->text;
	}
	in->line++;
	if (end - line > (ssize_t)LINE_BYTES)
		sim_bad_line(in, "a line of more than %u characters", LINE_BYTES);
	if (end > line && end[-1] == '\r')
		end--;
	*end = '\0';
	*len = end - line;
	return line;
}

void sim_input_close(struct sim_input *in)
{
	if (in->decoder->close)
		in->decoder->close(in->state);
	if (in->fd != STDIN_FILENO)
		close(in->fd);
	free(in->raw);
	free(in->text);
}
