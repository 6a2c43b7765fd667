/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_CAPTURE_FILE_H
#define SSDC_FUZZ_CAPTURE_FILE_H

#include <stdbool.h>

const char *capture_file_begin(unsigned int kind, bool replaces, unsigned int suffix);
const char *capture_file_end(void);
bool capture_file_is_compressed(void);
void capture_file_cut(unsigned int where);
void capture_file_after(void);

#endif /* SSDC_FUZZ_CAPTURE_FILE_H */
