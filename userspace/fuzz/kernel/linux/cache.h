/* SPDX-License-Identifier: GPL-2.0 */
#define ____cacheline_aligned_in_smp
