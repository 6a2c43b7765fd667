/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --verify: the data (one number per sector) in DRAM, on the origin and in the host's buffers, and
 * the model of which data are right.
 */
#ifndef SSDC_SIM_IMAGE_H
#define SSDC_SIM_IMAGE_H

#include "model.h"

struct sim_image;

/**
 * struct sim_data - the data of one request
 * @op: for the model
 * @value: of a write
 * @buffer: of a read: a value per sector
 */
struct sim_data {
	struct sim_op op;
	u64 value;
	u64 *buffer;
};

struct sim_image *sim_image_create(const struct ssdc_engine *e);
void sim_image_destroy(struct sim_image *image);

void sim_image_begin(struct sim_image *image, const struct ssdc_request *rq,
		     struct sim_data *data);
void sim_image_end(struct sim_image *image, const struct ssdc_request *rq, struct sim_data *data);
void sim_image_copy(struct sim_image *image, const struct ssdc_request *rq, struct sim_data *data,
		    const struct ssdc_segment *seg);
void sim_image_read(struct sim_image *image, const struct ssdc_request *rq, struct sim_data *data,
		    const struct ssdc_segment *seg);
void sim_image_discard(struct sim_image *image, const struct ssdc_request *rq);
void sim_image_io(struct sim_image *image, const struct ssdc_io *io);
void sim_image_check_origin(struct sim_image *image);

#endif /* SSDC_SIM_IMAGE_H */
