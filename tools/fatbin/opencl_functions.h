// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds the entry points of OpenCL that het-fatbin uses, and owns what they make.
#pragma once

#include "dev/opencl_api.h"

#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace tool::fat
{

class cl_library
{
      public:
	cl_library() : handle_(dlopen(het::opencl_library, RTLD_NOW | RTLD_LOCAL))
	{
		if (!handle_)
			throw std::runtime_error(
				"there is no OpenCL here, whose compiler describes the kernels: install "
				"ocl-icd-libopencl1 and a driver, such as pocl-opencl-icd");
	}
	template <typename F> F find(const char *name) const
	{
		auto f = reinterpret_cast<F>(dlsym(handle_, name));
		if (!f)
			throw std::runtime_error(std::string(het::opencl_library) + " has no " + name +
						 ": it is too old");
		return f;
	}

      private:
	void *const handle_; // stays open for the rest of the process
};

struct cl_functions {
	const cl_library library;

// NOLINTNEXTLINE(bugprone-macro-parentheses): a name
#define HET_CL(NAME) const decltype(&cl##NAME) NAME = library.find<decltype(&cl##NAME)>("cl" #NAME)
	HET_CL(GetPlatformIDs);
	HET_CL(GetPlatformInfo);
	HET_CL(GetDeviceIDs);
	HET_CL(GetDeviceInfo);
	HET_CL(CreateContext);
	HET_CL(ReleaseContext);
	HET_CL(CreateCommandQueue);
	HET_CL(ReleaseCommandQueue);
	HET_CL(CreateProgramWithSource);
	HET_CL(BuildProgram);
	HET_CL(GetProgramBuildInfo);
	HET_CL(GetProgramInfo);
	HET_CL(ReleaseProgram);
	HET_CL(CreateKernelsInProgram);
	HET_CL(CreateKernel);
	HET_CL(GetKernelInfo);
	HET_CL(GetKernelArgInfo);
	HET_CL(SetKernelArg);
	HET_CL(ReleaseKernel);
	HET_CL(CreateBuffer);
	HET_CL(ReleaseMemObject);
	HET_CL(EnqueueTask);
	HET_CL(EnqueueReadBuffer);
#undef HET_CL
};

inline void check(cl_int error, const char *call)
{
	if (error != CL_SUCCESS)
		throw std::runtime_error(std::string(call) + " failed: " + std::to_string(error));
}

// Owns a handle with the function that gives it back.
template <typename T> class owned
{
      public:
	owned(T handle, cl_int (*release)(T), cl_int error, const char *call) : handle_(handle), release_(release)
	{
		check(error, call);
	}
	owned(owned &&o) noexcept : handle_(o.handle_), release_(o.release_) { o.handle_ = nullptr; }
	owned(const owned &) = delete;
	owned &operator=(const owned &) = delete;
	~owned()
	{
		if (handle_)
			release_(handle_);
	}
	operator T() const { return handle_; }

      private:
	T handle_;
	cl_int (*const release_)(T);
};

// Returns the answer of a clGet...Info() that is text.
template <typename F, typename... A> std::string ask_text(F *get_info, A... whom)
{
	size_t n = 0;
	if (get_info(whom..., 0, nullptr, &n) != CL_SUCCESS || !n)
		return "";
	std::string text(n, '\0');
	if (get_info(whom..., n, text.data(), nullptr) != CL_SUCCESS)
		return "";
	return text.substr(0, text.find('\0'));
}

template <typename T, typename F, typename... A> T ask_number(F *get_info, const char *call, A... whom)
{
	T answer{};
	check(get_info(whom..., sizeof(answer), &answer, nullptr), call);
	return answer;
}

} // namespace tool::fat
