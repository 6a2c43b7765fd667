/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SHIM_LINUX_BITS_H
#define SSDC_SHIM_LINUX_BITS_H

#define BITS_PER_BYTE		8
#define BITS_PER_LONG		((int)(sizeof(long) * BITS_PER_BYTE))
#define BIT(nr)			(1UL << (nr))
#define BIT_ULL(nr)		(1ULL << (nr))
#define BITS_TO_LONGS(nr)	(((nr) + BITS_PER_LONG - 1) / BITS_PER_LONG)

#endif /* SSDC_SHIM_LINUX_BITS_H */
