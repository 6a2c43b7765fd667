// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of a flash device: "PROFILE:key=value,…" for a capacity.
 *
 *	line 1	the specification
 *	rest	capacity in sectors, 8 bytes
 *
 * What is accepted has room for the capacity, and a small device can be created, aged and used.
 */
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include "../../dm-ssdcache/flash/flash.h"
#include "fuzz.h"

#define MAX_MEMORY	(512u << 10)
#define REQUESTS	8

static void use(struct ssdf_device *flash, const struct ssdf_params *params)
{
	u64 capacity = ssdf_capacity_sectors(params), now_ns = 0, next_ns;
	struct ssdf_request requests[REQUESTS] = {};
	unsigned int i, done = 0;

	while (ssdf_age(flash))
		;
	for (i = 0; i < REQUESTS; i++) {
		struct ssdf_request *rq = &requests[i];

		rq->op = i % 3 ? SSDC_WRITE : SSDC_READ;
		rq->nr_sectors = min(capacity, (u64)1 + 40 * i);
		rq->sector = (capacity - rq->nr_sectors) / REQUESTS * (i + 1);
		ssdf_submit(flash, rq, now_ns);
	}
	while (done < REQUESTS) {
		while (ssdf_next_done(flash))
			done++;
		next_ns = ssdf_next_ns(flash);
		if (done == REQUESTS)
			break;
		if (next_ns == SSDF_NEVER)
			fuzz_wrong("%u requests never end", REQUESTS - done);
		now_ns = max(now_ns, next_ns);
		ssdf_advance(flash, now_ns);
	}
}

void fuzz_one(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = { data, size };
	struct ssdc_error error = {};
	struct ssdf_params params, again;
	struct ssdf_device *flash;
	char *spec = fuzz_line(&bytes);
	u64 sectors;
	int r;

	if (!spec)
		return;
	r = ssdf_params_parse(&params, spec, &error);
	free(spec);
	sectors = fuzz_number(&bytes, 4);
	sectors |= (u64)fuzz_number(&bytes, 4) << 32;
	if (!r)
		r = ssdf_params_check(&params, sectors, &error);
	if (r && !error.text[0])
		fuzz_wrong("refused without a reason");
	if (r)
		return;
	if (ssdf_capacity_sectors(&params) < sectors)
		fuzz_wrong("%llu sectors were accepted, there are %llu", sectors,
			   ssdf_capacity_sectors(&params));
	again = params;
	if (ssdf_params_check(&again, sectors, &error) || memcmp(&again, &params, sizeof(again)))
		fuzz_wrong("checked twice: %s", error.text);
	if (ssdf_memory_bytes(&params) > MAX_MEMORY)
		return;
	flash = ssdf_create(&params, &error);
	if (!flash)
		fuzz_wrong("cannot be created: %s", error.text);
	use(flash, &params);
	ssdf_destroy(flash);
}

void fuzz_after(void)
{
}
