/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_SHIM_LINUX_EXPORT_H
#define SSDC_SHIM_LINUX_EXPORT_H

/* Nothing to export: the simulator links the engine. The semicolon needs something to end. */
#define EXPORT_SYMBOL_GPL(symbol)	extern int ssdc_shim_no_export

#endif /* SSDC_SHIM_LINUX_EXPORT_H */
