/* SPDX-License-Identifier: GPL-2.0 */
/* Of messages: "%pe" prints this as a pointer here, and as the name of the error in the kernel. */
static inline void *ERR_PTR(long error)
{
	return (void *)error;
}
