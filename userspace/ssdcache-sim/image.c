// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "image.h"
#include "sector-map.h"

struct sim_image {
	const struct ssdc_engine *engine;
	struct sim_model *model;
	struct sector_map origin;
	u64 *dram;		/* nr_frames * page_sectors values */
	u64 next_value;
};

/**
 * sim_image_create() - start to track data
 * @e: engine, empty
 */
struct sim_image *sim_image_create(const struct ssdc_engine *e)
{
	struct sim_image *image = xcalloc(1, sizeof(*image));

	image->engine = e;
	image->model = sim_model_create();
	image->dram = xcalloc((size_t)e->tier.nr_frames * e->tier.page_sectors, sizeof(u64));
	return image;
}

void sim_image_destroy(struct sim_image *image)
{
	if (!image)
		return;
	sim_model_destroy(image->model);
	sector_map_free(&image->origin);
	free(image->dram);
	free(image);
}

static u64 *buffer_data(const struct sim_image *image, u32 buffer, u32 sector)
{
	const struct ssdc_tier *tier = &image->engine->tier;

	return image->dram + (size_t)buffer * tier->page_sectors + sector;
}

static bool changes_data(const struct ssdc_request *rq)
{
	return rq->host.op == SSDC_WRITE || rq->host.op == SSDC_DISCARD;
}

/* A request arrives. */
void sim_image_begin(struct sim_image *image, const struct ssdc_request *rq,
		     struct sim_data *data)
{
	sim_op_begin(image->model, &data->op);
	data->value = rq->host.op == SSDC_WRITE ? ++image->next_value : 0;
	data->buffer = NULL;
	if (rq->host.op == SSDC_READ)
		data->buffer = xcalloc(rq->host.nr_sectors, sizeof(u64));
	if (changes_data(rq))
		sim_model_change(image->model, &data->op, rq->host.sector, rq->host.nr_sectors,
				 data->value);
}

/* A request ends: check the data read. */
void sim_image_end(struct sim_image *image, const struct ssdc_request *rq, struct sim_data *data)
{
	u64 i;

	sim_op_end(image->model, &data->op);
	if (changes_data(rq))
		sim_model_changed(image->model, &data->op, rq->host.sector, rq->host.nr_sectors,
				  SIM_ACKED);
	for (i = 0; data->buffer && i < rq->host.nr_sectors; i++)
		if (!sim_model_allows(image->model, rq->host.sector + i, data->buffer[i],
				      data->op.start))
			die(TOOL_FAILED,
			    "verify: request %llu read old data at sector %llu (of write %llu)",
			    rq->host.id, rq->host.sector + i, data->buffer[i]);
	free(data->buffer);
}

/* Copy between a request and DRAM. */
void sim_image_copy(struct sim_image *image, const struct ssdc_request *rq, struct sim_data *data,
		    const struct ssdc_segment *seg)
{
	u64 *dram = buffer_data(image, seg->buffer, seg->frame_sector);
	u32 i;

	if (seg->rest != SSDC_NO_BUFFER)
		memcpy(buffer_data(image, seg->buffer, 0), buffer_data(image, seg->rest, 0),
		       image->engine->tier.page_sectors * sizeof(*dram));
	for (i = 0; i < seg->nr_sectors; i++) {
		if (rq->host.op == SSDC_WRITE)
			dram[i] = data->value;
		else
			data->buffer[seg->rq_sector + i] = dram[i];
	}
}

/* Read from the origin into a request. */
void sim_image_read(struct sim_image *image, const struct ssdc_request *rq, struct sim_data *data,
		    const struct ssdc_segment *seg)
{
	u32 i;

	for (i = seg->rq_sector; i < seg->rq_sector + seg->nr_sectors; i++)
		data->buffer[i] = sector_map_get(&image->origin, rq->host.sector + i);
}

/* A discard reaches the origin. */
void sim_image_discard(struct sim_image *image, const struct ssdc_request *rq)
{
	u64 i;

	for (i = 0; i < rq->host.nr_sectors; i++)
		if (sector_map_get(&image->origin, rq->host.sector + i))
			*sector_map_at(&image->origin, rq->host.sector + i) = 0;
}

/* Copy between DRAM and the origin. */
void sim_image_io(struct sim_image *image, const struct ssdc_io *io)
{
	u64 *dram = buffer_data(image, io->buffer, io->frame_sector);
	u32 i;

	for (i = 0; i < io->nr_sectors; i++) {
		if (io->write)
			*sector_map_at(&image->origin, io->sector + i) = dram[i];
		else
			dram[i] = sector_map_get(&image->origin, io->sector + i);
	}
}

static bool check_sector(void *data, u64 sector)
{
	const struct sim_image *image = data;
	u64 value = sector_map_get(&image->origin, sector);

	if (!sim_model_allows(image->model, sector, value, sim_model_time(image->model) + 1))
		die(TOOL_FAILED,
		    "verify: the origin has old data at sector %llu (of write %llu)", sector,
		    value);
	return true;
}

/* Everything was flushed: the origin must have the newest data. */
void sim_image_check_origin(struct sim_image *image)
{
	sim_model_each(image->model, check_sector, image);
}
