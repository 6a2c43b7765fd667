// SPDX-License-Identifier: GPL-2.0
/*
 * Prints table lines, messages or writes to sysfs for dm-batch: good, bad, and nearly good ones. The same seed gives the
 * same lines.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../dm-ssdcache/base/random.h"

static struct ssdc_random dice;

static uint32_t random_below(uint32_t limit)
{
	return ssdc_random_below(&dice, limit);
}

static bool one_in(uint32_t n)
{
	return !random_below(n);
}

#define PICK(words) ((words)[random_below(sizeof(words) / sizeof((words)[0]))])

static const char *const keys[] = {
	"dram", "page", "shards", "numa", "replacement", "admission", "prefetch", "dram_mode", "idle_us",
	"flush_interval_s", "retry_ms", "channels", "dies", "alpha_us", "beta_us",
};
static const char *const tunables[] = {
	"dram_mode", "idle_us", "flush_interval_s", "retry_ms", "channels", "dies", "window",
	"threshold", "adapt", "ef_batch", "period", "step", "replacement.window",
	"replacement.threshold", "admission.x", "prefetch.", "period_ms", "epsilon", "seed",
	"wt_sync", "admission.cold", "alpha_us", "beta_us", "prefetch.mine",
};
static const char *const replacements[] = {
	"fifo", "lru", "lfu", "cflru", "cflru-ef", "cflru-ef-sc", "fab", "bplru", "vbbms", "req-block",
	"vs-batch", "vs-batch-plus", "co-active", "ecr", "lcr", "mq-ssd",
	"clock", "sieve", "2q", "s3-fifo", "arc", "lirs", "mq", "w-tinylfu",
	"ccf-lru", "ad-lru", "gcar", "pud-lru", "wow", "pr-lru", "dulo", "freeboard",
};
static const char *const plugin_keys[] = {
	"window", "threshold", "adapt", "ef_batch", "period", "step", "block", "width", "padding",
	"profile", "random_block", "random_share", "borrow", "delta", "count", "literal",
	"rebuild", "evict", "lower", "gap", "decay", "touch", "first",
	"period_ms", "rar_window", "wt_sync", "gamma",
	"candidates", "overload", "cold_share", "clean_max", "pause_ms", "budget", "keep_clean",
};
static const char *const admissions[] = {
	"write-buffer", "read-write", "l-corw", "corw-1", "corw-8",
};
static const char *const prefetchers[] = {
	"pattern:mine=this", "pattern-plus:mine=prev", "pattern:mine=next",
};
static const char *const sizes[] = {
	"64k", "128k", "256K", "1m", "1M", "2097152", "65536", "4k", "8k", "64K", "8m", "512g",
};
static const char *const numbers[] = {
	"0", "1", "2", "5", "10", "50", "80", "100", "101", "255", "256", "257", "1000", "65536", "86400",
	"4294967295", "4294967296", "18446744073709551615", "18446744073709551616", "-1", "1.5", "0x10",
	"1e3", "+1", "on", "off",
};
static const char *const lengths[] = { "1", "8", "4096", "4294967296", "9223372036854775800" };
static const char *const nonsense[] = {
	"", "x", "=", ":", ",", "a=b", "lru:", "lru:=", ":lru", "cflru:window", "cflru:window=",
	"%s", "%n%n", "\\", "'", "\"", "*", "/", "..", "dram", "help", "\x01\x02", "\xff\xfe", "\xe2\x82\xac",
};
static const char *const verbs[] = {
	"replacement", "admission", "prefetch", "set", "drop_clean", "reset_stats", "flush", "help",
};
static const char *const actions[] = { "flush", "drop_clean", "reset_stats" };
static const char *const files[] = {
	"replacement", "admission", "prefetch", "actions", "params/dram_mode", "params/idle_us",
	"params/flush_interval_s", "params/retry_ms", "params/channels", "params/dies", "params/alpha_us",
	"params/replacement/window", "params/replacement/threshold", "params/admission/cold",
};

static void print_spec(const char *name)
{
	unsigned int i, nr = one_in(2) ? 0 : 1 + random_below(4);

	fputs(name, stdout);
	for (i = 0; i < nr; i++)
		printf("%c%s=%s", i ? ',' : ':', PICK(plugin_keys), PICK(numbers));
}

/* Up to 5000 times the same character: longer than any buffer. */
static void print_long(void)
{
	uint32_t n = 1 + random_below(one_in(4) ? 5000 : 300);
	char c = "a0:,=%-9"[random_below(8)];

	while (n--)
		putchar(c);
}

