// SPDX-License-Identifier: GPL-2.0
/*
 * ssdcachectl: its command line, and what it makes of the kernel's texts.
 *
 *	line 1		the words after "ssdcachectl"; verbs that act only plan (--dry-run)
 *	PATH=text	a file of the device's folder in sysfs; in the text, \x1f stands for a newline
 *	!text		a line of the kernel log
 *	|text		the device's table, as the kernel prints it
 *
 * JSON is JSON, all lines of CSV have the same number of fields, Prometheus can read each line that is for it, and a terminal of 24 rows
 * shows all of --watch, without control characters.
 */
#include <ctype.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"
#include "../ssdcachectl/act.h"
#include "../ssdcachectl/kernel.h"
#include "../ssdcachectl/report.h"
#include "../ssdcachectl/sysfs.h"
#include "../ssdcachectl/table.h"

#define MAX_WORDS	16
#define MAX_FILES	256
#define SCREEN_LINES	23
#define NEWLINE		'\x1f'
#define NAME		"dm/name"

struct file {
	const char *path;
	const char *text;
};

static struct file files[MAX_FILES];
static size_t nr_files;

int ctl_main(int argc, char **argv);

/* ---- sysfs, in place of sysfs.c: what its functions return, from the input ---- */

static const struct file *find_file(const char *path)
{
	size_t i;

	for (i = 0; i < nr_files; i++)
		if (!strcmp(files[i].path, path))
			return &files[i];
	return NULL;
}

static void fill_device(struct device *dev)
{
	const struct file *name = find_file(NAME);

	memset(dev, 0, sizeof(*dev));
	dev->target = find_file("flash") ? DEVICE_FLASH : DEVICE_CACHE;
	snprintf(dev->name, sizeof(dev->name), "%s", name ? name->text : "c0");
	strcpy(dev->kernel, "dm-0");
	strcpy(dev->block, "/sys/block/dm-0");
	strcpy(dev->dir, "/sys/block/dm-0/x");
}

int sysfs_root_check(const struct command *cmd)
{
	(void)cmd;
	return TOOL_OK;
}

int sysfs_devices_check(const struct command *cmd)
{
	(void)cmd;
	return TOOL_OK;
}

const char *device_target_name(enum device_target target)
{
	return target == DEVICE_FLASH ? "ssdflash" : CTL_TARGET;
}

int device_find(const struct command *cmd, struct device *dev)
{
	(void)cmd;
	fill_device(dev);
	return dev->target == DEVICE_FLASH && !cmd->verb->flash ?
		fail("%s: %s is an ssdflash", cmd->verb->name, dev->name) : TOOL_OK;
}

size_t device_list(const struct command *cmd, struct device **list)
{
	(void)cmd;
	*list = xcalloc(1, sizeof(**list));
	fill_device(*list);
	return 1;
}

bool device_there(const struct device *dev)
{
	(void)dev;
	return !find_file("gone");
}

bool device_text(const struct device *dev, const char *attribute, char *buf, size_t size)
{
	static const struct file schema = { "schema", "1" };
	const struct file *file = find_file(attribute);
	size_t len;

	(void)dev;
	if (!file && !strcmp(attribute, "schema"))
		file = &schema;
	len = snprintf(buf, size, "%s", file ? file->text : "");
	if (len >= size)
		len = size - 1;
	while (len && buf[len - 1] == '\n')
		buf[--len] = '\0';
	return file;
}

size_t device_files(const struct device *dev, const char *folder, char ***names)
{
	size_t len = strlen(folder), nr = 0, i;

	(void)dev;
	*names = xcalloc(nr_files + 1, sizeof(**names));
	for (i = 0; i < nr_files; i++) {
		const char *path = files[i].path;

		if (!strncmp(path, folder, len) && path[len] == '/' && path[len + 1] &&
		    !strchr(path + len + 1, '/') && strlen(path + len + 1) < 256)
			(*names)[nr++] = strdup(path + len + 1);
	}
	return nr;
}

void free_names(char **names, size_t nr)
{
	while (nr)
		free(names[--nr]);
	free(names);
}

void device_origin(const struct device *dev, char *buf, size_t size)
{
	device_text(dev, "origin", buf, size);
}

