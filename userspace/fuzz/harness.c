// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a target on one input after the other, in one process.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "fuzz.h"

/*
 * Of the sanitizers' runtime; gcc does not install the header. "make quick" links without that runtime, to see whether all is there, and
 * runs nothing.
 */
__attribute__((__weak__))
int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void *, size_t),
					      void (*free_hook)(const volatile void *));

#define NR_FILES	3
#define MAX_FDS		8		/* that an input has open */
#define NR_STREAMS	16
#define ERROR_BYTES	65536u
#define FIRST_LIVE_BITS	9
#define LIVE_BITS	18
#define NR_LIVE		(1u << LIVE_BITS)

static jmp_buf ended;
static bool inside;		/* fuzz_one() runs */
static int exit_code;
static int first_fd;		/* the next file that fuzz_one() opens gets this number */

/* ---- exit() of the program under test ---- */

void __real_exit(int status) __attribute__((__noreturn__));
void __wrap_exit(int status) __attribute__((__noreturn__));

void __wrap_exit(int status)
{
	if (!inside)
		__real_exit(status);
	exit_code = status;
	longjmp(ended, 1);
}

void fuzz_wrong(const char *format, ...)
{
	char text[1024];
	va_list args;
	int len;

	inside = false;
	va_start(args, format);
	len = vsnprintf(text, sizeof(text) - 1, format, args);
	va_end(args);
	if (len > (int)sizeof(text) - 2)
		len = sizeof(text) - 2;
	text[len] = '\n';
	if (write(STDERR_FILENO, "fuzz: ", 6) < 0 || write(STDERR_FILENO, text, len + 1) < 0)
		abort();
	abort();
}

/* ---- memory that an input allocates: what it leaves when it ends early is freed ---- */

static const volatile void *live[NR_LIVE];	/* a hash table; DEAD: was in use */
static uint32_t used[NR_LIVE];			/* slots of it that are not empty */
static uint32_t nr_used;
static unsigned int live_bits = FIRST_LIVE_BITS;	/* few, so that they stay in the CPU's cache */

#define DEAD ((const volatile void *)1)

static uint32_t slot_of(const volatile void *memory)
{
	return ((uintptr_t)memory >> 4) * 0x9e3779b97f4a7c15ULL >> (64 - live_bits);
}

static uint32_t next_slot(uint32_t at)
{
	return (at + 1) & ((1u << live_bits) - 1);
}

static void add_live(const volatile void *memory)
{
	uint32_t at = slot_of(memory);

	while (live[at] && live[at] != DEAD)
		at = next_slot(at);
	if (!live[at])
		used[nr_used++] = at;
	live[at] = memory;
}

/* Half of the table has been in use: drop what was freed; if that is not enough, double the table. */
static void grow_live(void)
{
	static const volatile void *kept[NR_LIVE];
	uint32_t nr = 0, i;

	for (i = 0; i < nr_used; i++) {
		const volatile void **slot = &live[used[i]];

		if (*slot != DEAD)
			kept[nr++] = *slot;
		*slot = NULL;
	}
	nr_used = 0;
	if (nr >= 1u << (live_bits - 2)) {
		if (live_bits == LIVE_BITS)
			fuzz_wrong("more than %u allocations", NR_LIVE / 4);
		live_bits++;
	}
	for (i = 0; i < nr; i++)
		add_live(kept[i]);
}

static void allocated(const volatile void *memory, size_t size)
{
	(void)size;
	if (!inside || !memory)
		return;
	if (nr_used >= 1u << (live_bits - 1))
		grow_live();
	add_live(memory);
}

static void freed(const volatile void *memory)
{
	uint32_t at = slot_of(memory);

	if (!inside || !memory)
		return;
	while (live[at] && live[at] != memory)
		at = next_slot(at);
	if (live[at])
		live[at] = DEAD;
}

static void forget_memory(bool do_free)
{
	while (nr_used) {
		const volatile void **slot = &live[used[--nr_used]];

		if (do_free && *slot != DEAD)
			free((void *)*slot);
		*slot = NULL;
	}
	live_bits = FIRST_LIVE_BITS;
}

void fuzz_check_memory(void)
{
	uint32_t i;

	for (i = 0; i < nr_used; i++)
		if (live[used[i]] != DEAD)
			fuzz_wrong("memory is left");
}

/* ---- streams that an input opens: one that it leaves must be closed, not only freed ---- */

FILE *__real_fopen(const char *name, const char *mode);
FILE *__wrap_fopen(const char *name, const char *mode);
FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);
int __real_fclose(FILE *file);
int __wrap_fclose(FILE *file);

static FILE *streams[NR_STREAMS];

static FILE **find_stream(const FILE *file)
{
	unsigned int i;

	for (i = 0; i < NR_STREAMS; i++)
		if (streams[i] == file)
			return &streams[i];
	fuzz_wrong(file ? "a stream that is not open is closed" : "too many open streams");
}

static FILE *note_stream(FILE *file)
{
	if (inside && file)
		*find_stream(NULL) = file;
	return file;
}

FILE *__wrap_fopen(const char *name, const char *mode)
{
	return note_stream(__real_fopen(name, mode));
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
	return note_stream(__real_fdopen(fd, mode));
}

int __wrap_fclose(FILE *file)
{
	unsigned int i;

	for (i = 0; inside && i < NR_STREAMS; i++)
		if (streams[i] == file)
			streams[i] = NULL;
	return __real_fclose(file);
}

static void close_streams(void)
{
	unsigned int i;

	for (i = 0; i < NR_STREAMS; i++) {
		if (streams[i])
			__real_fclose(streams[i]);
		streams[i] = NULL;
	}
}

