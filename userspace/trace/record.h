/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers in a binary record: in little-endian order, at any address.
 */
#ifndef TRACE_RECORD_H
#define TRACE_RECORD_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t record_le16(const uint8_t *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return le16toh(value);
}

static inline uint32_t record_le32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

static inline uint64_t record_le64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

#endif /* TRACE_RECORD_H */
