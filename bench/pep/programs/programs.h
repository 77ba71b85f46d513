// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The sixteen kernels of table 4.1. Each is run in the PTX interpreter on a few blocks, and what it computes is
// compared with what the host computes.
#pragma once

#include "pep/trace.h"

#include <span>

namespace pep
{

// A row of the thesis' table 4.1. Times are microseconds.
struct table_row {
	double launch, block, switching, kb;
	unsigned blocks; // of a processor
};

struct program {
	const char *name;
	table_row thesis;
	// Throws std::runtime_error if a result is wrong. A tiny one takes fewer steps, and its blocks less time.
	kernel_trace (*record)(bool tiny);
	bool saves() const { return thesis.block > 20; } // the thesis' first nine
};
std::span<const program> all_programs();
// Throws std::invalid_argument.
const program &program_named(const std::string &name);

kernel_trace record_cutcp(bool tiny);
kernel_trace record_lbm(bool tiny);
kernel_trace record_mri_q(bool tiny);
kernel_trace record_stencil(bool tiny);
kernel_trace record_streamcluster(bool tiny);
kernel_trace record_gemm(bool tiny);
kernel_trace record_black_scholes(bool tiny);
kernel_trace record_kmeans(bool tiny);
kernel_trace record_pathfinder(bool tiny);
kernel_trace record_extract(bool tiny);
kernel_trace record_srad_v2(bool tiny);
kernel_trace record_srad_v1(bool tiny);
kernel_trace record_hotspot(bool tiny);
kernel_trace record_lud(bool tiny);
kernel_trace record_layer_forward(bool tiny);
kernel_trace record_adjust_weights(bool tiny);

} // namespace pep
