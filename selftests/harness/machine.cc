// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "machine.h"

#include "pattern.h"

namespace selftest
{

namespace
{
void add_to_bytes(uint8_t *p, size_t n, uint8_t value)
{
	constexpr uint64_t low = 0x7f7f7f7f7f7f7f7fu;
	const uint64_t each = value * 0x0101010101010101u;
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t word;
		memcpy(&word, p + i, sizeof word);
		// The bytes are added one by one: carries stop at the highest bits, which are added without one.
		word = ((word & low) + (each & low)) ^ ((word ^ each) & ~low);
		memcpy(p + i, &word, sizeof word);
	}
	for (; i < n; i++)
		p[i] += value;
}
} // namespace

void apply(const kernel &k, uint8_t *buffer)
{
	switch (k.what) {
	case kernel::add:
	case kernel::slow_add:
		add_to_bytes(buffer + k.off, k.n, uint8_t(k.arg));
		break;
	case kernel::mix:
		mix_pattern(buffer, k.off, k.n, k.arg);
		break;
	case kernel::fill:
		fill_pattern(buffer, k.off, k.n, k.arg);
		break;
	case kernel::stamp:
		for (size_t i = k.off; i + sizeof k.arg <= k.off + k.n; i += stamp_step)
			memcpy(buffer + i, &k.arg, sizeof k.arg);
		break;
	}
}

std::unique_ptr<machine> make_machine(const context &t)
{
	constexpr uint32_t needs_opencl =
		device::opencl | device::opencl2 | device::mixed | device::cuda_mixed | device::opencl_unlike;
	if ((t.v.device & needs_opencl) && !make_opencl_machine)
		skip("built without OpenCL");
	switch (t.v.device) {
	case device::host:
		return make_host_machine(1, false);
	case device::host2:
		return make_host_machine(2, false);
	case device::host3:
		return make_host_machine(3, false);
	case device::hostcb:
		return make_host_machine(1, true);
	case device::hostcb2:
		return make_host_machine(2, true);
	case device::opencl:
		return make_opencl_machine(1, 0);
	case device::opencl2:
		return make_opencl_machine(2, 0);
	case device::mixed:
		return make_mixed_machine(make_host_machine(1, false), make_opencl_machine(1, 0));
	case device::cuda:
		return make_cuda_machine(1);
	case device::cuda2:
		return make_cuda_machine(2);
	case device::cuda_mixed:
		return make_mixed_machine(make_cuda_machine(1), make_opencl_machine(1, 0));
	case device::opencl_unlike:
		return make_mixed_machine(make_opencl_machine(1, 0), make_opencl_machine(1, 1));
	}
	FAIL("this test needs a device axis");
}

} // namespace selftest
