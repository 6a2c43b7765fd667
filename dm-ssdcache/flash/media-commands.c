// SPDX-License-Identifier: GPL-2.0
/*
 * Handing commands to a medium that keeps the data.
 *
 * A command ends when both the model's clock and the medium are done with it.
 * Without a medium these functions do nothing.
 */
#include "media-commands.h"

/* Fetch page @lpn from @ppn, for the command's request or for GC to move. */
void ssdf_media_read(struct ssdf_device *f, struct ssdf_command *cmd, ssdf_lpn_t lpn,
		     ssdf_ppn_t ppn)
{
	if (!f->media)
		return;
	cmd->waits++;
	f->media->read(f->media_data, cmd->slot, cmd->rq, lpn, ppn);
}

/* Store page @lpn at the command's physical page. */
void ssdf_media_write(struct ssdf_device *f, struct ssdf_command *cmd, ssdf_lpn_t lpn,
		      ssdf_ppn_t old)
{
	if (!f->media)
		return;
	cmd->waits++;
	f->media->write(f->media_data, cmd->slot, cmd->rq, lpn, cmd->ppn, old);
}

/* Erase the block whose first page is the command's physical page. */
void ssdf_media_erase(struct ssdf_device *f, struct ssdf_command *cmd)
{
	if (!f->media)
		return;
	cmd->waits++;
	f->media->erase(f->media_data, cmd->slot, cmd->ppn);
}
