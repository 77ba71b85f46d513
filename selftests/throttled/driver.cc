// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This is a driver for tests and benchmarks, which loaders open by build/throttled/throttled.icd. It is PoCL, but that
// its devices have a pace: an item of a launch takes as many nanoseconds as THROTTLED_NS says (a list, an entry a
// device), whatever else the machine does meanwhile, as long as PoCL itself is faster. Two such devices so stand in for
// two with processors of their own, whose speeds are known.
#include "opencl/driver_table.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace
{

constexpr size_t most_devices = 8;
constexpr uint64_t usual_pace = 1000;

// A device does one launch after the other.
struct pace {
	cl_device_id device = nullptr;
	uint64_t item = usual_pace;    // ns
	std::atomic<uint64_t> busy{0}; // until then
};

pace paces[most_devices];
cl_icd_dispatch pocl; // is the table as it was

uint64_t now_ns()
{
	timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return uint64_t(t.tv_sec) * 1'000'000'000 + uint64_t(t.tv_nsec);
}

void sleep_until(uint64_t end)
{
	const timespec t = {time_t(end / 1'000'000'000), long(end % 1'000'000'000)};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR)
		;
}

// Returns when a launch of so many items will have ended. One that is late does not make those behind it late.
uint64_t end_of_launch(pace &p, uint64_t items)
{
	uint64_t busy = p.busy.load(), end;
	do
		end = std::max(busy, now_ns()) + items * p.item;
	while (!p.busy.compare_exchange_weak(busy, end));
	return end;
}

pace &pace_of(cl_command_queue queue)
{
	cl_device_id device = nullptr;
	pocl.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &device, nullptr);
	return *std::find_if(paces, paces + most_devices - 1, [&](const pace &p) { return p.device == device; });
}

void CL_CALLBACK sleep_in_queue(void *args)
{
	uint64_t end;
	memcpy(&end, args, sizeof(end));
	sleep_until(end);
}

// The event of a launch is that of a command which ends no sooner than the device would.
cl_int enqueue_with_pace(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
			 const size_t *global, const size_t *local, cl_uint nwaits, const cl_event *waits,
			 cl_event *event)
{
	cl_event launch = nullptr;
	cl_int err =
		pocl.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, nwaits, waits, &launch);
	if (err != CL_SUCCESS)
		return err;
	uint64_t items = 1;
	for (cl_uint d = 0; d < dimensions; d++)
		items *= global[d];
	uint64_t end = end_of_launch(pace_of(queue), items);
	err = pocl.clEnqueueNativeKernel(queue, sleep_in_queue, &end, sizeof(end), 0, nullptr, nullptr, 1, &launch,
					 event);
	pocl.clReleaseEvent(launch);
	return err;
}

template <class T> void answer(T value, size_t n, void *to)
{
	if (to && n >= sizeof(value))
		memcpy(to, &value, sizeof(value));
}

// Devices that are processors are taken for the host's, of which one is as good as all. The pace is that of one unit.
cl_int tell_of_device(cl_device_id device, cl_device_info what, size_t n, void *value, size_t *size)
{
	const cl_int err = pocl.clGetDeviceInfo(device, what, n, value, size);
	if (err == CL_SUCCESS && what == CL_DEVICE_TYPE)
		answer(cl_device_type{CL_DEVICE_TYPE_ACCELERATOR}, n, value);
	if (err == CL_SUCCESS && what == CL_DEVICE_MAX_COMPUTE_UNITS)
		answer(cl_uint{1}, n, value);
	return err;
}

void read_paces()
{
	const char *text = getenv("THROTTLED_NS");
	for (pace &p : paces) {
		char *end = nullptr;
		const uint64_t ns = text ? strtoull(text, &end, 10) : 0;
		p.item = ns ? ns : usual_pace;
		text = end && *end == ',' ? end + 1 : nullptr;
	}
}

// A launch that sleeps takes one of the driver's threads.
const cltest::driver *open_driver()
{
	setenv("POCL_DEVICES", "pthread pthread", 0);
	setenv("POCL_MAX_PTHREAD_COUNT", "4", 0);
	static const cltest::driver d;
	if (!d.platform)
		return nullptr;
	pocl = *d.table;
	read_paces();
	cl_device_id devices[most_devices - 1];
	cl_uint n = 0;
	if (pocl.clGetDeviceIDs(d.platform, CL_DEVICE_TYPE_ALL, std::size(devices), devices, &n) != CL_SUCCESS)
		return nullptr;
	for (size_t i = 0; i < std::min(size_t{n}, std::size(devices)); i++)
		paces[i].device = devices[i];
	d.table->clEnqueueNDRangeKernel = enqueue_with_pace;
	d.table->clGetDeviceInfo = tell_of_device;
	return &d;
}

cl_int list_platforms(cl_uint room, cl_platform_id *platforms, cl_uint *n)
{
	static const cltest::driver *d = open_driver();
	if (!d)
		return CL_PLATFORM_NOT_FOUND_KHR;
	if (platforms && room)
		platforms[0] = d->platform;
	if (n)
		*n = 1;
	return CL_SUCCESS;
}

} // namespace

extern "C" __attribute__((visibility("default"))) CL_API_ENTRY void *CL_API_CALL
clGetExtensionFunctionAddress(const char *name)
{
	if (!strcmp(name, "clIcdGetPlatformIDsKHR"))
		return reinterpret_cast<void *>(list_platforms);
	return pocl.clGetExtensionFunctionAddress ? pocl.clGetExtensionFunctionAddress(name) : nullptr;
}
