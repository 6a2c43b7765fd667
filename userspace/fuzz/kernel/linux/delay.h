/* SPDX-License-Identifier: GPL-2.0 */
static inline void usleep_range(unsigned long min, unsigned long max)
{
	(void)min;
	(void)max;
}
