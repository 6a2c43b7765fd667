/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How users get the programs of the Python package.
 */
#ifndef COMMON_PYTHON_PACKAGE_H
#define COMMON_PYTHON_PACKAGE_H

#define GET_PYTHON_PACKAGE "install the package python3-ssdcache, which 'make deb' builds, or see userspace/python/README.md"

#endif /* COMMON_PYTHON_PACKAGE_H */
