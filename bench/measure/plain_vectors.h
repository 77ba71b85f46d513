// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// z = x + y with buffers and copies by hand, and an empty kernel: what a program does without the runtime.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace bench
{

inline constexpr size_t vector_group = 256;

constexpr size_t whole_groups(size_t n)
{
	return (n + vector_group - 1) / vector_group * vector_group;
}

// The kernels add(x, y, z, n) and nothing(), in OpenCL C.
extern const char vector_source[];

// Host data that differs from round to round, and what the sum must be.
struct vectors {
	explicit vectors(size_t n) : x(n), y(n), z(n) {}

	void write(unsigned round);
	// Reads all of z.
	bool is_right() const;

	std::vector<float> x, y, z;
};

class plain_vectors
{
      public:
	virtual ~plain_vectors() = default;
	virtual void add(vectors &v) = 0;
	// Launches the empty kernel and waits for it.
	virtual void do_nothing() = 0;
};

// On the OpenCL device whose name @runtime_name begins with; throws if there is none.
std::unique_ptr<plain_vectors> make_opencl_vectors(const std::string &runtime_name, size_t n);
// On CUDA device 0. Throws without a driver.
std::unique_ptr<plain_vectors> make_cuda_vectors(size_t n);

} // namespace bench