void block_name(const char *kernel, char *name, size_t size)
{
	snprintf(name, size, "%s", kernel);
}

/* ---- device-mapper: every message is refused; other ioctls are not reached ---- */

void __wrap_devmap_begin(void);
void __wrap_devmap_end(void);
int __wrap_devmap_message(const char *name, const char *message);

void __wrap_devmap_begin(void)
{
}

void __wrap_devmap_end(void)
{
}

int __wrap_devmap_message(const char *name, const char *message)
{
	(void)name;
	if (!*message)
		fuzz_wrong("an empty message");
	return -22;
}

/* ---- the origin, in place of origin.c ---- */

int origin_size(const struct command *cmd, const char *origin, uint64_t *bytes)
{
	(void)cmd;
	*bytes = strlen(origin) << 30;
	return TOOL_OK;
}

int origin_claim(const struct command *cmd, const char *origin, int *lock)
{
	*lock = -1;
	return fail("%s: %s is not looked at", cmd->verb->name, origin);
}

bool origin_in_use(const char *origin)
{
	return !*origin;
}

/* ---- inputs ---- */

static void add_file(char *line)
{
	char *text = strchr(line, '='), *at;

	if (!text || nr_files == MAX_FILES)
		return;
	*text++ = '\0';
	if (find_file(line))
		return;
	for (at = text; (at = strchr(at, NEWLINE));)
		*at = '\n';
	files[nr_files++] = (struct file){ line, text };
}

static void read_log(const char *record)
{
	char reason[64];
	int fd;

	fuzz_file_fill(0, record, strlen(record));
	fd = open(fuzz_file_name(0), O_RDONLY | O_CLOEXEC);
	kernel_log_reason(fd, CTL_TARGET, reason, sizeof(reason));
}

static void change_table(const char *line)
{
	struct devmap_table table = { .length = 1 };
	char word[64], again[64];

	if ((size_t)snprintf(table.params, sizeof(table.params), "%s", line) >=
	    sizeof(table.params) || !table_word(&table, "dram", word, sizeof(word)))
		return;
	if (!table_set_word(&table, "dram", "123m"))
		return;
	if (!table_word(&table, "dram", again, sizeof(again)) || strcmp(again, "123m"))
		fuzz_wrong("the changed table has dram %s: %s", again, table.params);
}

/* Does an option of the command line start like this? */
static bool has_option(char **words, int nr, const char *option)
{
	int i;

	for (i = 1; i < nr && strcmp(words[i], "--"); i++)
		if (!strncmp(words[i], option, strlen(option)))
			return true;
	return false;
}

/* Fields of a line of CSV; *@at moves to the next line. */
static unsigned int count_fields(const char **at)
{
	unsigned int nr = 1;
	bool quoted = false;

	for (; **at && (quoted || **at != '\n'); ++*at) {
		if (**at == '"')
			quoted = !quoted;
		nr += **at == ',' && !quoted;
	}
	if (quoted)
		fuzz_wrong("CSV: a quote without an end");
	*at += **at == '\n';
	return nr;
}

static void check_csv(void)
{
	const char *at = fuzz_output();
	unsigned int header = count_fields(&at);

	while (*at)
		if (count_fields(&at) != header)
			fuzz_wrong("CSV: rows of different length: %s", fuzz_output());
}

static const char *after_name(const char *at)
{
	if (!isalpha((unsigned char)*at) && *at != '_')
		fuzz_wrong("Prometheus: no name at '%s' of: %s", at, fuzz_output());
	while (isalnum((unsigned char)*at) || *at == '_')
		at++;
	return at;
}

/* The text of a label, from its first " to the character after its last. */
static const char *after_text(const char *at)
{
	if (*at++ != '"')
		fuzz_wrong("Prometheus: no \" before '%s' of: %s", at, fuzz_output());
	while (*at != '"') {
		if (*at == '\\' && !strchr("\\\"n", *++at))
			fuzz_wrong("Prometheus: \\ before '%s' of: %s", at, fuzz_output());
		if (!*at || *at == '\n')
			fuzz_wrong("Prometheus: a text without end: %s", fuzz_output());
		at++;
	}
	return at + 1;
}

