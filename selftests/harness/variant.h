// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A test is repeated along three axes: how touches are caught, what devices there are, and what memory the arrays lie
// in. Sets are bit masks; each value has a name that stands in the test's name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace selftest
{

namespace trap
{
enum bits : uint32_t {
	none = 1, // the test is not about touches, or chooses by itself
	best = 2, // whatever gpuvm_init() chooses
	uffd = 4,
	uffd_sigbus = 8,
	sigsegv = 16,
	sigsegv_stop = 32,
	kmod = 64,
};
inline constexpr uint32_t all = kmod | uffd | uffd_sigbus | sigsegv;
} // namespace trap

namespace device
{
enum bits : uint32_t {
	none = 1,
	host = 2,
	host2 = 4,
	host3 = 8,
	hostcb = 16, // host memory behind callbacks that delay and fail
	opencl = 32,
	opencl2 = 64,
	mixed = 128, // the host as device 0, and OpenCL as device 1
	hostcb2 = 256,
	cuda = 512,
	cuda2 = 1024,
	cuda_mixed = 2048,    // CUDA as device 0, and OpenCL as device 1
	opencl_unlike = 4096, // OpenCL devices of two platforms
};
// Each of these is one device, without callbacks.
inline constexpr uint32_t plain = host | opencl | cuda;
inline constexpr uint32_t single = plain | hostcb;
inline constexpr uint32_t several = host2 | host3 | opencl2 | mixed | cuda2 | cuda_mixed | opencl_unlike;
// These run only where they are named, or where there is a CUDA driver.
inline constexpr uint32_t with_cuda = cuda | cuda2 | cuda_mixed;
} // namespace device

namespace kind
{
enum bits : uint32_t {
	none = 1,
	heap = 2,           // a malloc below the mmap threshold
	mmapped = 4,        // a malloc above it
	zeroed = 8,         // calloc
	memalign_page = 16, // posix_memalign(4096)
	memalign_line = 32, // posix_memalign(64)
	array_new = 64,     // new[]
	library = 128,      // gpuvm_malloc()
	library_huge = 256, // gpuvm_malloc(GPUVM_HUGE)
	bss = 512,          // a static array
	map = 1024,         // a private anonymous mapping
	slice = 2048,       // the interior of a larger malloc, at an odd address
};
inline constexpr uint32_t all = heap | mmapped | zeroed | memalign_page | memalign_line | array_new | library |
				library_huge | bss | map | slice;
// These arrays have whole pages, and no edges.
inline constexpr uint32_t whole = memalign_page | library | map;
} // namespace kind

struct variant {
	uint32_t trap = trap::none;
	uint32_t device = device::none;
	uint32_t kind = kind::none;
};

// Describes an axis: its name on the command line, and its values.
struct axis_value {
	uint32_t bit;
	const char *name;
};
const std::vector<axis_value> &trap_values();
const std::vector<axis_value> &device_values();
const std::vector<axis_value> &kind_values();

const char *name_of(const std::vector<axis_value> &axis, uint32_t bit);
// Returns the bits of a list such as "uffd,sigsegv"; unknown names are fatal.
uint32_t bits_of(const std::vector<axis_value> &axis, const std::string &list);

// Returns every combination of the three sets.
std::vector<variant> all_combinations(uint32_t traps, uint32_t devices, uint32_t kinds);
// Returns fewer of them, such that each pair of values on two axes still occurs.
std::vector<variant> every_pair(const std::vector<variant> &all);

} // namespace selftest
