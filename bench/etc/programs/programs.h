// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// ETC's fifteen programs, and the reduction of figure 3.1, with sizes that suit a machine made smaller. Each is run in
// the PTX interpreter, and what it computes is compared with what the host computes.
#pragma once

#include "etc/machine.h"

#include <stdexcept>

namespace etc
{

enum class kind : uint8_t { regular, shared, irregular, other };

struct program {
	const char *name;
	kind is;         // as the thesis has it
	unsigned factor; // by which the machine is made smaller
	program_trace (*record)(uint32_t page_bytes, bool tiny);
};
std::span<const program> all_programs();
// Throws std::invalid_argument.
const program &program_named(const std::string &name);

// These throw std::runtime_error if a result is wrong.
program_trace record_2dconv(uint32_t page_bytes, bool tiny);
program_trace record_3dconv(uint32_t page_bytes, bool tiny);
program_trace record_cons(uint32_t page_bytes, bool tiny);
program_trace record_sad(uint32_t page_bytes, bool tiny);
program_trace record_corr(uint32_t page_bytes, bool tiny);
program_trace record_covar(uint32_t page_bytes, bool tiny);
program_trace record_fdtd(uint32_t page_bytes, bool tiny);
program_trace record_lps(uint32_t page_bytes, bool tiny);
program_trace record_srad(uint32_t page_bytes, bool tiny);
program_trace record_lud(uint32_t page_bytes, bool tiny);
program_trace record_scan(uint32_t page_bytes, bool tiny);
program_trace record_red(uint32_t page_bytes, bool tiny);
program_trace record_atax(uint32_t page_bytes, bool tiny);
program_trace record_bicg(uint32_t page_bytes, bool tiny);
program_trace record_gesummv(uint32_t page_bytes, bool tiny);
program_trace record_mvt(uint32_t page_bytes, bool tiny);

} // namespace etc
