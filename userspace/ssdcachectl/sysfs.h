/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds and reads ssdcache and ssdflash devices in sysfs, or in a saved copy of it.
 */
#ifndef SSDCACHECTL_SYSFS_H
#define SSDCACHECTL_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ctl.h"
#include "devmap.h"

#define SYSFS_TEXT_LEN	65536

enum device_target {
	DEVICE_OTHER,		/* another target */
	DEVICE_CACHE,
	DEVICE_FLASH,
};

/**
 * struct device - a device of device-mapper
 * @target: its target
 * @name: device-mapper's
 * @kernel: the block device's: dm-N
 * @block: its folder /sys/block/dm-N
 * @dir: its folder /sys/block/dm-N/ssdcache, or …/ssdflash; "" for DEVICE_OTHER
 */
struct device {
	enum device_target target;
	char name[DEVMAP_NAME_LEN + 1];
	char kernel[32];
	char block[512];
	char dir[540];
};

void block_name(const char *kernel, char *name, size_t size);
const char *device_target_name(enum device_target target);
int sysfs_root_check(const struct command *cmd);
int sysfs_devices_check(const struct command *cmd);
int device_find(const struct command *cmd, struct device *dev);
size_t device_list(const struct command *cmd, struct device **list);

bool device_there(const struct device *dev);
int device_schema(const struct device *dev);
bool device_text(const struct device *dev, const char *attribute, char *buf, size_t size);
bool device_u64(const struct device *dev, const char *attribute, uint64_t *value);
size_t device_files(const struct device *dev, const char *folder, char ***names);
void free_names(char **names, size_t nr);
void device_origin(const struct device *dev, char *buf, size_t size);
void device_reason(const struct device *dev, char *buf, size_t size);
char *device_holders(const struct device *dev);

#endif /* SSDCACHECTL_SYSFS_H */
