// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernel atomics of corpus/warp.cu works on these buffers.
#pragma once

#include "device.h"

namespace het::ptx::simt
{

struct atomics {
	std::vector<unsigned> u = {0, 0, ~0u, 0, 0, 0, ~0u, 0, 0, 0, 0, 0};
	std::vector<int> s = {0, 0};
	std::vector<uint64_t> l = {0, 0};
	std::vector<float> f = {0};
	std::vector<double> real = {0};

	void run(device &d, extent grid, extent block)
	{
		d.must_run("atomics", grid, block, d.share(u), d.share(s), d.share(l), d.share(f), d.share(real));
	}

	// Returns u[9] after @threads of them, whatever their order.
	static unsigned chain(unsigned threads)
	{
		unsigned v = 0;
		while (threads--)
			v = v * 3 + 1;
		return v;
	}
};

} // namespace het::ptx::simt
