#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# DKMS removes its build folder after a build. Policies in modules of their own need the module's symbols: keep them beside the
# module, where "dkms remove" removes them.
exec cp dm-ssdcache/Module.symvers "$1/Module.symvers"
