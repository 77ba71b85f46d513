// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "corpus_b.h"

namespace het::ptx::simt
{

examples corpus_b()
{
	examples all;
	for (auto add : {add_calls, add_counting, add_graphs, add_linear, add_scans, add_sorts, add_stencils,
			 add_tensor, add_transforms, add_vectors, add_words})
		add(&all);
	return all;
}

} // namespace het::ptx::simt
