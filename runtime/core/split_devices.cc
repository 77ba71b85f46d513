// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/split_devices.h"

#include "policy/placing.h"

#include <algorithm>

namespace het::rt
{

namespace
{

// As long as one of those that share processors is not known all take part: so the launch itself tells which one is the
// quickest.
bool is_chosen(const het_device &of, std::span<het_device *const> devices, speeds &known, double items)
{
	het_device *together[most_devices];
	unsigned n = 0, self = 0;
	bool is_shared_known = true, is_known = true;
	for (het_device *d : devices) {
		if (d != &of && !d->shares_processors_with(of))
			continue;
		is_shared_known &= known.shared(*d) > 0;
		is_known &= known.alone(*d) > 0;
		self = d == &of ? n : self;
		together[n++] = d;
	}
	candidate all[most_devices];
	for (unsigned i = 0; i < n; i++) {
		het_device &d = *together[i];
		double speed = is_shared_known ? known.shared(d) : known.alone(d);
		all[i] = {speed, 0, 0, 1, d.cost.load(), d.compute->processors(), known.is_sure(d), known.since(d)};
	}
	return !is_known || place({all, n}, items) == self;
}

} // namespace

unsigned keep_one_of_processors(std::span<het_device *> devices, speeds &known, double items)
{
	het_device *before[most_devices];
	std::copy(devices.begin(), devices.end(), before);
	unsigned kept = 0;
	for (het_device *d : std::span{before, devices.size()}) {
		if (is_chosen(*d, {before, devices.size()}, known, items))
			devices[kept++] = d;
	}
	for (unsigned i = 0; i < kept && kept > 1; i++)
		known.note_chosen(*devices[i]);
	return kept;
}

} // namespace het::rt
