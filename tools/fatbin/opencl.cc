// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/opencl.h"

#include "fatbin/opencl_functions.h"
#include "fatbin/pick.h"

#include <cstring>
#include <map>

namespace tool::fat
{

namespace
{

constexpr char numbers_kernel[] = "het_fatbin_numbers";

std::string name_in(const std::string &source, const std::string &name)
{
	bool is_renamed = name.starts_with(format::renamed_by_pocl) && source.find(name) == source.npos;
	return is_renamed ? name.substr(strlen(format::renamed_by_pocl)) : name;
}

// Holds a source built for one device.
class built_program
{
      public:
	built_program(const cl_functions &cl, cl_device_id id, const std::string &source, const std::string &options)
	    : cl_(cl), id_(id), context_(make_context()), program_(make_program(source))
	{
		if (cl.BuildProgram(program_, 1, &id, options.c_str(), nullptr, nullptr) == CL_SUCCESS)
			return;
		auto log = ask_text(cl.GetProgramBuildInfo, cl_program(program_), id, CL_PROGRAM_BUILD_LOG);
		throw std::runtime_error("the source does not build: " + log);
	}

	std::string binary() const
	{
		auto n = ask_number<size_t>(cl_.GetProgramInfo, "clGetProgramInfo", cl_program(program_),
					    CL_PROGRAM_BINARY_SIZES);
		std::string bytes(n, '\0');
		char *to = bytes.data();
		// NOLINTNEXTLINE(bugprone-sizeof-expression): a list of one pointer
		check(cl_.GetProgramInfo(program_, CL_PROGRAM_BINARIES, sizeof(to), &to, nullptr), "clGetProgramInfo");
		if (!n)
			throw std::runtime_error("the driver gives no binary");
		return bytes;
	}

	// Describes them with the names that stand in the source.
	std::vector<kernel> kernels(const std::string &source) const
	{
		cl_uint n = 0;
		check(cl_.CreateKernelsInProgram(program_, 0, nullptr, &n), "clCreateKernelsInProgram");
		std::vector<cl_kernel> handles(n);
		if (n)
			check(cl_.CreateKernelsInProgram(program_, n, handles.data(), nullptr),
			      "clCreateKernelsInProgram");
		std::vector<kernel> all;
		all.reserve(n);
		for (cl_kernel k : handles)
			all.push_back(describe(owned<cl_kernel>(k, cl_.ReleaseKernel, CL_SUCCESS, "")));
		for (kernel &k : all) {
			k.name = name_in(source, k.name);
			for (argument &a : k.arguments)
				a.name = name_in(source, a.name);
		}
		return all;
	}

	// Returns what the kernel above writes, and 0 where it does not write.
	std::vector<uint64_t> run_numbers(size_t n) const
	{
		cl_int err;
		std::vector<uint64_t> numbers(n);
		size_t nbytes = n * sizeof(uint64_t);
		owned<cl_command_queue> queue(cl_.CreateCommandQueue(context_, id_, 0, &err), cl_.ReleaseCommandQueue,
					      err, "clCreateCommandQueue");
		owned<cl_mem> out(cl_.CreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, nbytes,
						   numbers.data(), &err),
				  cl_.ReleaseMemObject, err, "clCreateBuffer");
		owned<cl_kernel> k(cl_.CreateKernel(program_, numbers_kernel, &err), cl_.ReleaseKernel, err,
				   "clCreateKernel");
		cl_mem argument = out;
		// NOLINTNEXTLINE(bugprone-sizeof-expression): a handle
		check(cl_.SetKernelArg(k, 0, sizeof(argument), &argument), "clSetKernelArg");
		check(cl_.EnqueueTask(queue, k, 0, nullptr, nullptr), "clEnqueueTask");
		check(cl_.EnqueueReadBuffer(queue, out, CL_TRUE, 0, nbytes, numbers.data(), 0, nullptr, nullptr),
		      "clEnqueueReadBuffer");
		return numbers;
	}

      private:
	owned<cl_context> make_context() const
	{
		cl_int err;
		cl_context made = cl_.CreateContext(nullptr, 1, &id_, nullptr, nullptr, &err);
		return {made, cl_.ReleaseContext, err, "clCreateContext"};
	}

