/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_LINUX_JUMP_LABEL_H
#define SSDC_FUZZ_LINUX_JUMP_LABEL_H

#define DECLARE_STATIC_KEY_FALSE(name)	extern bool name
#define DEFINE_STATIC_KEY_FALSE(name)	bool name
#define static_branch_unlikely(key)	(*(key))

#endif /* SSDC_FUZZ_LINUX_JUMP_LABEL_H */
