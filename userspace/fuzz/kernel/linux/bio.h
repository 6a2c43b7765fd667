/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_LINUX_BIO_H
#define SSDC_FUZZ_LINUX_BIO_H

#include_next <linux/bio.h>

struct bio_list {
	struct bio *head;
	struct bio *tail;
};

#endif /* SSDC_FUZZ_LINUX_BIO_H */
