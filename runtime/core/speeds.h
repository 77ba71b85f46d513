// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These are the speeds at which devices run one kernel, in work-items a second: they are measured by its launches, and
// kept for the user's other processes. Any thread may use them.
#pragma once

#include "core/runtime.h"
#include "policy/calibration.h"

#include <span>

namespace het::rt
{

class speeds
{
      public:
	// Other processes know the kernel by this. With a @program of 0 nobody knows it.
	void name(uint64_t program, const char *kernel)
	{
		program_ = program;
		kernel_ = kernel;
	}

	// The speed is that of launches on one device, without transfers; of shared ones as long as there was none. 0
	// means that it is not known.
	double alone(const het_device &d);
	void note_alone(const het_device &d, double speed);

	// This is what is known of the device where processors are shared (struct candidate). @seconds is how long a
	// launch took there, with all that belongs to it.
	bool is_sure(const het_device &d);
	double since(const het_device &d);
	void note_chosen(const het_device &d);
	void note_spent(const het_device &d, double seconds);

	// The speeds are those of devices that share launches, with transfers: by them shares are cut. It is false if
	// they are not known, and @speeds are as before.
	bool choose_shared(std::span<const unsigned> devices, std::span<double> speeds);
	double shared(const het_device &d);
	void note_shared(const het_device &d, double speed);

	// This is what twins cost its launches, in seconds for each byte that has one, at best. It is 0 until that is
	// known.
	void note_twin_cost(double seconds);
	double twin_cost();

      private:
	void load(unsigned device);
	void save(unsigned device);
	void note(calibration &c, unsigned device, double speed);

	uint64_t program_ = 0;
	const char *kernel_ = nullptr;
	std::atomic<uint32_t> loaded_{0}; // has a bit for each device

	futex_lock lock_; // has rank leaf
	calibration alone_, shared_;
	uint32_t noted_[calibration::most] = {};
	uint32_t known_before_ = 0; // has a bit for each device whose speeds other processes have measured
	double since_[calibration::most] = {};
	double twin_cost_ = 0;
	unsigned twin_launches_ = 0;
};

} // namespace het::rt
