// SPDX-License-Identifier: GPL-2.0
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include "pattern-matrix.h"

#define SLOT_BITS 8

static_assert(SSDC_MATRIX_SLOTS == 1u << SLOT_BITS);

/* The slot of @page, or the free slot for it. At most half of the slots are in use. */
static u8 *slot_of(struct ssdc_matrix *m, u64 page)
{
	u32 at = (page * 0x9e3779b97f4a7c15ULL) >> (64 - SLOT_BITS);

	while (m->slots[at] && m->pages[m->slots[at] - 1] != page)
		at = (at + 1) % SSDC_MATRIX_SLOTS;
	return &m->slots[at];
}

/**
 * ssdc_matrix_clear() - forget all patterns
 * @m: matrix
 */
void ssdc_matrix_clear(struct ssdc_matrix *m)
{
	memset(m, 0, sizeof(*m));
}

/**
 * ssdc_matrix_add() - add a pattern
 * @m: matrix
 * @pages: the pattern's pages, all different
 * @nr: number of @pages
 *
 * Return: false if the pattern does not fit.
 */
bool ssdc_matrix_add(struct ssdc_matrix *m, const u64 *pages, u32 nr)
{
	struct ssdc_matrix_row *row = &m->rows[m->nr_rows];
	u32 i, new = 0;

	for (i = 0; i < nr; i++)
		new += !*slot_of(m, pages[i]);
	if (m->nr_rows == SSDC_MATRIX_ROWS || m->nr_columns + new > SSDC_MATRIX_COLUMNS)
		return false;
	for (i = 0; i < nr; i++) {
		u8 *slot = slot_of(m, pages[i]);

		if (!*slot) {
			m->pages[m->nr_columns] = pages[i];
			*slot = ++m->nr_columns;
		}
		m->rows_of[*slot - 1] |= BIT(m->nr_rows);
		__set_bit(*slot - 1, row->members);
	}
	row->nr_members = nr;
	m->nr_rows++;
	return true;
}

/**
 * ssdc_matrix_read() - mark a page as read
 * @m: matrix
 * @page: page number
 *
 * Return: bitmap of the rows that contain the page.
 */
u32 ssdc_matrix_read(struct ssdc_matrix *m, u64 page)
{
	u32 column = *slot_of(m, page), rest;

	if (!column--)
		return 0;
	for (rest = m->rows_of[column]; rest; rest &= rest - 1) {
		struct ssdc_matrix_row *row = &m->rows[__ffs(rest)];

		row->nr_read += !test_bit(column, row->read);
		__set_bit(column, row->read);
	}
	return m->rows_of[column];
}

/**
 * ssdc_matrix_fires() - does a row reach the threshold for the first time since it began?
 * @m: matrix
 * @row: index of the row
 * @percent: share of the row that must be read
 * @strict: more than @percent must be read
 */
bool ssdc_matrix_fires(struct ssdc_matrix *m, u32 row, u32 percent, bool strict)
{
	u32 have = 100 * m->rows[row].nr_read, need = percent * m->rows[row].nr_members;

	if ((m->fired & BIT(row)) || have < need || (strict && have == need))
		return false;
	m->fired |= BIT(row);
	return true;
}

/**
 * ssdc_matrix_rest() - list the pages of a row that have not been read
 * @m: matrix
 * @row: index of the row
 * @pages: result; needs room for all pages of a pattern
 *
 * Return: number of pages.
 */
u32 ssdc_matrix_rest(const struct ssdc_matrix *m, u32 row, u64 *pages)
{
	const struct ssdc_matrix_row *r = &m->rows[row];
	u32 word, nr = 0;

	for (word = 0; word < ARRAY_SIZE(r->members); word++) {
		unsigned long rest = r->members[word] & ~r->read[word];

		for (; rest; rest &= rest - 1)
			pages[nr++] = m->pages[word * BITS_PER_LONG + __ffs(rest)];
	}
	return nr;
}

/**
 * ssdc_matrix_renew() - restart the rows that were read completely
 * @m: matrix
 * @rows: bitmap of the rows to check
 */
void ssdc_matrix_renew(struct ssdc_matrix *m, u32 rows)
{
	for (; rows; rows &= rows - 1) {
		struct ssdc_matrix_row *r = &m->rows[__ffs(rows)];

		if (r->nr_read < r->nr_members)
			continue;
		memset(r->read, 0, sizeof(r->read));
		r->nr_read = 0;
		m->fired &= ~(rows & -rows);
	}
}
