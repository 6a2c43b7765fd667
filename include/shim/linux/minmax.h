/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As strict as the oldest supported kernel: the arguments of min() and max() must have the same type,
 * or the build fails.
 */
#ifndef SSDC_SHIM_LINUX_MINMAX_H
#define SSDC_SHIM_LINUX_MINMAX_H

#define ssdc_shim_pick(a, op, b) ({					\
	__auto_type ssdc_a = (a);					\
	__auto_type ssdc_b = (b);					\
	_Static_assert(__builtin_types_compatible_p(__typeof__(ssdc_a),	\
						    __typeof__(ssdc_b)),	\
		       "min() and max() want one type: use min_t(), max_t()");	\
	ssdc_a op ssdc_b ? ssdc_a : ssdc_b; })

/* In nested calls the inner names shadow the outer ones, harmlessly. */
#pragma GCC diagnostic ignored "-Wshadow"

#define min(a, b)		ssdc_shim_pick(a, <, b)
#define max(a, b)		ssdc_shim_pick(a, >, b)
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp(value, low, high)	min(max(value, low), high)
#define clamp_t(type, value, low, high) \
	min_t(type, max_t(type, value, low), high)
#define swap(a, b) do {			\
	__auto_type ssdc_t = (a);	\
	(a) = (b);			\
	(b) = ssdc_t;			\
} while (0)

#endif /* SSDC_SHIM_LINUX_MINMAX_H */
