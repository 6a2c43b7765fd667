// SPDX-License-Identifier: GPL-2.0
/*
 * Reads files, plain, gzip, Zstandard, xz or bzip2. The first bytes of a file decide, so names do not
 * matter and pipes work.
 */
#include <bzlib.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include "../common/memory.h"
#include "../common/say.h"
#include "input.h"
#include "scan.h"

/* The fuzzers have smaller ones. */
#ifndef RAW_BYTES
#define RAW_BYTES	(64u << 10)
#define TEXT_BYTES	(256u << 10)
#endif

/* Dictionaries of xz: its largest preset has 64 MiB. The fuzzers have less. */
#ifndef XZ_MEMORY
#define XZ_MEMORY	(2ULL << 30)
#endif

/* A mark in front of text, and in how much of a file a zero says that it is none. */
#define UTF8_MARK	"\357\273\277"
#define MARKED_BYTES	512u

/**
 * struct trace_decoder - a compression
 * @magic: how its files start
 * @magic_len: length of @magic
 * @open: allocate the state
 * @decode: decompress raw bytes into at most @room bytes of text; returns how many. 0, and no raw byte
 *	taken: more raw bytes are needed
 * @whole: does the input end with a complete frame?
 * @close: free the state
 */
struct trace_decoder {
	uint8_t magic[6];
	size_t magic_len;
	void *(*open)(void);
	size_t (*decode)(struct trace_input *in, char *to, size_t room);
	bool (*whole)(const struct trace_input *in);
	void (*close)(void *state);
};

/* What has been decompressed says where: lines if it is text. */
static void __attribute__((__noreturn__)) damaged(const struct trace_input *in, const char *why)
{
	const char *at = in->text + in->text_at, *end = in->text + in->text_end;
	bool is_text = !memchr(at, '\0', end - at);
	uint64_t nr = is_text ? in->line : in->bytes + (end - at);

	while (is_text && (at = memchr(at, '\n', end - at))) {
		at++;
		nr++;
	}
	die(TOOL_BAD_USAGE, "%s: damaged compressed data after %s %" PRIu64 ": %s", in->name,
	    is_text ? "line" : "byte", nr, why ? why : "unknown");
}

static size_t plain_decode(struct trace_input *in, char *to, size_t room)
{
	size_t nr = in->raw_end - in->raw_at;

	if (nr > room)
		nr = room;
	memcpy(to, in->raw + in->raw_at, nr);
	in->raw_at += nr;
	return nr;
}

/*
 * Zeroes that fill the last block of a tape or a device, which gzip and bzip2 ignore; xz does, too, and Zstandard refuses them. gzip and
 * bzip2 also ignore other data, but these may be a part of the trace: they are refused.
 */
static void skip_padding(struct trace_input *in, bool *padded)
{
	for (; in->raw_at < in->raw_end && !in->raw[in->raw_at]; in->raw_at++)
		*padded = true;
	if (*padded && in->raw_at < in->raw_end)
		damaged(in, "more data follow zeroes");
}

struct gzip {
	z_stream stream;
	bool ended;
	bool padded;
};

static void *gzip_open(void)
{
	struct gzip *gzip = xcalloc(1, sizeof(*gzip));

	if (inflateInit2(&gzip->stream, 15 + 16) != Z_OK)
		die(TOOL_FAILED, "no memory");
	return gzip;
}

