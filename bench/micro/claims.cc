// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/claims.h"

#include "common/cuda.h"
#include "common/cuda_texture.h"
#include "common/opencl.h"

#include <filesystem>
#include <fstream>
#include <gpuvm.h>
#include <thread>
#include <unistd.h>

namespace micro
{

namespace
{

std::string text_of(const std::filesystem::path &path)
{
	std::ifstream f(path);
	std::string word;
	f >> word;
	return word;
}

// Adds what Linux says of the caches of the first processor.
void add_processor_claims(json &claims)
{
	const std::filesystem::path folder = "/sys/devices/system/cpu/cpu0/cache";
	for (int i = 0; std::filesystem::exists(folder / ("index" + std::to_string(i))); i++) {
		const std::filesystem::path entry = folder / ("index" + std::to_string(i));
		const std::string size = text_of(entry / "size");
		if (text_of(entry / "type") == "Instruction" || size.empty())
			continue;
		const std::string level = "l" + text_of(entry / "level");
		claims[level + ".size"] = std::stoull(size) * (size.back() == 'M' ? 1024 * 1024 : 1024);
		claims[level + ".line"] = std::stoull(text_of(entry / "coherency_line_size"));
	}
}

template <typename T> T cl_value(cl_device_id id, cl_device_info what)
{
	T value{};
	return clGetDeviceInfo(id, what, sizeof(value), &value, nullptr) == CL_SUCCESS ? value : T{};
}

traits opencl_traits(bench::device &d)
{
	cl_device_id id = nullptr;
	bench::cl_check(clGetCommandQueueInfo(static_cast<cl_command_queue>(d.handle()), CL_QUEUE_DEVICE, sizeof(id),
					      &id, nullptr),
			"clGetCommandQueueInfo");
	traits t;
	t.cpu = d.cpu();
	t.units = std::max(1u, cl_value<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS));
	t.memory = cl_value<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
	t.largest = cl_value<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
	t.local_memory = cl_value<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE);
	t.constant_memory = cl_value<cl_ulong>(id, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
	if (cl_value<cl_bool>(id, CL_DEVICE_IMAGE_SUPPORT))
		t.texture_memory = sizeof(cl_uint) * cl_value<size_t>(id, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
	t.local_is_there = cl_value<cl_device_local_mem_type>(id, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
	t.largest_group = std::max<size_t>(1, cl_value<size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE));
	if (t.cpu)
		add_processor_claims(t.claims);
	else if (const auto size = cl_value<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE))
		t.claims["opencl.cache.size"] = size;
	if (const auto line = cl_value<cl_uint>(id, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE); line && !t.cpu)
		t.claims["opencl.cache.line"] = line;
	return t;
}

// Drivers that do not know an attribute have no claim.
size_t cuda_attribute(const void *ordinal, int which)
{
	het::cu_device device = 0;
	int value = 0;
	if (bench::cuda().get_device(&device, int(reinterpret_cast<uintptr_t>(ordinal))) ||
	    bench::cuda().device_attribute(&value, which, device) || value < 0)
		return 0;
	return size_t(value);
}

// Returns 0 if the driver does not tell.
size_t cuda_memory(const void *ordinal)
{
	using total_function = int(size_t *, het::cu_device);
	auto *total = reinterpret_cast<total_function *>(bench::cuda_symbol("cuDeviceTotalMem_v2"));
	het::cu_device device = 0;
	size_t n = 0;
	if (!total || bench::cuda().get_device(&device, int(reinterpret_cast<uintptr_t>(ordinal))) || total(&n, device))
		return 0;
	return n;
}

traits cuda_traits(bench::device &d)
{
	constexpr int warp_size = 10, l2_size = 38, shared_of_unit = 81;
	traits t;
	const void *ordinal = d.handle();
	t.memory = cuda_memory(ordinal);
	t.units = unsigned(std::max<size_t>(1, cuda_attribute(ordinal, het::cu_attribute_multiprocessor_count)));
	t.local_memory = cuda_attribute(ordinal, het::cu_attribute_max_shared_memory_per_block);
	t.constant_memory = cuda_attribute(ordinal, het::cu_attribute_total_constant_memory);
	if (bench::cuda_has_textures())
		t.texture_memory =
			sizeof(uint32_t) * cuda_attribute(ordinal, bench::cu_attribute_largest_linear_texture);
	t.largest_group = std::max<size_t>(1, cuda_attribute(ordinal, het::cu_attribute_max_threads_per_block));
	for (const auto &[name, which] : {std::pair{"warp.width", warp_size},
					  {"l2.size", l2_size},
					  {"local.of_unit", shared_of_unit},
					  {"copy.engines", int(het::cu_attribute_async_engine_count)}})
		if (const size_t value = cuda_attribute(ordinal, which))
			t.claims[name] = value;
	return t;
}

traits host_traits()
{
	traits t;
	t.cpu = true;
	t.memory = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
	t.local_memory = 64 << 10;
	t.local_is_there = false;
	t.largest_group = 1024;
	add_processor_claims(t.claims);
	return t;
}

} // namespace

traits traits_of(bench::device &d)
{
	traits t = d.api() == GPUVM_OPENCL ? opencl_traits(d) : d.api() == GPUVM_CUDA ? cuda_traits(d) : host_traits();
	// Where nobody says how much memory there is, the tests take what they want, and are told if it is too much.
	if (t.memory == 0)
		t.memory = size_t{64} << 30;
	if (t.largest == 0)
		t.largest = t.memory;
	return t;
}

} // namespace micro
