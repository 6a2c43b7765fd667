/* SPDX-License-Identifier: GPL-2.0 */
/* write.c: the decisions of writes. */
#ifndef SSDC_WRITE_H
#define SSDC_WRITE_H

#include "state.h"

enum ssdc_action ssdc_write_page(struct ssdc_engine *e, struct ssdc_request *rq,
				 struct ssdc_segment *seg);
enum ssdc_action ssdc_write_to_origin(struct ssdc_engine *e, struct ssdc_request *rq);
bool ssdc_needs_flush(const struct ssdc_engine *e, const struct ssdc_request *rq);
bool ssdc_waits_for_origin(const struct ssdc_request *rq);
bool ssdc_is_exposed(const struct ssdc_engine *e, const struct ssdc_request *rq);
void ssdc_origin_again(struct ssdc_request *rq);

#endif /* SSDC_WRITE_H */