	owned<cl_program> make_program(const std::string &source) const
	{
		cl_int err;
		const char *text = source.data();
		size_t length = source.size();
		cl_program made = cl_.CreateProgramWithSource(context_, 1, &text, &length, &err);
		return {made, cl_.ReleaseProgram, err, "clCreateProgramWithSource"};
	}

	kernel describe(const owned<cl_kernel> &handle) const
	{
		cl_kernel k = handle;
		kernel made;
		made.name = ask_text(cl_.GetKernelInfo, k, CL_KERNEL_FUNCTION_NAME);
		made.split_reason = "not analysed";
		auto n = ask_number<cl_uint>(cl_.GetKernelInfo, "clGetKernelInfo", k, CL_KERNEL_NUM_ARGS);
		for (cl_uint i = 0; i < n; i++)
			made.arguments.push_back(describe(k, i));
		return made;
	}

	argument describe(cl_kernel k, cl_uint i) const;

	const cl_functions &cl_;
	const cl_device_id id_;
	const owned<cl_context> context_;
	const owned<cl_program> program_;
};

format::access access_of_image(cl_kernel_arg_access_qualifier q)
{
	if (q == CL_KERNEL_ARG_ACCESS_WRITE_ONLY)
		return format::access::write_only;
	return q == CL_KERNEL_ARG_ACCESS_READ_WRITE ? format::access::read_write : format::access::read_only;
}

bool is_image(const std::string &type)
{
	return type.starts_with("image") && type.ends_with("_t");
}

argument built_program::describe(cl_kernel k, cl_uint i) const
{
	constexpr char call[] = "clGetKernelArgInfo";
	auto *get = cl_.GetKernelArgInfo;
	argument a;
	a.name = ask_text(get, k, i, CL_KERNEL_ARG_NAME);
	a.type = ask_text(get, k, i, CL_KERNEL_ARG_TYPE_NAME);
	auto space = ask_number<cl_kernel_arg_address_qualifier>(get, call, k, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER);
	auto type = ask_number<cl_kernel_arg_type_qualifier>(get, call, k, i, CL_KERNEL_ARG_TYPE_QUALIFIER);
	a.access = type & CL_KERNEL_ARG_TYPE_CONST ? format::access::read_only : format::access::read_write;
	if (a.type == "sampler_t") {
		a.space = format::space::sampler;
		a.access = format::access::none;
	} else if (is_image(a.type)) {
		a.space = format::space::image;
		a.access = access_of_image(
			ask_number<cl_kernel_arg_access_qualifier>(get, call, k, i, CL_KERNEL_ARG_ACCESS_QUALIFIER));
	} else if (space == CL_KERNEL_ARG_ADDRESS_GLOBAL) {
		a.space = format::space::global;
	} else if (space == CL_KERNEL_ARG_ADDRESS_CONSTANT) {
		a.space = format::space::constant;
		a.access = format::access::read_only;
	} else if (space == CL_KERNEL_ARG_ADDRESS_LOCAL) {
		a.space = format::space::local;
	} else {
		a.access = format::access::none;
	}
	return a;
}

// Returns the type whose size describes an argument, or "" if there is none.
std::string sized_type(const argument &a)
{
	if (a.space == format::space::image || a.space == format::space::sampler)
		return "";
	if (a.space == format::space::value)
		return a.type;
	std::string pointed = a.type.substr(0, a.type.rfind('*'));
	return pointed == "void" ? "" : pointed;
}

// The compiler knows what sizes types have: a kernel writes them.
void add_sizes(const cl_functions &cl, cl_device_id id, const std::string &source, const std::string &options,
	       std::vector<kernel> &kernels)
{
	std::map<std::string, uint64_t> sizes;
	for (const kernel &k : kernels)
		for (const argument &a : k.arguments)
			sizes[sized_type(a)] = 0;
	sizes.erase("");
	if (sizes.empty())
		return;
	std::string text = source + "\nkernel void " + numbers_kernel + "(global ulong *het_out)\n{\n";
	size_t n = 0;
	for (const auto &[type, size] : sizes)
		text.append("\thet_out[").append(std::to_string(n++)).append("] = sizeof(").append(type).append(");\n");
	auto found = built_program(cl, id, text + "}\n", options).run_numbers(n);
	n = 0;
	for (auto &[type, size] : sizes)
		size = found[n++];
	sizes[""] = 0;
	for (kernel &k : kernels)
		for (argument &a : k.arguments)
			a.size = uint32_t(sizes[sized_type(a)]);
}

// The kernel writes two numbers for each macro: whether there is such a macro, and which number it is.
std::string text_that_asks(const asked_macros &asked)
{
	std::string text = std::string("kernel void ") + numbers_kernel + "(global ulong *het_out)\n{\n";
	for (const auto &[name, is_value] : asked) {
		std::string to = "*het_out++ = ", number = is_value ? name + " + 0" : "0";
		text.append("#ifdef ").append(name).append("\n").append(to).append("1;\n").append(to).append(number);
		text.append(";\n#else\nhet_out += 2;\n#endif\n");
	}
	return text + "}\n";
}

} // namespace

