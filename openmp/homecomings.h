// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bytes that come home lazily cost next to nothing, but their memory has to be moved first to pages that can be
// watched, which takes as long as several copies, and nobody knows how often they will come home, or how long the
// memory lives. So it is as with who may rent or buy: memory is moved once its copies have taken as long as the moving
// will, and no program waits much longer than twice the time of the better choice. It is pure; times are in seconds.
#pragma once

#include <algorithm>
#include <cstddef>

namespace het_omp
{

// This is what moving has taken so far.
class move_price
{
      public:
	double of(size_t nbytes) const { return of_byte_ * double(nbytes); }
	void measured(size_t nbytes, double time)
	{
		const double this_time = std::clamp(time / double(nbytes), cheapest, dearest);
		of_byte_ = is_measured_ ? (3 * of_byte_ + this_time) / 4 : this_time;
		is_measured_ = true;
	}

      private:
	// One that another program has disturbed should not decide for all that come.
	static constexpr double cheapest = 0.1e-9, dearest = 10e-9;
	double of_byte_ = 1e-9;
	bool is_measured_ = false;
};

// This is the history of one place of the host's. Arrays may lie there one after the other.
class homecomings
{
      public:
	explicit homecomings(size_t nbytes = 0) : nbytes_(nbytes) {}
	size_t nbytes() const { return nbytes_; }
	unsigned copies_home() const { return copies_home_; }
	bool is_watched() const { return is_watched_; }
	bool is_refused() const { return is_refused_; }

	void copied_home(double time)
	{
		copies_home_++;
		copied(time);
	}
	void copied_there(double time) { copied(time); }

	// Returns whether the next time shall begin the watching.
	bool pays(const move_price &price) const
	{
		return !is_refused_ && mean_copy() >= least_copy && unpaid_ >= patience_ * price.of(nbytes_);
	}
	void moved()
	{
		is_watched_ = true;
		unpaid_ = saved_ = 0;
	}
	// It came home, or went to the device, as memory that is watched, and the launch took so long.
	void launched(double time) { saved_ += std::max(0.0, mean_copy() - time); }

	// The memory was freed, and what lies there now is not watched. Where that came too early the next ones wait
	// longer.
	void gone(const move_price &price)
	{
		const bool has_paid = saved_ >= price.of(nbytes_);
		patience_ = has_paid ? 1 : std::min(2 * patience_, most_patience);
		is_watched_ = false;
	}
	// The memory can't be moved.
	void refused() { is_refused_ = true; }

      private:
	// A launch of the kernel takes as long, with a touch.
	static constexpr double least_copy = 50e-6;
	static constexpr double most_patience = 1024;

	void copied(double time)
	{
		ncopies_++;
		all_ += time;
		unpaid_ += time;
	}
	double mean_copy() const { return ncopies_ ? all_ / ncopies_ : 0; }

	size_t nbytes_;
	unsigned copies_home_ = 0, ncopies_ = 0;
	double all_ = 0, unpaid_ = 0, saved_ = 0; // unpaid are copies since it was moved last
	double patience_ = 1;
	bool is_watched_ = false, is_refused_ = false;
};

} // namespace het_omp
