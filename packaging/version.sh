#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prints the version of the source.
exec awk '/define SSDC_VERSION_(MAJOR|MINOR|PATCH)/ { text = text dot $3; dot = "." } END { print text }' \
	"$(dirname "$0")/../dm-ssdcache/version.h"
