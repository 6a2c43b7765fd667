// SPDX-License-Identifier: GPL-2.0
/*
 * Uses memory, anonymous or of a file, and checks what it holds: each page has its number and a version, spread over the
 * page, and mixed with the name of the file.
 *
 *	write all pages -> (page them out) -> read and rewrite some -> wait for STOP -> read all pages
 *
 * The names of the phases are printed as they end: "written", "accessed", "read".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT 21
#endif

#define PAGE 4096ull
#define WORDS (PAGE / sizeof(uint64_t))

/* Accesses between two looks at STOP, and between two pauses. */
#define STEP 64

static uint64_t *memory;
static uint8_t *versions;
static uint64_t nr_pages;
static uint64_t state;
static uint64_t name_hash;

static void usage(void)
{
	fputs("usage: use-memory [OPTION]... STOP\n"
	      "  -m MIB    size (16)\n"
	      "  -f FILE   map this file, made if need be, instead of anonymous memory\n"
	      "  -o        have the kernel page the memory out after the first phase\n"
	      "  -a NR     read and rewrite NR random pages, until the file STOP exists (0)\n"
	      "  -p US     pause after every 64 of these (0)\n"
	      "  -c        only check a file that -f has written, with the same -m and -a, all of whose accesses were made\n"
	      "Exit status: 0 all data are right, 1 an error, 3 data are wrong, 7 a bus error.\n",
	      stderr);
	exit(1);
}

static void die(const char *what)
{
	fprintf(stderr, "use-memory: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void say(const char *what)
{
	puts(what);
	fflush(stdout);
}

static void bus_error(int number)
{
	static const char text[] = "use-memory: bus error\n";

	(void)number;
	_exit(write(STDERR_FILENO, text, sizeof(text) - 1) < 0 ? 1 : 7);
}

static uint64_t random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t hash(const char *text)
{
	uint64_t value = 0xcbf29ce484222325ull;

	while (*text)
		value = (value ^ (unsigned char)*text++) * 0x100000001b3ull;
	return value;
}

static uint64_t word(uint64_t page, unsigned int i)
{
	return ((page << 20 | (uint64_t)versions[page] << 12 | i) ^ name_hash) * 0x9e3779b97f4a7c15ull;
}

static void write_page(uint64_t page)
{
	uint64_t *data = memory + page * WORDS;
	unsigned int i;

	versions[page]++;
	for (i = 0; i < WORDS; i++)
		data[i] = word(page, i);
}

static void read_page(uint64_t page)
{
	const uint64_t *data = memory + page * WORDS;
	unsigned int i;

	for (i = 0; i < WORDS; i++) {
		if (data[i] == word(page, i))
			continue;
		fprintf(stderr, "use-memory: page %" PRIu64 ", word %u: %016" PRIx64 ", want %016" PRIx64 "\n",
			page, i, data[i], word(page, i));
		exit(3);
	}
}

static void map(const char *file, bool check)
{
	int fd = -1;

	if (file) {
		fd = open(file, check ? O_RDONLY : O_RDWR | O_CREAT, 0600);
		if (fd < 0 || (!check && ftruncate(fd, nr_pages * PAGE)))
			die(file);
	}
	memory = mmap(NULL, nr_pages * PAGE, check ? PROT_READ : PROT_READ | PROT_WRITE,
		      file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, fd, 0);
	versions = calloc(nr_pages, 1);
	if (memory == MAP_FAILED || !versions)
		die("memory");
}

static uint64_t nr_resident(unsigned char *resident)
{
	uint64_t i, nr = 0;

	if (mincore(memory, nr_pages * PAGE, resident))
		die("mincore");
	for (i = 0; i < nr_pages; i++)
		nr += resident[i] & 1;
	return nr;
}

/*
 * The first round writes the pages, which remain in the swap cache. Pages that are mapped again from there are clean, and
 * the next round frees them. A few pages may be in use by the kernel.
 */
static void page_out(void)
{
	unsigned char *resident = malloc(nr_pages);
	unsigned int tries;
	uint64_t i;

	if (!resident)
		die("memory");
	for (tries = 0; tries < 1000; tries++) {
		if (madvise(memory, nr_pages * PAGE, MADV_PAGEOUT))
			die("page out");
		if (nr_resident(resident) <= nr_pages / 16)
			break;
		usleep(10000);
		nr_resident(resident);
		for (i = 0; i < nr_pages; i++)
			if (resident[i] & 1)
				*(volatile uint64_t *)(memory + i * WORDS);
	}
	free(resident);
	if (tries == 1000) {
		errno = ETIMEDOUT;
		die("page out");
	}
}

/* The versions after all these accesses, which use() makes in this order. */
static void replay(uint64_t accesses)
{
	memset(versions, 1, nr_pages);
	while (accesses--)
		versions[random_number() % nr_pages]++;
}

static void use(const char *stop, uint64_t accesses, unsigned int pause)
{
	uint64_t i;

	for (i = 0; i < accesses && (i % STEP || access(stop, F_OK)); i++) {
		uint64_t page = random_number() % nr_pages;

		read_page(page);
		write_page(page);
		if (pause && i % STEP == STEP - 1)
			usleep(pause);
	}
	say("accessed");
	while (access(stop, F_OK))
		usleep(10000);
}

int main(int argc, char **argv)
{
	uint64_t accesses = 0, mib = 16, i;
	bool out = false, check = false;
	const char *file = NULL;
	unsigned int pause = 0;
	int option;

	while ((option = getopt(argc, argv, "m:f:oa:p:c")) != -1) {
		switch (option) {
		case 'm':
			mib = strtoull(optarg, NULL, 10);
			break;
		case 'f':
			file = optarg;
			break;
		case 'o':
			out = true;
			break;
		case 'a':
			accesses = strtoull(optarg, NULL, 10);
			break;
		case 'p':
			pause = strtoul(optarg, NULL, 10);
			break;
		case 'c':
			check = true;
			break;
		default:
			usage();
		}
	}
	if (optind != argc - 1 || (check && !file))
		usage();
	nr_pages = mib * (1 << 20) / PAGE;
	name_hash = file ? hash(file) : 0;
	state = (nr_pages ^ name_hash) * 0x9e3779b97f4a7c15ull + 1;
	signal(SIGBUS, bus_error);
	map(file, check);
	if (check) {
		replay(accesses);
	} else {
		for (i = 0; i < nr_pages; i++)
			write_page(i);
		if (out)
			page_out();
		say("written");
		use(argv[optind], accesses, pause);
	}
	for (i = 0; i < nr_pages; i++)
		read_page(i);
	say("read");
	return 0;
}
