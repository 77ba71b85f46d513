// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which devices a split launch leaves out because others run on the same processors.
#include "core/split_launch.h"
#include "os/settings.h"
#include "policy/placing.h"

namespace het::rt
{

// Of those that share processors, one is as quick as all of them. As long as one of them is not known all take part: so the
// launch itself tells which one is the quickest.
bool split_launch::is_chosen(const participant &p) const
{
	het_device *together[most_devices];
	unsigned n = 0, self = 0;
	bool is_shared_known = true, is_known = true;
	speeds &known = kernel_->speeds;
	for (unsigned i = 0; i < nparts_; i++) {
		het_device *d = parts_[i].device;
		if (d != p.device && !d->shares_processors_with(*p.device))
			continue;
		is_shared_known &= known.shared(*d) > 0;
		is_known &= known.alone(*d) > 0;
		self = d == p.device ? n : self;
		together[n++] = d;
	}
	candidate all[most_devices];
	for (unsigned i = 0; i < n; i++) {
		het_device &d = *together[i];
		double speed = is_shared_known ? known.shared(d) : known.alone(d);
		all[i] = {speed, 0, 0, 1, d.cost.load(), d.compute->processors(), known.is_sure(d), known.since(d)};
	}
	return !is_known || place({all, n}, double(shape_.items())) == self;
}

// Unless a policy was asked for.
int split_launch::keep_one_of_processors()
{
	if (settings().policy)
		return 0;
	bool chosen[most_devices];
	for (unsigned i = 0; i < nparts_; i++)
		chosen[i] = is_chosen(parts_[i]);
	unsigned kept = 0;
	for (unsigned i = 0; i < nparts_; i++) {
		if (chosen[i])
			parts_[kept++] = parts_[i];
	}
	nparts_ = kept;
	if (nparts_ < 2)
		return refuse("the queue's devices that can run it share their processors");
	for (unsigned i = 0; i < nparts_; i++)
		kernel_->speeds.note_chosen(*parts_[i].device);
	return 0;
}

} // namespace het::rt
