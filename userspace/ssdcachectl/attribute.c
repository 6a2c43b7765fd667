// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of a device, read from the texts of sysfs.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "../common/number.h"
#include "sysfs.h"

/**
 * device_u64() - read an attribute that is one number
 * @dev: device
 * @attribute: path in its folder
 * @value: result, 0 on failure
 *
 * Return: false, with errno, if it cannot be read or is not a number.
 */
bool device_u64(const struct device *dev, const char *attribute, uint64_t *value)
{
	char text[64];

	*value = 0;
	if (!device_text(dev, attribute, text, sizeof(text)))
		return false;
	if (parse_number(text, 0, UINT64_MAX, value))
		return true;
	errno = EINVAL;
	return false;
}

/**
 * device_schema() - check that this tool knows the device's sysfs layout
 * @dev: device
 *
 * Return: TOOL_OK or TOOL_FAILED (reported).
 */
int device_schema(const struct device *dev)
{
	uint64_t schema;

	if (!device_u64(dev, "schema", &schema)) {
		int error = errno;

		if (!device_there(dev))
			return fail("%s is gone", dev->name);
		return fail("%s: cannot read %s/schema: %s", dev->name, dev->dir, strerror(error));
	}
	if (schema != CTL_SCHEMA)
		return fail("%s: the kernel's interface is of schema %llu, this tool knows %d: use the ssdcachectl that came with the module",
			    dev->name, (unsigned long long)schema, CTL_SCHEMA);
	return TOOL_OK;
}

/* A kernel without names of errors ends a reason with the number. */
static void name_error(char *reason, size_t size)
{
	char *at = strstr(reason, " (-");
	int error, end = 0;

	if (at && sscanf(at, " (-%d)%n", &error, &end) == 1 && end && !at[end])
		snprintf(at, size - (at - reason), ": %s", strerror(error));
}

/**
 * device_reason() - why the device refused the last message or failed
 * @dev: device
 * @buf: result, "" if unknown
 * @size: of @buf
 */
void device_reason(const struct device *dev, char *buf, size_t size)
{
	char *newline;

	if (!device_text(dev, "last_error", buf, size) || !strcmp(buf, "none"))
		buf[0] = '\0';
	newline = strchr(buf, '\n');
	if (newline)
		*newline = '\0';
	name_error(buf, size);
}
