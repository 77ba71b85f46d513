// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The figures of the thesis' chapter on PEP, as numbers of the model.
#pragma once

#include "common/figures.h"
#include "pep/study.h"

#include <span>

namespace pep
{

struct all_measured {
	std::vector<measured_kernel> kernels;
	std::vector<measured_kernel> twice; // with twice as many processors and the same memory
	std::vector<split_outcome> splits;  // of lbm
};

struct drawn {
	std::vector<bench::figure> figures;
	std::vector<bench::statement> statements;
};

// Draws figures 4.3 to 4.5 and 4.8 to 4.15; those whose runs are missing have no groups.
drawn draw_all(const all_measured &m);

// Figure 4.6's five ways have these names.
const char *name_of(leaving l);

} // namespace pep
