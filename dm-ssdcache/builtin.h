/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every built-in plug-in. To add one, write its file and add its line here.
 *
 *	SSDC_BUILTIN(kind, "file", type)	<kind>/<file>.c: struct ssdc_<kind>_type <type>
 *	SSDC_HELPER(kind, "file")		<kind>/<file>.c: code that plug-ins share
 *
 * The order of the lines is the order in which available_*, "ssdcachectl policies" and error
 * messages list the names, so add a line at the end of its kind.
 *
 * A file that includes this one defines both macros first: policy-api/plugin.h declares the
 * types, builtin.c makes a table of them. objects.mk takes the object files from the same
 * lines, so keep one macro per line, at the start of the line.
 */

SSDC_BUILTIN(replacement, "fifo", ssdc_fifo)
SSDC_BUILTIN(replacement, "lru", ssdc_lru)
SSDC_BUILTIN(replacement, "lfu", ssdc_lfu)
SSDC_BUILTIN(replacement, "cflru", ssdc_cflru)
SSDC_BUILTIN(replacement, "cflru-ef", ssdc_cflru_ef)
SSDC_BUILTIN(replacement, "cflru-ef-sc", ssdc_cflru_ef_sc)
SSDC_BUILTIN(replacement, "fab", ssdc_fab)
SSDC_BUILTIN(replacement, "bplru", ssdc_bplru)
SSDC_BUILTIN(replacement, "vbbms", ssdc_vbbms)
SSDC_BUILTIN(replacement, "req-block", ssdc_req_block)
SSDC_BUILTIN(replacement, "vs-batch", ssdc_vs_batch)
SSDC_BUILTIN(replacement, "vs-batch-plus", ssdc_vs_batch_plus)
SSDC_BUILTIN(replacement, "co-active", ssdc_co_active)
SSDC_BUILTIN(replacement, "ecr", ssdc_ecr)
SSDC_BUILTIN(replacement, "lcr", ssdc_lcr)
SSDC_BUILTIN(replacement, "mq-ssd", ssdc_mq_ssd)
SSDC_BUILTIN(replacement, "clock", ssdc_clock)
SSDC_BUILTIN(replacement, "sieve", ssdc_sieve)
SSDC_BUILTIN(replacement, "2q", ssdc_2q)
SSDC_BUILTIN(replacement, "s3-fifo", ssdc_s3_fifo)
SSDC_BUILTIN(replacement, "arc", ssdc_arc)
SSDC_BUILTIN(replacement, "lirs", ssdc_lirs)
SSDC_BUILTIN(replacement, "mq", ssdc_mq)
SSDC_BUILTIN(replacement, "w-tinylfu", ssdc_w_tinylfu)
SSDC_BUILTIN(replacement, "ccf-lru", ssdc_ccf_lru)
SSDC_BUILTIN(replacement, "ad-lru", ssdc_ad_lru)
SSDC_BUILTIN(replacement, "gcar", ssdc_gcar)
SSDC_BUILTIN(replacement, "pud-lru", ssdc_pud_lru)
SSDC_BUILTIN(replacement, "wow", ssdc_wow)
SSDC_BUILTIN(replacement, "pr-lru", ssdc_pr_lru)
SSDC_BUILTIN(replacement, "dulo", ssdc_dulo)
SSDC_BUILTIN(replacement, "freeboard", ssdc_freeboard)
SSDC_HELPER(replacement, "block-group")
SSDC_HELPER(replacement, "visibility-build")
SSDC_HELPER(replacement, "visibility-graph")
SSDC_HELPER(replacement, "visibility-sort")
SSDC_HELPER(replacement, "vs-lists")

SSDC_BUILTIN(admission, "write-buffer", ssdc_write_buffer)
SSDC_BUILTIN(admission, "read-write", ssdc_read_write)
SSDC_BUILTIN(admission, "l-corw", ssdc_l_corw)
SSDC_BUILTIN(admission, "corw", ssdc_corw_1)
SSDC_BUILTIN(admission, "corw", ssdc_corw_2)
SSDC_BUILTIN(admission, "corw", ssdc_corw_3)
SSDC_BUILTIN(admission, "corw", ssdc_corw_4)
SSDC_BUILTIN(admission, "corw", ssdc_corw_5)
SSDC_BUILTIN(admission, "corw", ssdc_corw_6)
SSDC_BUILTIN(admission, "corw", ssdc_corw_7)
SSDC_BUILTIN(admission, "corw", ssdc_corw_8)
SSDC_HELPER(admission, "corw-rules")
SSDC_HELPER(admission, "reaccess")

SSDC_BUILTIN(prefetch, "none", ssdc_prefetch_none)
SSDC_BUILTIN(prefetch, "c-miner", ssdc_c_miner)
SSDC_BUILTIN(prefetch, "rop", ssdc_rop)
SSDC_BUILTIN(prefetch, "pattern", ssdc_pattern)
SSDC_BUILTIN(prefetch, "pattern-plus", ssdc_pattern_plus)
SSDC_HELPER(prefetch, "block-rules")
SSDC_HELPER(prefetch, "fp-growth")
SSDC_HELPER(prefetch, "page-counts")
SSDC_HELPER(prefetch, "pattern-matrix")
SSDC_HELPER(prefetch, "pattern-pool")
SSDC_HELPER(prefetch, "patterns")

#undef SSDC_BUILTIN
#undef SSDC_HELPER
