// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs tests on planted devices, and has what they say.
#pragma once

#include "micro/planted.h"
#include "micro/recorder.h"
#include "micro/suite.h"

#include <string>

namespace micro
{

struct outcome {
	bench::report report{"planted", {}};
	recorder records{report};

	const json &document() { return report.document(); }

	// Returns 0 if there is no such fact, or it was not found.
	double value(const std::string &name) const
	{
		const fact *f = records.find(name);
		return f ? f->value : 0;
	}

	// Tells of facts that were not found, too.
	std::string why(const std::string &name) const
	{
		for (const fact &f : records.facts())
			if (f.name == name)
				return f.why;
		return "";
	}
};

inline void run(outcome &o, target &dut, const choice &what)
{
	run_tests(dut, o.records, what, [](const std::string &) {});
}

// Runs one test.
inline void run(outcome &o, const plant &p, const std::string &test, size_t most_bytes = choice().planted_bytes)
{
	planted_target dut(p);
	choice what;
	what.only = {test};
	what.planted = true;
	what.planted_bytes = most_bytes;
	run(o, dut, what);
}

} // namespace micro
