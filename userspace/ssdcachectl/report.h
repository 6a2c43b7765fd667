/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots as text, JSON and CSV.
 */
#ifndef SSDCACHECTL_REPORT_H
#define SSDCACHECTL_REPORT_H

#include <jansson.h>
#include <stdio.h>
#include "snapshot.h"

/* report-text.c */
void report_text(FILE *out, const struct snapshot *snap, const struct snapshot *before);

/* report-screen.c */
void report_screen(FILE *out, const struct snapshot *snap, const struct snapshot *before);

/* report-json.c */
json_t *report_number(uint64_t value);
json_t *report_string(const char *text);
json_t *report_facts(const struct snapshot *snap);
json_t *report_json(const struct snapshot *snap);
int report_print(json_t *root, bool one_line);

/* report-csv.c */
struct report_csv;

struct report_csv *report_csv_begin(const struct snapshot *snap);
void report_csv_row(const struct report_csv *csv, const struct snapshot *snap);
void report_csv_end(struct report_csv *csv);

/* report-prometheus.c */
struct report_prometheus;

struct report_prometheus *report_prometheus_begin(void);
void report_prometheus_add(struct report_prometheus *report, const struct snapshot *snap);
void report_prometheus_end(struct report_prometheus *report);

#endif /* SSDCACHECTL_REPORT_H */
