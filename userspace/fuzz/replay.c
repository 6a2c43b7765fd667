// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a target on files, for compilers without libFuzzer. A defect ends the program.
 *
 *	TARGET FILE...
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_BYTES (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t read_file(const char *name, uint8_t *data)
{
	FILE *file = fopen(name, "rb");
	size_t size;

	if (!file) {
		perror(name);
		exit(2);
	}
	size = fread(data, 1, MAX_BYTES, file);
	fclose(file);
	return size;
}

int main(int argc, char **argv)
{
	uint8_t *data = malloc(MAX_BYTES);
	char text[64];
	int i;

	for (i = 1; data && i < argc; i++) {
		size_t size = read_file(argv[i], data);
		/* In memory of its own, so that reads beyond its end are noticed. */
		uint8_t *input = malloc(size ? size : 1);

		if (!input)
			return 2;
		memcpy(input, data, size);
		if (write(STDERR_FILENO, argv[i], strlen(argv[i])) < 0 ||
		    write(STDERR_FILENO, "\n", 1) < 0)
			return 2;
		LLVMFuzzerTestOneInput(input, size);
		free(input);
	}
	free(data);
	i = snprintf(text, sizeof(text), "%d inputs\n", argc - 1);
	return write(STDOUT_FILENO, text, i) != i;
}
