/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The matching matrix of [Li22]: a row per pattern, a column per page of any pattern, and a
 * bit that says whether the page was read since the row began.
 *
 *		   pages  0  1  2  3  4
 *	{0, 1, 3}	  1  0  .  0  .		page 0 was read
 *	{0, 2, 4}	  1  .  0  .  0
 *
 * A row fires once when enough of it was read: the rest of its pages is wanted. It restarts
 * once all of it was read.
 */
#ifndef SSDC_PATTERN_MATRIX_H
#define SSDC_PATTERN_MATRIX_H

#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include "../base/types.h"

#define SSDC_MATRIX_ROWS	32u
#define SSDC_MATRIX_COLUMNS	128u
#define SSDC_MATRIX_SLOTS	256u

/* The paper's size of the matrix, section 4.3.3. */
#define SSDC_MATRIX_BYTES	5760u

struct ssdc_matrix_row {
	DECLARE_BITMAP(members, SSDC_MATRIX_COLUMNS);
	DECLARE_BITMAP(read, SSDC_MATRIX_COLUMNS);
	u8 nr_members;
	u8 nr_read;
};

struct ssdc_matrix {
	u32 nr_rows;
	u32 nr_columns;
	u32 fired;				/* a bit per row */
	u64 pages[SSDC_MATRIX_COLUMNS];
	u32 rows_of[SSDC_MATRIX_COLUMNS];	/* a bit per row */
	u8 slots[SSDC_MATRIX_SLOTS];		/* hash of pages: column + 1 */
	struct ssdc_matrix_row rows[SSDC_MATRIX_ROWS];
};

static_assert(sizeof(struct ssdc_matrix) <= SSDC_MATRIX_BYTES);

void ssdc_matrix_clear(struct ssdc_matrix *m);
bool ssdc_matrix_add(struct ssdc_matrix *m, const u64 *pages, u32 nr);
u32 ssdc_matrix_read(struct ssdc_matrix *m, u64 page);
bool ssdc_matrix_fires(struct ssdc_matrix *m, u32 row, u32 percent, bool strict);
u32 ssdc_matrix_rest(const struct ssdc_matrix *m, u32 row, u64 *pages);
void ssdc_matrix_renew(struct ssdc_matrix *m, u32 rows);

#endif /* SSDC_PATTERN_MATRIX_H */