static size_t gzip_decode(struct trace_input *in, char *to, size_t room)
{
	struct gzip *gzip = in->state;
	int r;

	if (gzip->ended)
		skip_padding(in, &gzip->padded);
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

static bool gzip_whole(const struct trace_input *in)
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

static size_t zst_decode(struct trace_input *in, char *to, size_t room)
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

static bool zst_whole(const struct trace_input *in)
{
	return ((const struct zst *)in->state)->whole;
}

static void zst_close(void *state)
{
	ZSTD_freeDStream(((struct zst *)state)->stream);
	free(state);
}

struct xz {
	lzma_stream stream;
	bool whole;
};

static void *xz_open(void)
{
	struct xz *xz = xcalloc(1, sizeof(*xz));

	xz->stream = (lzma_stream)LZMA_STREAM_INIT;
	if (lzma_stream_decoder(&xz->stream, XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK)
		die(TOOL_FAILED, "no memory");
	return xz;
}

static size_t xz_decode(struct trace_input *in, char *to, size_t room)
{
	struct xz *xz = in->state;
	lzma_ret r;

	xz->stream.next_in = in->raw + in->raw_at;
	xz->stream.avail_in = in->raw_end - in->raw_at;
	xz->stream.next_out = (uint8_t *)to;
	xz->stream.avail_out = room;
	/* Only at the end is it known that no other stream follows. */
	r = xz->whole ? LZMA_BUF_ERROR :
	    lzma_code(&xz->stream, in->raw_over ? LZMA_FINISH : LZMA_RUN);
	if (r == LZMA_STREAM_END)
		xz->whole = true;
	else if (r == LZMA_MEMLIMIT_ERROR)
		damaged(in, "its dictionary is too large");
	else if (r != LZMA_OK && r != LZMA_BUF_ERROR)
		damaged(in, "it is no xz stream");
	in->raw_at = in->raw_end - xz->stream.avail_in;
	return room - xz->stream.avail_out;
}

static bool xz_whole(const struct trace_input *in)
{
	return ((const struct xz *)in->state)->whole;
}

static void xz_close(void *state)
{
	lzma_end(&((struct xz *)state)->stream);
	free(state);
}

struct bz2 {
	bz_stream stream;
	bool ended;
	bool padded;
};

static void bz2_start(struct bz2 *bz2)
{
	memset(&bz2->stream, 0, sizeof(bz2->stream));
	if (BZ2_bzDecompressInit(&bz2->stream, 0, 0) != BZ_OK)
		die(TOOL_FAILED, "no memory");
	bz2->ended = false;
}

static void *bz2_open(void)
{
	struct bz2 *bz2 = xcalloc(1, sizeof(*bz2));

	bz2_start(bz2);
	return bz2;
}

static size_t bz2_decode(struct trace_input *in, char *to, size_t room)
{
	struct bz2 *bz2 = in->state;
	int r;

	if (bz2->ended)
		skip_padding(in, &bz2->padded);
	/* pbzip2 writes several streams. */
	if (bz2->ended && in->raw_at < in->raw_end) {
		BZ2_bzDecompressEnd(&bz2->stream);
		bz2_start(bz2);
	}
	if (bz2->ended)
		return 0;
	bz2->stream.next_in = (char *)in->raw + in->raw_at;
	bz2->stream.avail_in = in->raw_end - in->raw_at;
	bz2->stream.next_out = to;
	bz2->stream.avail_out = room;
	r = BZ2_bzDecompress(&bz2->stream);
	if (r == BZ_STREAM_END)
		bz2->ended = true;
	else if (r != BZ_OK)
		damaged(in, "it is no bzip2 stream");
	in->raw_at = in->raw_end - bz2->stream.avail_in;
	return room - bz2->stream.avail_out;
}

static bool bz2_whole(const struct trace_input *in)
{
	return ((const struct bz2 *)in->state)->ended;
}

static void bz2_close(void *state)
{
	BZ2_bzDecompressEnd(&((struct bz2 *)state)->stream);
	free(state);
}

static const struct trace_decoder decoders[] = {
	{ { 0x1f, 0x8b }, 2, gzip_open, gzip_decode, gzip_whole, gzip_close },
	{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, zst_open, zst_decode, zst_whole, zst_close },
	/* The skippable frame with which pzstd starts; Zstandard reads it. */
	{ { 0x50, 0x2a, 0x4d, 0x18 }, 4, zst_open, zst_decode, zst_whole, zst_close },
	{ { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, xz_open, xz_decode, xz_whole, xz_close },
	{ { 'B', 'Z', 'h' }, 3, bz2_open, bz2_decode, bz2_whole, bz2_close },
	{ .decode = plain_decode },
};

/* Append as much of the file as fits to the unread bytes. */
static void fill_raw(struct trace_input *in)
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
static void fill_text(struct trace_input *in)
{
	size_t left = in->text_end - in->text_at;

	memmove(in->text, in->text + in->text_at, left);
	in->text_at = 0;
	in->text_end = left;
	while (in->text_end < TEXT_BYTES && !in->text_over) {
		size_t raw_at = in->raw_at;
		size_t nr = in->decoder->decode(in, in->text + in->text_end,
						TEXT_BYTES - in->text_end);

		in->text_end += nr;
		/* A stream without text may be followed by others. */
		if (nr || in->raw_at > raw_at)
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
 * trace_input_open() - start to read a file; ends the program if it cannot be read
 * @in: result
 * @name: path, or - for standard input; kept
 */
void trace_input_open(struct trace_input *in, const char *name)
{
	const struct trace_decoder *decoder = decoders;

	memset(in, 0, sizeof(*in));
	in->name = name;
	in->fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (in->fd < 0)
		die(TOOL_BAD_USAGE, "%s: %s", name, strerror(errno));
	in->raw = xmalloc(RAW_BYTES);
	in->text = xcalloc(1, TEXT_BYTES + SCAN_SLACK);
	fill_raw(in);
	while (decoder->magic_len && (in->raw_end < decoder->magic_len ||
				      memcmp(in->raw, decoder->magic, decoder->magic_len)))
		decoder++;
	in->decoder = decoder;
	if (decoder->open)
		in->state = decoder->open();
}

/**
 * trace_input_is_plain() - can the file be read again from its start?
 * @in: file
 */
bool trace_input_is_plain(const struct trace_input *in)
{
	return in->fd != STDIN_FILENO && lseek(in->fd, 0, SEEK_CUR) >= 0;
}

/* The mark in front of UTF-8 text that programs of Windows write. Binary traces have zeroes at once. */
static bool has_mark(const struct trace_input *in)
{
	size_t looked_at = in->text_end < MARKED_BYTES ? in->text_end : MARKED_BYTES;

	return looked_at >= strlen(UTF8_MARK) && !memcmp(in->text, UTF8_MARK, strlen(UTF8_MARK)) &&
	       !memchr(in->text, '\0', looked_at);
}

/**
 * trace_input_start() - look at the start of a file, behind a mark of UTF-8
 * @in: file, of which nothing has been read yet
 * @size: result: how many bytes there are
 * @all: result: is it the whole file?
 *
 * Return: the bytes, valid until the next call; they will be read again.
 */
const char *trace_input_start(struct trace_input *in, size_t *size, bool *all)
{
	fill_text(in);
	if (has_mark(in))
		in->text_at = strlen(UTF8_MARK);
	*size = in->text_end - in->text_at;
	*all = in->text_over;
	return in->text + in->text_at;
}

/**
 * trace_input_line() - read the next line
 * @in: file
 * @line: result: the line, terminated, valid until the next call
 * @len: result: its length, without its end
 */
enum trace_line trace_input_line(struct trace_input *in, char **line, size_t *len)
{
	char *start, *end;
	bool was_long;

	/* First the rest of a line that has been reported. */
	do {
		start = in->text + in->text_at;
		end = memchr(start, '\n', in->text_end - in->text_at);
		if (!end && !in->text_over) {
			fill_text(in);
			start = in->text + in->text_at;
			end = memchr(start, '\n', in->text_end - in->text_at);
		}
		if (!end && in->text_at == in->text_end)
			return TRACE_LINE_END;
		was_long = in->in_long_line;
		in->in_long_line = !end && !in->text_over;
		if (!end)
			end = in->text + in->text_end;
		in->text_at = end - in->text + (end < in->text + in->text_end);
	} while (was_long);
	in->line++;
	if (end - start > (ptrdiff_t)TRACE_LINE_BYTES)
		return TRACE_LINE_LONG;
	if (end > start && end[-1] == '\r')
		end--;
	*end = '\0';
	*line = start;
	*len = end - start;
	return TRACE_LINE;
}

/**
 * trace_input_record() - read bytes
 * @in: file
 * @size: how many; at most 4096
 * @got: result: how many there are, less than @size only at the end of the file
 *
 * Return: the bytes, valid until the next call.
 */
const uint8_t *trace_input_record(struct trace_input *in, size_t size, size_t *got)
{
	const char *start;

	if (in->text_end - in->text_at < size && !in->text_over)
		fill_text(in);
	*got = in->text_end - in->text_at < size ? in->text_end - in->text_at : size;
	start = in->text + in->text_at;
	in->text_at += *got;
	in->bytes += *got;
	return (const uint8_t *)start;
}

/**
 * trace_input_back() - let the last bytes that were read be read again
 * @in: file
 * @size: how many; at most as many as trace_input_record() has just returned
 */
void trace_input_back(struct trace_input *in, size_t size)
{
	in->text_at -= size;
	in->bytes -= size;
}

void trace_input_close(struct trace_input *in)
{
	if (in->decoder->close)
		in->decoder->close(in->state);
	if (in->fd != STDIN_FILENO)
		close(in->fd);
	free(in->raw);
	free(in->text);
}
