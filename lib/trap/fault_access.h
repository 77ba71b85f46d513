// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells what the processor says about the access that faulted. This is the one place that knows signal frames.
#pragma once

#include <cstdint>
#include <ucontext.h>

#if defined(__aarch64__)
#include <asm/sigcontext.h>
#endif

namespace het
{

// other is an instruction fetch, or no page fault at all.
enum class fault_access : uint8_t { read, write, other };

#if defined(__x86_64__)

inline fault_access access_of(const ucontext_t &context)
{
	constexpr uint64_t page_fault = 14, error_write = 1 << 1, error_fetch = 1 << 4;
	const greg_t *regs = context.uc_mcontext.gregs;
	if (regs[REG_TRAPNO] != page_fault || (regs[REG_ERR] & error_fetch))
		return fault_access::other;
	return regs[REG_ERR] & error_write ? fault_access::write : fault_access::read;
}

#elif defined(__aarch64__)

// The syndrome register is a record of its own behind the general registers. Cache maintenance counts as a read.
inline fault_access access_of(const ucontext_t &context)
{
	constexpr uint64_t class_shift = 26, instruction_abort = 0x20, write_not_read = 1 << 6, maintenance = 1 << 8;
	const auto *at = reinterpret_cast<const char *>(context.uc_mcontext.__reserved);
	for (;;) {
		const auto *head = reinterpret_cast<const _aarch64_ctx *>(at);
		if (head->magic == ESR_MAGIC) {
			uint64_t esr = reinterpret_cast<const esr_context *>(at)->esr;
			if (((esr >> class_shift) & 0x3f) == instruction_abort)
				return fault_access::other;
			bool write = (esr & write_not_read) && !(esr & maintenance);
			return write ? fault_access::write : fault_access::read;
		}
		if (!head->magic || !head->size)
			return fault_access::write; // it is not told, so this is the safe guess
		at += head->size;
	}
}

#else
#error "not known how this processor tells a write from a read in a signal frame"
#endif

} // namespace het
