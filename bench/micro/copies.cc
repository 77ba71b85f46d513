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

namespace
{

// Copies between the device and two areas of the host's memory, and compares what arrives.
struct copier {
	context &c;
	memory &there;
	char *sent, *back;
	random_stream &random;

	double timed(bool to_device, size_t n)
	{
		const double before = c.dut.now();
		if (to_device)
			c.dut.write(there.get(), 0, sent, n);
		else
			c.dut.read(there.get(), 0, back, n);
		return (c.dut.now() - before) * ns;
	}
	double to(size_t n)
	{
		// Other bytes each time, at one place of each page: else copies that do nothing would not be seen.
		for (size_t i = 0; i < n; i += 4096)
			sent[i] = char(random.next());
		return timed(true, n);
	}
	double from(size_t n)
	{
		back[0] = char(~sent[0]);
		const double took = timed(false, n);
		if (!std::equal(sent, sent + n, back))
			throw wrong_result(format("%zu bytes did not come back as they were sent", n));
		return took;
	}
	void measure(size_t n, const char *how)
	{
		const auto now = [&] { return c.dut.now(); };
		const figure there_ns = repeated([&] { return to(n); }, c.how, now),
			     back_ns = repeated([&] { return from(n); }, c.how, now);
		c.out.add(format("transfers/%sto device/%zu", how, n), "GB/s", rate_of(there_ns, double(n)));
		c.out.add(format("transfers/%sto host/%zu", how, n), "GB/s", rate_of(back_ns, double(n)));
	}
};

} // namespace

// Blocking copies of the host's memory, by the host's clock: of pageable memory, and of pinned where there is some. The
// largest takes so long that a call's cost is a matter of a few thousandths.
void test_transfers(context &c)
{
	const size_t most = std::min({size_t{256} << 20, c.most_bytes, c.dut.what().largest, c.dut.what().memory / 4});
	memory there(c.dut, most);
	std::vector<char> sent(most), back(most);
	random_stream random(c.seed, 4);
	copier pageable{c, there, sent.data(), back.data(), random};
	auto *near = static_cast<char *>(c.dut.near_memory(2 * most));
	copier pinned{c, there, near, near ? near + most : nullptr, random};
	for (size_t n = 4096; n <= most; n *= c.quick ? 16 : 4) {
		c.progress("transfers of " + bench::amount_text(n));
		pageable.measure(n, "");
		if (near)
			pinned.measure(n, "pinned ");
	}
}

} // namespace micro
