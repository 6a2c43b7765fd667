/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SSDC_FUZZ_LINUX_TRACEPOINT_H
#define SSDC_FUZZ_LINUX_TRACEPOINT_H

#define TP_PROTO(...)	__VA_ARGS__

/* Traces nothing. */
#define TRACE_EVENT(name, proto, ...)					\
	static inline void __attribute__((__unused__)) trace_##name(proto) { }
#define DEFINE_EVENT(class, name, proto, ...)	TRACE_EVENT(name, proto)
#define DECLARE_EVENT_CLASS(...)		struct fuzz_no_event_class

#endif /* SSDC_FUZZ_LINUX_TRACEPOINT_H */
