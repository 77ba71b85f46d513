// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Corpus B has one function here for each of its sources, corpus/*.cu. The wanted results are computed on the host.
#pragma once

#include "example.h"

namespace het::ptx::simt
{

using examples = std::vector<example>;

void add_calls(examples *);
void add_counting(examples *);
void add_graphs(examples *);
void add_linear(examples *);
void add_scans(examples *);
void add_sorts(examples *);
void add_stencils(examples *);
void add_tensor(examples *);
void add_transforms(examples *);
void add_vectors(examples *);
void add_words(examples *);

} // namespace het::ptx::simt
