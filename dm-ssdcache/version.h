/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_VERSION_H
#define SSDC_VERSION_H

/* The project's version; the target versions of "dmsetup targets" follow it. */
#define SSDC_VERSION_MAJOR	1
#define SSDC_VERSION_MINOR	0
#define SSDC_VERSION_PATCH	0

#define SSDC_VERSION_TEXT(major, minor, patch)		#major "." #minor "." #patch
#define SSDC_VERSION_EXPAND(major, minor, patch)	SSDC_VERSION_TEXT(major, minor, patch)

#define SSDC_VERSION \
	SSDC_VERSION_EXPAND(SSDC_VERSION_MAJOR, SSDC_VERSION_MINOR, SSDC_VERSION_PATCH)

#endif
