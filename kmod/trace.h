/* SPDX-License-Identifier: GPL-2.0 */
/* The tracepoints tell of touches, and of what resolvers do about them. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM gpuvm

#if !defined(GPUVM_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define GPUVM_TRACE_H

#include <linux/tracepoint.h>

#include "gpuvm_drv.h"

#define gvm_show_state(s)					\
	__print_symbolic((s) & GPUVM_STATE_MASK,		\
			 { GPUVM_STATE_NONE, "NONE" },		\
			 { GPUVM_STATE_HOST, "HOST" },		\
			 { GPUVM_STATE_SHARED, "SHARED" },		\
			 { GPUVM_STATE_DEVICE, "DEVICE" },		\
			 { GPUVM_STATE_FAILED, "FAILED" })

/* A touch of the primary was looked at. With result 0 it waits. */
TRACE_EVENT(gpuvm_fault,
	TP_PROTO(const struct gvm_touch *t, vm_fault_t result),
	TP_ARGS(t, result),
	TP_STRUCT__entry(
		__field(unsigned int, region)
		__field(unsigned long, page)
		__field(unsigned long, address)
		__field(unsigned int, flags)
		__field(u8, state)
		__field(unsigned int, result)
	),
	TP_fast_assign(
		__entry->region = t->region->id;
		__entry->page = t->at;
		__entry->address = t->vmf->address;
		__entry->flags = t->vmf->flags;
		__entry->state = gvm_state(t->region, t->at);
		__entry->result = (__force unsigned int)result;
	),
	TP_printk("region=%u page=%lu address=%#lx state=%s %s result=%s", __entry->region,
		  __entry->page, __entry->address, gvm_show_state(__entry->state),
		  __entry->flags & FAULT_FLAG_WRITE ? "write" : "read",
		  __print_flags(__entry->result, "|", VM_FAULT_RESULT_TRACE))
);

DECLARE_EVENT_CLASS(gpuvm_change,
	TP_PROTO(const struct gvm_region *r, const struct gvm_span *s, u32 state),
	TP_ARGS(r, s, state),
	TP_STRUCT__entry(
		__field(unsigned int, region)
		__field(unsigned long, page)
		__field(unsigned long, pages)
		__field(u32, state)
	),
	TP_fast_assign(
		__entry->region = r->id;
		__entry->page = s->begin;
		__entry->pages = s->end - s->begin;
		__entry->state = state;
	),
	TP_printk("region=%u page=%lu pages=%lu state=%s", __entry->region, __entry->page,
		  __entry->pages, gvm_show_state(__entry->state))
);

/* Pages may be touched from now on. */
DEFINE_EVENT(gpuvm_change, gpuvm_resolve,
	TP_PROTO(const struct gvm_region *r, const struct gvm_span *s, u32 state),
	TP_ARGS(r, s, state)
);

/* Pages were unmapped, since they may no longer be touched, or not written. */
DEFINE_EVENT(gpuvm_change, gpuvm_revoke,
	TP_PROTO(const struct gvm_region *r, const struct gvm_span *s, u32 state),
	TP_ARGS(r, s, state)
);

#endif /* GPUVM_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
