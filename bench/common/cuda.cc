// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/cuda.h"

#include "base/cuda_driver.h"
#include "common/device_error.h"
#include "common/format.h"

#include <stdexcept>

namespace bench
{

using namespace het;

namespace
{

cuda_driver open_driver()
{
	cuda_driver d(cuda_calls::managed);
	if (!d.why_not().empty())
		throw std::runtime_error("no CUDA driver: " + d.why_not());
	int err = d.init(0);
	if (err)
		throw std::runtime_error(format("cuInit: CUDA error %d", err));
	return d;
}

const cuda_driver &driver()
{
	static const cuda_driver d = open_driver();
	return d;
}

// A context that has had one of these returns it from each call.
bool is_end(int err)
{
	constexpr int ecc = 214, hardware_first = 714, hardware_last = 718, timeout = 702, destroyed = 709;
	return err == cu_error_illegal_address || err == cu_error_launch_failed || err == ecc || err == timeout ||
	       err == destroyed || (err >= hardware_first && err <= hardware_last);
}

device_error::kind kind_of(int err)
{
	return err == cu_error_out_of_memory ? device_error::kind::memory
	       : is_end(err)                 ? device_error::kind::lost
					     : device_error::kind::other;
}

[[noreturn]] void fail(device_error::kind why, int err, const char *call)
{
	const char *name = nullptr;
	cuda().error_name(err, &name);
	throw device_error(why, format("%s: CUDA error %d, %s", call, err, name ? name : "unknown"));
}

// Whatever is wrong with a module that is neither memory nor the device is its text's.
void check_build(int err, const char *call)
{
	const device_error::kind k = kind_of(err);
	if (err)
		fail(k == device_error::kind::other ? device_error::kind::build : k, err, call);
}

} // namespace

const cuda_functions &cuda()
{
	return driver();
}

void *cuda_symbol(const char *name)
{
	return driver().symbol(name);
}

void cuda_check(int err, const char *call)
{
	if (err)
		fail(kind_of(err), err, call);
}

unsigned cuda_device_count()
{
	int n = 0;
	try {
		return cuda().device_count(&n) ? 0 : unsigned(n);
	} catch (const std::exception &) {
		return 0;
	}
}

cuda_program::cuda_program(unsigned ordinal)
{
	cu_context context;
	cuda_check(cuda().get_device(&device_, int(ordinal)), "cuDeviceGet");
	cuda_check(cuda().retain_context(&context, device_), "cuDevicePrimaryCtxRetain");
	cuda_check(cuda().push_context(context), "cuCtxPushCurrent");
	cuda_check(cuda().create_stream(&stream_, cu_stream_non_blocking, 0), "cuStreamCreate");
}

cuda_program::~cuda_program()
{
	for (const auto &[text, l] : loaded_)
		cuda().unload_module(l.module);
	cuda().destroy_stream(stream_);
	cu_context ours;
	cuda().pop_context(&ours);
	cuda().release_context(device_);
}

std::string cuda_program::device_name() const
{
	char name[128] = "";
	cuda_check(cuda().device_name(name, sizeof(name), device_), "cuDeviceGetName");
	return name;
}

int cuda_program::attribute(int which) const
{
	int value = 0;
	cuda_check(cuda().device_attribute(&value, which, device_), "cuDeviceGetAttribute");
	return value;
}

std::string cuda_program::driver_version()
{
	int version = 0;
	cuda_check(cuda().driver_version(&version), "cuDriverGetVersion");
	return format("%d.%d", version / 1000, version % 1000 / 10);
}

cuda_program::loaded &cuda_program::load(const kernel_text &text)
{
	loaded &l = loaded_[&text];
	if (!l.module)
		check_build(cuda().load_module(&l.module, text.ptx), "cuModuleLoadData");
	return l;
}

std::pair<cu_deviceptr, size_t> cuda_program::variable(const kernel_text &text, const std::string &name)
{
	std::pair<cu_deviceptr, size_t> found;
	cuda_check(cuda().get_variable(&found.first, &found.second, load(text).module, name.c_str()), name.c_str());
	return found;
}

cu_function cuda_program::function(const kernel_text &text, const std::string &kernel)
{
	loaded &l = load(text);
	cu_function &f = l.functions[kernel];
	if (!f)
		check_build(cuda().get_function(&f, l.module, kernel.c_str()), kernel.c_str());
	return f;
}

void cuda_program::launch(const kernel_text &text, const std::string &kernel, const sizes &blocks, const sizes &threads,
			  std::vector<void *> arguments)
{
	cuda_check(cuda().launch(function(text, kernel), blocks[0], blocks[1], blocks[2], threads[0], threads[1],
				 threads[2], 0, stream_, arguments.data(), nullptr),
		   "cuLaunchKernel");
}

void cuda_program::finish() const
{
	cuda_check(cuda().synchronize_stream(stream_), "cuStreamSynchronize");
}

} // namespace bench
