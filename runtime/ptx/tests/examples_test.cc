// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Corpus B must give what the host computes, in lockstep and with independent lanes.
#include "corpus_b.h"
#include "stage.h"

#include <set>

namespace het::ptx::simt
{

namespace
{

TEST(Examples, GiveWhatTheHostComputes)
{
	for (const auto &e : corpus_b()) {
		SCOPED_TRACE(testing::Message() << e);
		for (const auto &mode : both_modes()) {
			stage s(e, corpus_text(e.file), mode);
			s.must_run();
			s.check();
		}
	}
}

TEST(Examples, AreOfManyKinds)
{
	std::set<std::string> kernels;
	for (const auto &e : corpus_b())
		kernels.insert(e.kernel);
	EXPECT_GE(kernels.size(), 60u);
}

} // namespace

} // namespace het::ptx::simt