/* Each line is a comment, or NAME VALUE, or NAME{LABEL="TEXT",...} VALUE. */
static void check_prometheus(void)
{
	const char *at = fuzz_output();
	char *end;

	while (*at) {
		if (*at == '#') {
			at = strchrnul(at, '\n');
			at += *at == '\n';
			continue;
		}
		at = after_name(at);
		if (*at == '{') {
			do {
				at = after_name(at + 1);
				if (*at != '=')
					fuzz_wrong("Prometheus: no = before '%s' of: %s", at, fuzz_output());
				at = after_text(at + 1);
			} while (*at == ',');
			if (*at++ != '}')
				fuzz_wrong("Prometheus: no } before '%s' of: %s", at, fuzz_output());
		}
		if (*at != ' ')
			fuzz_wrong("Prometheus: no space before '%s' of: %s", at, fuzz_output());
		strtod(at + 1, &end);
		if (end == at + 1 || *end != '\n')
			fuzz_wrong("Prometheus: no value at '%s' of: %s", at, fuzz_output());
		at = end + 1;
	}
}

static void check_json(void)
{
	json_error_t error;
	json_t *root = json_loads(fuzz_output(), JSON_REJECT_DUPLICATES, &error);
	const char *name;

	if (!root)
		fuzz_wrong("not JSON: %s: %s", error.text, fuzz_output());
	if (json_object_get(root, "target") && json_unpack(root, "{s:s}", "name", &name))
		fuzz_wrong("JSON without a name: %s", fuzz_output());
	json_decref(root);
}

/* What "stats --watch" shows the second time. */
static void check_screen(void)
{
	struct snapshot snap, before;
	struct device dev;
	unsigned int nr = 0;
	char *text, *at;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fill_device(&dev);
	snapshot_read(&dev, SNAPSHOT_STATS, &before);
	snapshot_read(&dev, SNAPSHOT_STATS, &snap);
	snap.clock = before.clock + 1;
	report_screen(out, &snap, &before);
	snapshot_free(&before);
	snapshot_free(&snap);
	fclose(out);
	for (at = text; *at; at++) {
		nr += *at == '\n';
		if (*at != '\n' && iscntrl((unsigned char)*at))
			fuzz_wrong("a control character on the screen: %s", text);
	}
	if (nr > SCREEN_LINES)
		fuzz_wrong("%u lines on the screen: %s", nr, text);
	free(text);
}

static void run(char *line)
{
	char *words[MAX_WORDS + 3] = { "ssdcachectl" };
	int nr = 1 + fuzz_words(line, words + 1, MAX_WORDS), code;

	/* These would wait, or start processes. */
	if (nr > 1 && (!strcmp(words[1], "flush") || !strcmp(words[1], "remove") ||
		       !strcmp(words[1], "resize")))
		return;
	if (has_option(words, nr, "--w"))
		return;
	if (nr > 1 && (!strcmp(words[1], "create") || !strcmp(words[1], "attach"))) {
		memmove(words + 3, words + 2, (nr - 2) * sizeof(*words));
		words[2] = "--dry-run";
		nr++;
	}
	code = ctl_main(nr, words);
	if (code || nr < 2 || !strncmp(fuzz_output(), "Usage:", 6))
		return;
	if (!strcmp(words[1], "stats"))
		check_screen();
	if (!strcmp(words[1], "stats") && has_option(words, nr, "--csv"))
		check_csv();
	if (!strcmp(words[1], "stats") && has_option(words, nr, "--json"))
		check_json();
	if (!strcmp(words[1], "stats") && has_option(words, nr, "--prometheus"))
		check_prometheus();
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	char *command = fuzz_line(&bytes), *lines[MAX_FILES];
	size_t nr = 0;

	nr_files = 0;
	if (!command)
		return;
	while (nr < MAX_FILES && (lines[nr] = fuzz_line(&bytes))) {
		if (lines[nr][0] == '!')
			read_log(lines[nr] + 1);
		else if (lines[nr][0] == '|')
			change_table(lines[nr] + 1);
		else
			add_file(lines[nr]);
		nr++;
	}
	run(command);
	while (nr)
		free(lines[--nr]);
	free(command);
}

void fuzz_after(void)
{
}
