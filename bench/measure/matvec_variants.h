// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Each of the five ways of matvec has arrays and buffers of its own.
#pragma once

#include "common/library.h"
#include "common/memory.h"
#include "measure/matvec.h"
#include "measure/matvec_problem.h"

#include <memory>

namespace bench
{

// An operand has the host array and the device buffer.
struct matvec_operand {
	matvec_operand(device &d, const std::vector<float> &values, bool edges);
	host_array host;
	buffer dev;
	size_t size() const { return host.size(); }
};

class matvec_way
{
      public:
	matvec_way(device &d, const matvec_problem &p, const matvec_options &options);
	virtual ~matvec_way() = default;
	// Does one iteration, and adds the time of its parts to @sum (all but total).
	virtual void iterate(matvec_phases &sum) = 0;
	// Returns x, on the host.
	virtual const float *result() { return static_cast<const float *>(x().host.data()); }

      protected:
	matvec_operand &x() { return x_[now_]; }
	matvec_operand &y() { return x_[1 - now_]; }
	std::vector<matvec_operand *> all() { return {&A_, &b_, &x(), &y()}; }
	void run_kernel();
	// Makes the result the next input.
	void swap() { now_ = 1 - now_; }

	device &device_;
	matvec_operand A_, b_;

      private:
	size_t n_;
	bool tuned_;
	matvec_operand x_[2];
	unsigned now_ = 0;
};

// @idev is the library's number of the device, which the ways without the library don't use.
std::unique_ptr<matvec_way> make_matvec_way(matvec_variant variant, device &d, unsigned idev, const matvec_problem &p,
					    const matvec_options &options);

} // namespace bench
