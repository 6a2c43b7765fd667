/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which values a sector may hold. Each write has a unique value, and a start and an end in logical
 * time. A read that started at S may see the value of write A unless some acknowledged write B started
 * after A had ended, and itself ended before S: then the read must see B or a later write.
 *
 *	A  |-----|
 *	B            |-----|
 *	read                  |---|	A is wrong, B is right
 *	read            |--------|	A and B are right
 *
 * A request that overlaps a discard in time may see anything, because DRAM forgets the sectors before
 * the origin does. After the discard they are 0.
 */
#ifndef SSDC_SIM_MODEL_H
#define SSDC_SIM_MODEL_H

#include "sim.h"

struct sim_model;

/**
 * struct sim_op - a request in flight
 * @node: in the model's list, oldest first
 * @start: logical time
 */
struct sim_op {
	struct list_head node;
	u64 start;
};

/* How a change of data ended. */
enum sim_end {
	SIM_ACKED,	/* acknowledged: it counts */
	SIM_LOST,	/* failed: may or may not have happened */
	SIM_UNKNOWN,	/* failed: the sectors may hold anything */
};

struct sim_model *sim_model_create(void);
void sim_model_destroy(struct sim_model *model);

void sim_op_begin(struct sim_model *model, struct sim_op *op);
void sim_op_end(struct sim_model *model, struct sim_op *op);

void sim_model_change(struct sim_model *model, const struct sim_op *op, u64 sector, u64 nr,
		      u64 value);
void sim_model_changed(struct sim_model *model, const struct sim_op *op, u64 sector, u64 nr,
		       enum sim_end end);
bool sim_model_allows(const struct sim_model *model, u64 sector, u64 value, u64 start);
bool sim_model_since(const struct sim_model *model, u64 sector, u64 value, u64 start);
u64 sim_model_time(const struct sim_model *model);

/* Call @visit for every sector that was ever changed, until it returns false. */
void sim_model_each(const struct sim_model *model, bool (*visit)(void *data, u64 sector),
		    void *data);

#endif /* SSDC_SIM_MODEL_H */
