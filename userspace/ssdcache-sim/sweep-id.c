// SPDX-License-Identifier: GPL-2.0
/*
 * What the rows of a sweep depend on, besides the options: the code of the simulator (the build id of
 * the program or library), that of the plug-ins (a hash of each file), and the requests.
 */
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include "sweep.h"

#define ALIGN4(x)	(((x) + 3) & ~3UL)

/**
 * sweep_hash() - FNV-1a
 * @hash: SWEEP_HASH, or the hash of what comes before
 * @data: bytes
 * @len: how many
 */
u64 sweep_hash(u64 hash, const void *data, size_t len)
{
	const u8 *at = data, *end = at + len;

	while (at < end)
		hash = (hash ^ *at++) * 0x100000001b3;
	return hash;
}

/**
 * sweep_workload_hash() - FNV-1a of requests and of the size of their device, by words
 * @workload: requests
 *
 * The device holds all requests of a trace, also those that --before leaves out. So the same requests may have devices of different sizes.
 */
u64 sweep_workload_hash(const struct sim_workload *workload)
{
	u64 hash = SWEEP_HASH;
	size_t i;

	for (i = 0; i < workload->nr; i++) {
		const struct sim_record *r = &workload->records[i];
		u64 rest = (u64)r->nr_sectors << 32 | (u32)r->disk << 16 | r->op << 8 | r->fua;

		hash = (hash ^ r->time_ns) * 0x100000001b3;
		hash = (hash ^ r->sector) * 0x100000001b3;
		hash = (hash ^ rest) * 0x100000001b3;
		hash ^= hash >> 32;
	}
	hash = (hash ^ workload->sectors) * 0x100000001b3;
	return hash ^ hash >> 32;
}

static bool holds(const struct dl_phdr_info *object, const void *address)
{
	int i;

	for (i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];

		if (part->p_type == PT_LOAD &&
		    (uintptr_t)address - object->dlpi_addr - part->p_vaddr < part->p_memsz)
			return true;
	}
	return false;
}

/* The build id among notes. */
static bool put_build_id(FILE *out, const char *at, const char *end)
{
	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
		const char *name = at + sizeof(*note), *id = name + ALIGN4(note->n_namesz);
		unsigned int i;

		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4)) {
			for (i = 0; i < note->n_descsz; i++)
				fprintf(out, "%02x", (u8)id[i]);
			return true;
		}
		at = id + ALIGN4(note->n_descsz);
	}
	return false;
}

static int visit(struct dl_phdr_info *object, size_t size, void *out)
{
	int i;

	(void)size;
	if (!holds(object, visit))
		return 0;
	for (i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		const char *at = (const char *)object->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_NOTE && put_build_id(out, at, at + part->p_memsz))
			return 1;
	}
	return 0;
}

static u64 hash_file(const char *name)
{
	FILE *file = fopen(name, "re");
	u64 hash = SWEEP_HASH;
	char part[4096];
	size_t len;

	if (!file)
		die(TOOL_BAD_USAGE, "--plugin: %s: %s", name, strerror(errno));
	while ((len = fread(part, 1, sizeof(part), file)))
		hash = sweep_hash(hash, part, len);
	if (ferror(file))
		die(TOOL_BAD_USAGE, "--plugin: %s: %s", name, strerror(errno));
	fclose(file);
	return hash;
}

/**
 * sweep_identify() - fill in the hashes of code and workload
 * @sweep: sweep
 */
void sweep_identify(struct sweep *sweep)
{
	size_t len, i;
	FILE *out = open_memstream(&sweep->code_id, &len);

	if (!out)
		die(TOOL_FAILED, "no memory");
	if (!dl_iterate_phdr(visit, out))
		die(TOOL_FAILED, "internal error: the simulator was linked without a build id");
	for (i = 0; i < sweep->nr_common; i++)
		if (sim_option_is_plugin(sweep->common[i].def))
			fprintf(out, "+%016llx", hash_file(sweep->common[i].value));
	fclose(out);
	snprintf(sweep->workload_id, sizeof(sweep->workload_id), "%016llx",
		 sweep_workload_hash(&sweep->workload));
}
