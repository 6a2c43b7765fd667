// SPDX-License-Identifier: GPL-2.0
/*
 * Writes captures, compressed if the name ends in .gz, .zst, .xz or .bz2.
 */
#include <bzlib.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <lzma.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include "../common/files.h"
#include "trace.h"

/* The fuzzers have smaller ones. */
#ifndef CHUNK_BYTES
#define CHUNK_BYTES	(256u << 10)
#endif
#define LINE_ROOM	96u
#define GZIP_WINDOW	(15 + 16)	/* the largest, in gzip's own frame */

/* The fuzzers take less memory. */
#ifndef XZ_PRESET
#define XZ_PRESET	6
#define BZ2_BLOCK	9
#endif

/* Of Linux 5.8. */
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT	0x2000
#endif

struct trace_saver {
	const char *name;
	char *place;		/* what is replaced at the end; NULL: nothing */
	FILE *file;
	z_stream *gzip;
	ZSTD_CCtx *zst;
	lzma_stream *xz;
	bz_stream *bz2;
	char text[CHUNK_BYTES];
	size_t used;
	char out[CHUNK_BYTES];
};

/*
 * The file that is being written: a new one beside the one that it will replace, or that one. The
 * start of a capture would pass for a whole one: it is removed if the program ends early, or is made
 * empty where that is not possible.
 */
static char *volatile unfinished;

static void remove_unfinished(void)
{
	const char *path = unfinished;

	unfinished = NULL;
	if (path && unlink(path) && truncate(path, 0))
		return;		/* nothing more can be done */
}

static void ended_by(int number)
{
	remove_unfinished();
	signal(number, SIG_DFL);
	raise(number);
}

/* @path: to be removed if the program ends early; signals that are ignored stay so. */
static void begin_unfinished(char *path)
{
	static const int ends[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM,
		SIGVTALRM, SIGPROF, SIGIO, SIGPWR,
	};
	static bool watching;
	struct sigaction before;
	size_t i;

	unfinished = path;
	for (i = 0; !watching && i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!sigaction(ends[i], NULL, &before) && before.sa_handler == SIG_DFL)
			signal(ends[i], ended_by);
	if (!watching)
		atexit(remove_unfinished);
	watching = true;
}

static void __attribute__((__noreturn__)) failed(const struct trace_saver *saver, const char *why)
{
	die(TOOL_FAILED, "%s: %s", saver->name, why);
}

static void write_out(struct trace_saver *saver, const char *bytes, size_t nr)
{
	if (fwrite(bytes, 1, nr, saver->file) != nr)
		failed(saver, strerror(errno));
}

