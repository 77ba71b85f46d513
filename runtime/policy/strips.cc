// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/strips.h"

#include <algorithm>

namespace het::rt
{

rows strip_sizes::next()
{
	const size_t left = total_ - given_, most = std::max(least_, growth * largest_);
	const double wanted = std::min(rows_a_ns_ * longest_ns_, double(left));
	const rows r = {given_, std::min(left, std::clamp(size_t(wanted), least_, most))};
	given_ += r.count;
	return r;
}

void strip_sizes::measured(size_t rows, uint64_t ns)
{
	const double speed = double(rows) / double(std::max<uint64_t>(ns, 1));
	largest_ = std::max(largest_, rows);
	rows_a_ns_ = speed < rows_a_ns_ || rows_a_ns_ <= 0 ? speed : rows_a_ns_ + 0.25 * (speed - rows_a_ns_);
}

} // namespace het::rt