/* ---- standard output and standard error of the program under test ---- */

struct capture {
	FILE *file;
	char *text;
	size_t size;
	size_t nr;
};

static char output_text[FUZZ_OUTPUT_BYTES], error_text[ERROR_BYTES];
static char output_buffer[4096], error_buffer[4096];
static struct capture output = { .text = output_text, .size = sizeof(output_text) };
static struct capture errors = { .text = error_text, .size = sizeof(error_text) };

static ssize_t keep_text(void *cookie, const char *bytes, size_t nr)
{
	struct capture *capture = cookie;
	size_t room = capture->size - 1 - capture->nr, part = nr < room ? nr : room;

	memcpy(capture->text + capture->nr, bytes, part);
	capture->nr += part;
	return nr;
}

static FILE *open_capture(struct capture *capture, char *buffer, size_t size)
{
	capture->file = fopencookie(capture, "w", (cookie_io_functions_t){ .write = keep_text });
	if (!capture->file || setvbuf(capture->file, buffer, _IOFBF, size))
		abort();
	return capture->file;
}

static void end_capture(struct capture *capture)
{
	fflush(capture->file);
	capture->text[capture->nr] = '\0';
}

const char *fuzz_output(void)
{
	end_capture(&output);
	return output_text;
}

size_t fuzz_output_bytes(void)
{
	end_capture(&output);
	return output.nr;
}

void fuzz_begin_run(void)
{
	end_capture(&output);
	end_capture(&errors);
	output.nr = 0;
	errors.nr = 0;
}

/* Whatever ends a program says why, on one line without control characters. */
static void check_message(void)
{
	const char *at;

	end_capture(&errors);
	if (exit_code && !errors.nr)
		fuzz_wrong("exit code %d without a message", exit_code);
	for (at = errors.text; *at; at++)
		if ((*at < ' ' && *at >= 0 && *at != '\n') || *at == '\177')
			fuzz_wrong("a control character in the message: %s", errors.text);
	at = strchr(errors.text, '\n');
	if (exit_code && (!at || at[1]))
		fuzz_wrong("not one line of message: %s", errors.text);
}

/* ---- files ---- */

static int files[NR_FILES];

static void make_files(void)
{
	unsigned int i;

	for (i = 0; i < NR_FILES; i++) {
		files[i] = memfd_create("fuzz", MFD_CLOEXEC);
		if (files[i] < 0)
			abort();
	}
}

void fuzz_file_fill(unsigned int number, const void *data, size_t size)
{
	if (ftruncate(files[number], 0) || pwrite(files[number], data, size, 0) != (ssize_t)size)
		abort();
}

const char *fuzz_file_name(unsigned int number)
{
	static char names[NR_FILES][32];

	snprintf(names[number], sizeof(names[number]), "/proc/self/fd/%d", files[number]);
	return names[number];
}

static int lowest_fd(void)
{
	int fd = fcntl(files[0], F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		abort();
	close(fd);
	return fd;
}

/* ---- inputs ---- */

uint32_t fuzz_number(struct fuzz_bytes *bytes, unsigned int width)
{
	uint32_t number = 0;
	unsigned int i;

	for (i = 0; i < width && bytes->left; i++, bytes->left--)
		number |= (uint32_t)*bytes->at++ << 8 * i;
	return number;
}

/* The next line, in memory that the caller frees; NULL at the end. */
char *fuzz_line(struct fuzz_bytes *bytes)
{
	const uint8_t *end;
	char *line;
	size_t len;

	if (!bytes->left)
		return NULL;
	end = memchr(bytes->at, '\n', bytes->left);
	len = end ? (size_t)(end - bytes->at) : bytes->left;
	line = xmalloc(len + 1);
	memcpy(line, bytes->at, len);
	line[len] = '\0';
	bytes->at += len + !!end;
	bytes->left -= len + !!end;
	return line;
}

/* Cut a line into words at white space; a backslash keeps the character after it, as in device-mapper. */
unsigned int fuzz_words(char *line, char **words, unsigned int max)
{
	char *from = line, *to = line;
	unsigned int nr = 0;

	for (;;) {
		while (*from == ' ' || *from == '\t')
			from++;
		if (!*from || nr == max)
			return nr;
		words[nr++] = to;
		while (*from && *from != ' ' && *from != '\t') {
			if (*from == '\\' && from[1])
				from++;
			*to++ = *from++;
		}
		from += *from != '\0';
		*to++ = '\0';
	}
}

static void begin(void)
{
	static bool ready;

	if (!ready) {
		ready = true;
		program_invocation_short_name = "fuzz";
		make_files();
		stdout = open_capture(&output, output_buffer, sizeof(output_buffer));
		stderr = open_capture(&errors, error_buffer, sizeof(error_buffer));
		__sanitizer_install_malloc_and_free_hooks(allocated, freed);
	}
	first_fd = lowest_fd();
	output.nr = 0;
	errors.nr = 0;
	exit_code = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	volatile bool early = true;

	begin();
	if (!setjmp(ended)) {
		inside = true;
		fuzz_one(data, size);
		early = false;
	}
	/* Streams free their memory themselves. */
	close_streams();
	inside = false;
	fuzz_after();
	end_capture(&output);
	check_message();
	forget_memory(early);
	if (early)
		syscall(SYS_close_range, first_fd, first_fd + MAX_FDS, 0);
	else if (lowest_fd() != first_fd)
		fuzz_wrong("a file was left open");
	return 0;
}
