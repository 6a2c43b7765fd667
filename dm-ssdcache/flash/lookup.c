// SPDX-License-Identifier: GPL-2.0
/*
 * Lookups: with a cached mapping table, a page's mapping must be found before the page. A lookup
 * may have to write a dirty mapping, which takes a read and a program of a translation page, and
 * then to read its own translation page. Programs queue with the host's writes. So the lookup of a
 * write writes the dirty mapping first, and the lookup of a read writes it last.
 */
#include "ftl.h"
#include "lookup.h"
#include "map-cache.h"
#include "nand.h"
#include "program.h"

/* Read the command's page from its place in the flash. */
void ssdf_read_place(struct ssdf_device *f, struct ssdf_command *cmd)
{
	cmd->kind = SSDF_READ;
	ssdf_place_to_read(f, cmd);
	ssdf_queue(f, cmd);
}

/* Read the command's translation page. Returns false if the controller has it. */
static bool read_translation_page(struct ssdf_device *f, struct ssdf_command *cmd)
{
	if (!ssdf_is_in_flash(f, f->map[ssdf_lpn_nr(cmd->lpn)]))
		return false;
	cmd->bytes = f->params.page_bytes;
	f->stats.map_reads++;
	ssdf_read_place(f, cmd);
	return true;
}

/* The mapping was read. */
void ssdf_lookup_end(struct ssdf_device *f, struct ssdf_command *cmd)
{
	cmd->lpn = cmd->looks_for;
	ssdf_map_insert(f, cmd->lpn);
}

/* There is room for the mapping. Returns true if it is known at once. */
bool ssdf_lookup_start(struct ssdf_device *f, struct ssdf_command *cmd)
{
	cmd->purpose = SSDF_MAP_LOOKUP;
	cmd->lpn = ssdf_translation_page(f, cmd->looks_for);
	if (ssdf_lookup_follow(f, cmd))
		return false;
	if (!read_translation_page(f, cmd)) {
		ssdf_lookup_end(f, cmd);
		return true;
	}
	ssdf_lookup_begin_read(f, cmd);
	return false;
}

/* Write the translation page of a dirty mapping, with the mappings that it already has. */
static void write_back(struct ssdf_device *f, struct ssdf_command *cmd, ssdf_lpn_t dirty)
{
	cmd->purpose = SSDF_MAP_EVICT;
	cmd->lpn = dirty;
	if (!read_translation_page(f, cmd))
		ssdf_program(f, cmd);
}

/*
 * The command has ended for its request. Returns true if it goes on, without the request, to write
 * the dirty mapping that its lookup has evicted. So evictions take commands from later reads, and
 * the number of mappings that wait to be written is limited. Call this function only with
 * map_cache.
 */
bool ssdf_write_owed(struct ssdf_device *f, struct ssdf_command *cmd)
{
	ssdf_lpn_t dirty = ssdf_map_owed(f, cmd);

	if (dirty == SSDF_NO_LPN)
		return false;
	cmd->rq = NULL;
	write_back(f, cmd, dirty);
	return true;
}

/*
 * Find the mapping of the command's page. Returns true if it is known at once. Otherwise the
 * command works on translation pages first, one after the other, see go_on_looking() in device.c.
 */
bool ssdf_look_up(struct ssdf_device *f, struct ssdf_command *cmd)
{
	ssdf_lpn_t dirty;

	if (ssdf_map_find(f, cmd->lpn))
		return true;
	cmd->looks_for = cmd->lpn;
	dirty = ssdf_map_make_room(f);
	if (dirty != SSDF_NO_LPN && cmd->rq->op != SSDC_READ) {
		write_back(f, cmd, dirty);
		return false;
	}
	ssdf_map_owe(f, cmd, dirty);
	return ssdf_lookup_start(f, cmd);
}
