// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/format.h"
#include "micro/chase.h"
#include "micro/tests.h"

#include <algorithm>

namespace micro
{

namespace
{

using bench::format;

constexpr double ns = 1e9;

} // namespace

// The host's clock counts: from the call until it knows that the kernel has ended.
void test_launch(context &c)
{
	const uint32_t here[] = {0};
	memory ring(c.dut, sizeof(here)), out(c.dut, sizeof(uint32_t));
	c.dut.write(ring.get(), 0, here, sizeof(here));
	const argument a[] = {ring.get(), out.get(), 0, 0, 0};
	const auto now = [&] { return c.dut.now(); };
	const auto launch = [&] {
		const double before = now();
		c.dut.run(chase_global, 1, 1, a);
		return (now() - before) * ns;
	};
	launch();
	c.out.add("launch/wait/1", "ns", repeated(launch, c.how, now));
}

// Blocking copies of the host's pageable memory, by the host's clock. What arrives is compared.
void test_transfers(context &c)
{
	const size_t most = std::min({size_t{64} << 20, c.most_bytes, c.dut.what().largest});
	memory there(c.dut, most);
	std::vector<char> sent(most), back(most);
	random_stream random(c.seed, 4);
	const auto now = [&] { return c.dut.now(); };
	for (size_t n = 4096; n <= most; n *= c.quick ? 16 : 4) {
		c.progress("transfers of " + bench::amount_text(n));
		const auto timed = [&](bool to_device) {
			const double before = now();
			if (to_device)
				c.dut.write(there.get(), 0, sent.data(), n);
			else
				c.dut.read(there.get(), 0, back.data(), n);
			return (now() - before) * ns;
		};
		const auto to = [&] {
			// Other bytes each time, at one place of each page: else copies that do nothing would not be
			// seen.
			for (size_t i = 0; i < n; i += 4096)
				sent[i] = char(random.next());
			return timed(true);
		};
		const auto from = [&] {
			back[0] = char(~sent[0]);
			const double took = timed(false);
			if (!std::equal(sent.begin(), sent.begin() + ptrdiff_t(n), back.begin()))
				throw wrong_result(format("%zu bytes did not come back as they were sent", n));
			return took;
		};
		c.out.add(format("transfers/to device/%zu", n), "GB/s", rate_of(repeated(to, c.how, now), double(n)));
		c.out.add(format("transfers/to host/%zu", n), "GB/s", rate_of(repeated(from, c.how, now), double(n)));
	}
}

} // namespace micro
