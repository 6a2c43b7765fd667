/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_SYSFS_FILES_H
#define SSDC_FUZZ_SYSFS_FILES_H

struct dms_sysfs;

/* Read each file once. */
void sysfs_files_read(struct dms_sysfs *sysfs);

#endif /* SSDC_FUZZ_SYSFS_FILES_H */
