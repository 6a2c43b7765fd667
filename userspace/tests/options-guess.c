// SPDX-License-Identifier: GPL-2.0
/*
 * Mistyped options of a table that is longer than that of any tool (../common/options.c).
 *
 *	options-guess		TAP lines
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../common/options.h"
#include "harness.h"

#define NR_OPTIONS	200

static char names[NR_OPTIONS][16];
static struct option_def defs[NR_OPTIONS + 1];

/* What standard error gets when @word is given. */
static const char *said_of(const char *word)
{
	static char text[512];
	char typed[32], program[] = "tool";
	char *argv[] = { program, typed, NULL };
	struct option_reader reader;
	int before = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	size_t len;

	if (!file || before < 0)
		give_up("temporary file");
	snprintf(typed, sizeof(typed), "%s", word);
	dup2(fileno(file), STDERR_FILENO);
	options_begin(&reader, NULL, defs, 2, argv);
	if (options_next(&reader) != OPTION_BAD)
		give_up(word);
	options_end(&reader);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(file);
	len = fread(text, 1, sizeof(text) - 1, file);
	text[len] = '\0';
	fclose(file);
	return text;
}

int main(void)
{
	size_t i;

	for (i = 0; i < NR_OPTIONS; i++) {
		snprintf(names[i], sizeof(names[i]), "%c%c-%03zu", (int)('a' + i % 26), (int)('a' + i / 26), i);
		defs[i].name = names[i];
	}
	snprintf(names[NR_OPTIONS - 2], sizeof(names[0]), "temperature");
	snprintf(names[NR_OPTIONS - 1], sizeof(names[0]), "temperament");
	result(strstr(said_of("--tenperature"), "did you mean '--temperature'?"), "an option late in the table is guessed");
	result(strstr(said_of("--tempera"), "it could be '--temperature' or '--temperament'"), "options late in the table are ambiguous");
	return finish();
}
