// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/shares.h"

#include <new>

namespace het::rt
{

namespace
{

class steal_policy final : public policy
{
      public:
	explicit steal_policy(const sharing &s) : n_(s.speeds.size()), left_(s.total), grains_(s), pace_(s)
	{
		cut_by_speed(s, shares_);
	}

	rows next(unsigned device) override
	{
		rows &own = shares_[device];
		if (!own.count)
			own = steal(device);
		rows r = take_head(own, pace_.block(device, left_), grains_[device]);
		left_ -= r.count;
		return r;
	}
	void measured(unsigned device, size_t rows, double seconds) override { pace_.measured(device, rows, seconds); }
	size_t left() const override { return left_; }
	double speed(unsigned device) const override { return pace_.is_known(device) ? pace_.speed(device) : 0; }
	size_t grain(unsigned device) const override { return grains_[device]; }

      private:
	// What thief and victim have then takes both equally long.
	rows steal(unsigned thief)
	{
		unsigned victim = thief;
		double longest = 0;
		for (unsigned d = 0; d < n_; d++) {
			double rest = double(shares_[d].count) / pace_.speed(d);
			if (rest > longest) {
				longest = rest;
				victim = d;
			}
		}
		rows &from = shares_[victim];
		double share = pace_.speed(thief) / (pace_.speed(thief) + pace_.speed(victim));
		return take_tail(from, std::max(grains_[thief], size_t(share * double(from.count))));
	}

	const size_t n_;
	size_t left_; // counts the rows of all
	const grains grains_;
	rows shares_[most_shares] = {}; // what is left of each
	pace pace_;
};

} // namespace

std::unique_ptr<policy> make_steal_policy(const sharing &s)
{
	return std::unique_ptr<policy>(new (std::nothrow) steal_policy(s));
}

} // namespace het::rt