static void save_gzip(struct trace_saver *saver, bool last)
{
	z_stream *gzip = saver->gzip;

	gzip->next_in = (Bytef *)saver->text;
	gzip->avail_in = saver->used;
	do {
		gzip->next_out = (Bytef *)saver->out;
		gzip->avail_out = sizeof(saver->out);
		if (deflate(gzip, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
			failed(saver, "cannot compress");
		write_out(saver, saver->out, sizeof(saver->out) - gzip->avail_out);
	} while (!gzip->avail_out);
}

static void save_zst(struct trace_saver *saver, bool last)
{
	ZSTD_inBuffer in = { saver->text, saver->used, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { saver->out, sizeof(saver->out), 0 };

		left = ZSTD_compressStream2(saver->zst, &out, &in,
					    last ? ZSTD_e_end : ZSTD_e_continue);
		if (ZSTD_isError(left))
			failed(saver, ZSTD_getErrorName(left));
		write_out(saver, saver->out, out.pos);
	} while (last ? left : in.pos < in.size);
}

static void save_xz(struct trace_saver *saver, bool last)
{
	lzma_stream *xz = saver->xz;
	lzma_ret r;

	xz->next_in = (uint8_t *)saver->text;
	xz->avail_in = saver->used;
	do {
		xz->next_out = (uint8_t *)saver->out;
		xz->avail_out = sizeof(saver->out);
		r = lzma_code(xz, last ? LZMA_FINISH : LZMA_RUN);
		if (r != LZMA_OK && r != LZMA_STREAM_END)
			failed(saver, "cannot compress");
		write_out(saver, saver->out, sizeof(saver->out) - xz->avail_out);
	} while (last ? r != LZMA_STREAM_END : xz->avail_in);
}

static void save_bz2(struct trace_saver *saver, bool last)
{
	bz_stream *bz2 = saver->bz2;
	int r;

	bz2->next_in = saver->text;
	bz2->avail_in = saver->used;
	do {
		bz2->next_out = saver->out;
		bz2->avail_out = sizeof(saver->out);
		r = BZ2_bzCompress(bz2, last ? BZ_FINISH : BZ_RUN);
		if (r < 0)
			failed(saver, "cannot compress");
		write_out(saver, saver->out, sizeof(saver->out) - bz2->avail_out);
	} while (last ? r != BZ_STREAM_END : bz2->avail_in);
}

static void save_text(struct trace_saver *saver, bool last)
{
	if (saver->gzip)
		save_gzip(saver, last);
	else if (saver->zst)
		save_zst(saver, last);
	else if (saver->xz)
		save_xz(saver, last);
	else if (saver->bz2)
		save_bz2(saver, last);
	else
		write_out(saver, saver->text, saver->used);
	saver->used = 0;
}

static bool ends_in(const char *name, const char *suffix)
{
	size_t len = strlen(name), tail = strlen(suffix);

	return len >= tail && !strcasecmp(name + len - tail, suffix);
}

/* A plain file with such a name would be taken for something else. */
static void refuse_others(const char *name)
{
	static const char *const suffixes[] = { ".zip", ".7z", ".tar", ".tgz", ".rar", ".lz4", ".lzma", ".Z" };
	size_t i;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (ends_in(name, suffixes[i]))
			die(TOOL_BAD_USAGE, "%s: '%s' cannot be written: end the name in .gz, .zst, .xz or .bz2, or in anything else for plain text",
			    name, suffixes[i]);
}

/* Returns false without memory. */
static bool start_compressor(struct trace_saver *saver)
{
	const char *name = saver->name;

	if (ends_in(name, ".gz")) {
		saver->gzip = xcalloc(1, sizeof(*saver->gzip));
		return deflateInit2(saver->gzip, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 9,
				    Z_DEFAULT_STRATEGY) == Z_OK;
	}
	if (ends_in(name, ".zst")) {
		saver->zst = ZSTD_createCCtx();
		if (saver->zst)
			ZSTD_CCtx_setParameter(saver->zst, ZSTD_c_compressionLevel, ZSTD_CLEVEL_DEFAULT);
		return saver->zst;
	}
	if (ends_in(name, ".xz")) {
		saver->xz = xcalloc(1, sizeof(*saver->xz));
		return lzma_easy_encoder(saver->xz, XZ_PRESET, LZMA_CHECK_CRC64) == LZMA_OK;
	}
	if (ends_in(name, ".bz2")) {
		saver->bz2 = xcalloc(1, sizeof(*saver->bz2));
		return BZ2_bzCompressInit(saver->bz2, BZ2_BLOCK, 0, 0) == BZ_OK;
	}
	return true;
}

static void end_compressor(struct trace_saver *saver)
{
	if (saver->gzip)
		deflateEnd(saver->gzip);
	if (saver->xz)
		lzma_end(saver->xz);
	if (saver->bz2)
		BZ2_bzCompressEnd(saver->bz2);
	ZSTD_freeCCtx(saver->zst);
	free(saver->gzip);
	free(saver->xz);
	free(saver->bz2);
}

/* Has a process it open, as it has /dev/stdout? Its other writers would go on with the old file. */
static bool is_held(const char *name, const struct stat *file)
{
	struct stat out;

	return !strncmp(name, "/dev/fd/", 8) || !strncmp(name, "/dev/std", 8) ||
	       !strncmp(name, "/proc/", 6) || (!fstat(STDOUT_FILENO, &out) &&
	       out.st_ino == file->st_ino && out.st_dev == file->st_dev);
}

static bool is_mount_point(const char *place)
{
	struct statx of;

	return !statx(AT_FDCWD, place, 0, 0, &of) && of.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

/*
 * Files are replaced when all is written, so that a trace that is converted onto itself survives an
 * interruption. Not so what cannot be replaced: devices, FIFOs, what a process has open, mount
 * points, and files of others, which would become ours.
 */
static bool is_replaced(const char *name, const char *place, struct stat *old)
{
	struct stat real;

	if (stat(name, old)) {
		old->st_nlink = 0;
		return errno == ENOENT && *name;
	}
	return S_ISREG(old->st_mode) && !stat(place, &real) && real.st_ino == old->st_ino &&
	       real.st_dev == old->st_dev && !is_held(name, old) && !is_mount_point(place) &&
	       (!geteuid() || geteuid() == old->st_uid) && !access(place, W_OK);
}

/* Give a new file the owner, the group and the mode of the @old one, if there is one. */
static bool make_alike(int fd, const struct stat *old)
{
	mode_t mask = umask(0);

	umask(mask);
	if (!old->st_nlink)
		return !fchmod(fd, 0666 & ~mask);
	return !fchown(fd, old->st_uid, old->st_gid) && !fchmod(fd, old->st_mode & 07777);
}

/* A new file in the folder of @place. NULL: there can be none that is like the @old one. */
static FILE *open_beside(const char *place, const struct stat *old)
{
	const char *slash = strrchr(place, '/');
	int folder = slash ? (int)(slash - place) + 1 : 0, fd;
	FILE *file = NULL;
	char *path;

	if (asprintf(&path, "%.*s.ssdcache-trace-XXXXXX", folder, place) < 0)
		die(TOOL_FAILED, "no memory");
	begin_unfinished(path);		/* before there is a file, so that no signal leaves one */
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0 && make_alike(fd, old))
		file = fdopen(fd, "wb");
	if (file)
		return file;
	if (fd >= 0) {
		unlink(path);
		close(fd);
	}
	unfinished = NULL;
	free(path);
	return NULL;
}

/* Write to the file itself; without a buffer, which would be written after it has been made empty. */
static FILE *open_in_place(const char *name)
{
	FILE *file = fopen(name, "wb");
	struct stat stat;

	if (!file)
		die(TOOL_FAILED, "%s: %s", name, strerror(errno));
	setvbuf(file, NULL, _IONBF, 0);
	if (!fstat(fileno(file), &stat) && S_ISREG(stat.st_mode) && !is_held(name, &stat))
		begin_unfinished(behind_links(name));
	return file;
}

static struct trace_saver *start(const char *name, char *place, FILE *file)
{
	struct trace_saver *saver = xcalloc(1, sizeof(*saver));

	saver->name = name;
	saver->place = place;
	saver->file = file;
	if (!start_compressor(saver))
		die(TOOL_FAILED, "no memory");
	saver->used = sprintf(saver->text, "# ssdcache-trace 1\n");
	return saver;
}

/**
 * trace_saver_beside() - start a capture that replaces a file, but not before it is closed
 * @name: of the file, or - for standard output
 *
 * Return: NULL if the capture has to be written where it is: trace_saver_in_place().
 */
struct trace_saver *trace_saver_beside(const char *name)
{
	char *place = behind_links(name);
	FILE *file = NULL;
	struct stat old;

	refuse_others(name);
	if (strcmp(name, "-") && is_replaced(name, place, &old))
		file = open_beside(place, &old);
	if (file)
		return start(name, place, file);
	free(place);
	return NULL;
}

/**
 * trace_saver_in_place() - start a capture that loses at once what the file has
 * @name: of the file, or - for standard output
 *
 * Ends the program if that is not possible.
 */
struct trace_saver *trace_saver_in_place(const char *name)
{
	return start(name, NULL, strcmp(name, "-") ? open_in_place(name) : stdout);
}

/* The digits of @number, and @after. Returns the end. */
static char *put_number(char *at, uint64_t number, char after)
{
	char digits[20];
	unsigned int nr = 0;

	do {
		digits[nr++] = '0' + number % 10;
		number /= 10;
	} while (number);
	while (nr)
		*at++ = digits[--nr];
	*at++ = after;
	return at;
}

/**
 * trace_saver_put() - write a request
 * @saver: capture
 * @request: request
 */
void trace_saver_put(struct trace_saver *saver, const struct trace_request *request)
{
	static const char letters[TRACE_NR_OPS] = {
		[TRACE_READ] = 'R', [TRACE_WRITE] = 'W', [TRACE_FLUSH] = 'F', [TRACE_DISCARD] = 'D',
	};
	char *at;

	if (saver->used + LINE_ROOM > sizeof(saver->text))
		save_text(saver, false);
	at = put_number(saver->text + saver->used, request->time_ns, ',');
	*at++ = letters[request->op];
	*at++ = ',';
	at = put_number(at, request->sector, ',');
	at = put_number(at, request->nr_sectors, ',');
	if (request->fua)
		*at++ = 'F';
	*at++ = '\n';
	saver->used = at - saver->text;
}

/* Some file systems cannot sync a folder, and one that can be written to need not be readable. */
static void sync_folder(const struct trace_saver *saver)
{
	int fd = open(dirname(saver->place), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 && errno == EACCES)
		return;
	if (fd < 0 || (fsync(fd) && errno != EINVAL))
		die(TOOL_FAILED, "%s: is written, but its folder cannot be synced: %s", saver->name,
		    strerror(errno));
	close(fd);
}

/**
 * trace_saver_close() - end a capture
 * @saver: capture, which is freed
 */
void trace_saver_close(struct trace_saver *saver)
{
	bool replaces = saver->place && !access(saver->place, F_OK);
	char *path;

	save_text(saver, true);
	end_compressor(saver);
	/* Or a loss of power might leave neither the old file nor the new one. */
	if (replaces && (fflush(saver->file) || fsync(fileno(saver->file))))
		failed(saver, strerror(errno));
	if (saver->file == stdout ? fflush(stdout) : fclose(saver->file))
		failed(saver, strerror(errno));
	if (saver->place && rename(unfinished, saver->place))
		failed(saver, strerror(errno));
	path = unfinished;
	unfinished = NULL;
	free(path);
	/* Or it might bring the old file back when the converted traces are gone. */
	if (replaces)
		sync_folder(saver);
	free(saver->place);
	free(saver);
}
