/* SPDX-License-Identifier: GPL-2.0 */
struct completion {
	bool done;
};
