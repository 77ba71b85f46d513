// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/example_runner.h"

#include "common/format.h"
#include "micro/stream.h"

#include <algorithm>
#include <bit>

namespace micro
{

using bench::format;

void example_runner::measure(const stage &s, const std::function<double()> &launch)
{
	c_.progress(s.example + ", " + s.name);
	const figure f = repeated(launch, c_.how, [this] { return c_.dut.now(); });
	const figure rate = rate_of(f, s.amount);
	c_.out.add(format("examples/%s/%s/0", s.example.c_str(), s.name.c_str()), s.unit, rate);
	json entry = {{"example", s.example},       {"stage", s.name},    {"unit", s.unit},
		      {"measured", rate.at.median}, {"low", rate.at.low}, {"high", rate.at.high}};
	if (s.predicted_ns > 0)
		entry["predicted"] = s.amount / s.predicted_ns;
	if (s.ceiling > 0)
		entry["ceiling"] = s.ceiling;
	c_.out.document()["examples"].push_back(std::move(entry));
}

size_t example_runner::bytes(size_t mega_bytes_of_gpu) const
{
	const traits &w = c_.dut.what();
	const size_t wanted = (w.cpu ? 16 : mega_bytes_of_gpu) << 20;
	return std::bit_floor(std::min({wanted, w.largest, w.memory / 8, c_.most_bytes}));
}

void example_runner::fill(const memory &m, uint32_t n)
{
	const argument a[] = {m.get(), int(n), int(group)};
	c_.dut.run(fill_words, group, group, a);
}

void example_runner::expect(bool right, const char *what)
{
	if (!right)
		throw wrong_result(format("%s: the result is wrong", what));
}

} // namespace micro