std::string opencl::answers(const asked_macros &asked, const std::string &options) const
{
	constexpr uint64_t most = 1000000000000000000;
	if (asked.empty())
		return "";
	std::vector<uint64_t> numbers;
	try {
		numbers = built_program(*cl_, devices_.front().id, text_that_asks(asked), options)
				  .run_numbers(2 * asked.size());
	} catch (const std::runtime_error &) {
	}
	std::string words, names;
	size_t n = 0;
	for (const auto &[name, is_value] : asked) {
		bool is_known = !numbers.empty() && numbers[n + 1] < most, is_defined = is_known && numbers[n] != 0;
		names += (names.empty() ? "" : ", ") + name;
		if (!is_known)
			continue;
		words += (words.empty() ? "" : " ") + name + (is_defined ? "=" : "");
		words += is_defined && is_value ? std::to_string(numbers[n + 1]) : "";
		n += 2;
	}
	if (n != 2 * asked.size())
		throw std::runtime_error("it asks its compiler for what are not all numbers: " + names);
	return words;
}

opencl::opencl() : cl_(std::make_unique<cl_functions>())
{
	cl_uint n = 0;
	cl_->GetPlatformIDs(0, nullptr, &n);
	std::vector<cl_platform_id> platforms(n);
	if (n)
		check(cl_->GetPlatformIDs(n, platforms.data(), nullptr), "clGetPlatformIDs");
	for (cl_platform_id p : platforms)
		add_devices(p);
	if (devices_.empty())
		throw std::runtime_error("there is no OpenCL device here whose compiler could describe the kernels: "
					 "install a driver, such as pocl-opencl-icd");
}

opencl::~opencl() = default;

void opencl::add_devices(cl_platform_id platform)
{
	cl_uint n = 0;
	if (cl_->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &n) != CL_SUCCESS || !n)
		return;
	std::vector<cl_device_id> ids(n);
	check(cl_->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, ids.data(), nullptr), "clGetDeviceIDs");
	std::string platform_name = ask_text(cl_->GetPlatformInfo, platform, CL_PLATFORM_NAME);
	for (cl_device_id id : ids) {
		if (!ask_number<cl_bool>(cl_->GetDeviceInfo, "clGetDeviceInfo", id, CL_DEVICE_COMPILER_AVAILABLE))
			continue;
		std::string device = ask_text(cl_->GetDeviceInfo, id, CL_DEVICE_NAME);
		std::string driver = ask_text(cl_->GetDeviceInfo, id, CL_DRIVER_VERSION);
		format::identity made;
		format::make_identity(made, platform_name.c_str(), device.c_str(), driver.c_str());
		devices_.push_back({id, made});
	}
}

std::vector<kernel> opencl::describe(const std::string &source, const std::string &options) const
{
	cl_device_id id = devices_.front().id;
	auto all = built_program(*cl_, id, source, options + " -cl-kernel-arg-info").kernels(source);
	add_sizes(*cl_, id, source, options, all);
	return all;
}

image opencl::make_native(const cl_place &device, const std::string &source, const std::string &options) const
{
	image made;
	made.target = format::target::native;
	made.name = device.identity;
	made.options = options;
	try {
		made.bytes = built_program(*cl_, device.id, source, options).binary();
	} catch (const std::runtime_error &why) {
		made.reason = why.what();
	}
	return made;
}

} // namespace tool::fat