/* A value that may be valid for the key. */
static void print_value(const char *key)
{
	if (one_in(12)) {
		fputs(PICK(nonsense), stdout);
	} else if (one_in(40)) {
		print_long();
	} else if (!strcmp(key, "dram") || !strcmp(key, "page")) {
		fputs(one_in(6) ? PICK(numbers) : PICK(sizes), stdout);
	} else if (!strcmp(key, "replacement")) {
		print_spec(PICK(replacements));
	} else if (!strcmp(key, "admission")) {
		print_spec(PICK(admissions));
	} else if (!strcmp(key, "prefetch")) {
		fputs(one_in(4) ? PICK(nonsense) : one_in(2) ? PICK(prefetchers) : "none", stdout);
	} else if (!strcmp(key, "dram_mode")) {
		fputs(one_in(2) ? "protected" : "volatile", stdout);
	} else if (!strcmp(key, "numa")) {
		fputs(one_in(2) ? "local" : "interleave", stdout);
	} else {
		fputs(PICK(numbers), stdout);
	}
}

static void print_table(const char *origin, const char *sectors)
{
	unsigned int i, nr = random_below(5), words;
	bool dram = !one_in(12);
	const char *key;

	words = 2 * (nr + dram);
	if (one_in(20))
		words = random_below(12);
	printf("0 %s ssdcache %s ", one_in(40) ? PICK(lengths) : sectors,
	       one_in(40) ? PICK(nonsense) : origin);
	if (one_in(40))
		fputs(PICK(nonsense), stdout);
	else
		printf("%u", words);
	if (dram) {
		fputs(" dram ", stdout);
		fputs(one_in(8) ? PICK(sizes) : "64k", stdout);
	}
	for (i = 0; i < nr; i++) {
		key = one_in(30) ? PICK(nonsense) : PICK(keys);
		printf(" %s ", key);
		print_value(key);
	}
}

static void print_message(void)
{
	const char *verb = one_in(25) ? PICK(nonsense) : PICK(verbs);
	const char *key;

	fputs(verb, stdout);
	if (!strcmp(verb, "set")) {
		key = one_in(20) ? PICK(nonsense) : PICK(tunables);
		printf(" %s ", key);
		print_value(key);
	} else if (!strcmp(verb, "replacement") || !strcmp(verb, "admission") || !strcmp(verb, "prefetch")) {
		putchar(' ');
		print_value(verb);
	}
	while (one_in(20))
		printf(" %s", PICK(nonsense));
}

/* A value for a file in sysfs; echo ends it with a newline, which a line of dm-batch cannot have. */
static void print_write(const char *folder)
{
	const char *file = PICK(files), *key = strrchr(file, '/');

	printf("write %s/%s ", folder, file);
	if (!strcmp(file, "actions") && !one_in(8))
		fputs(PICK(actions), stdout);
	else
		print_value(key ? key + 1 : file);
	while (one_in(20))
		putchar(" \t"[random_below(2)]);
}

static int usage(void)
{
	fputs("usage: dm-fuzz tables SEED COUNT NAME ORIGIN SECTORS\n"
	      "       dm-fuzz messages SEED COUNT NAME\n"
	      "       dm-fuzz values SEED COUNT NAME FOLDER\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	unsigned long i, count;
	int words;

	if (argc < 5)
		return usage();
	words = !strcmp(argv[1], "tables") ? 7 : !strcmp(argv[1], "values") ? 6 : !strcmp(argv[1], "messages") ? 5 : 0;
	if (argc != words)
		return usage();
	ssdc_random_seed(&dice, strtoull(argv[2], NULL, 0));
	count = strtoul(argv[3], NULL, 0);
	for (i = 0; i < count; i++) {
		if (words == 7) {
			printf("try %s ", argv[4]);
			print_table(argv[5], argv[6]);
		} else if (words == 6) {
			print_write(argv[5]);
		} else {
			printf("message %s ", argv[4]);
			print_message();
		}
		putchar('\n');
		if (words != 7)
			printf("status %s\n", argv[4]);
	}
	return 0;
}
