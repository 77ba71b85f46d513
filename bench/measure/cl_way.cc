// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/cl_way.h"

#include <CL/cl_ext_het.h>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace bench
{

namespace
{

cl_context_owner make_context(cl_device_id d)
{
	cl_int err;
	cl_context_owner c(clCreateContext(nullptr, 1, &d, nullptr, nullptr, &err));
	cl_check(err, "clCreateContext");
	return c;
}

cl_queue_owner make_queue(cl_context c, cl_device_id d)
{
	cl_int err;
	cl_queue_owner q(clCreateCommandQueue(c, d, 0, &err));
	cl_check(err, "clCreateCommandQueue");
	return q;
}

std::vector<unsigned char> read_file(const std::string &path)
{
	std::ifstream file(path, std::ios::binary);
	std::vector<unsigned char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
	if (bytes.empty())
		throw std::runtime_error(path + " can't be read");
	return bytes;
}

cl_program_owner load(const cl_way &way, const std::string &path)
{
	const std::vector<unsigned char> bytes = read_file(path);
	const unsigned char *at = bytes.data();
	const size_t n = bytes.size();
	cl_int err;
	cl_program_owner p(clCreateProgramWithBinary(way.context.get(), 1, &way.device, &n, &at, nullptr, &err));
	cl_check(err, "clCreateProgramWithBinary");
	cl_check(clBuildProgram(p.get(), 1, &way.device, "", nullptr, nullptr), "clBuildProgram");
	return p;
}

cl_program_owner make_program(const cl_way &way, const cl_program_text &text, const std::string &binaries)
{
	if (!binaries.empty())
		return load(way, binaries + "/" + text.name + ".het");
	return build_cl_program(way.context.get(), way.device, text.text->opencl, "-DBUILT_BY_OPENCL");
}

} // namespace

cl_way::cl_way(const cl_device_info_text &d)
    : name(d.name), device(d.id), context(make_context(d.id)), queue(make_queue(context.get(), d.id))
{
}

cl_running::cl_running(const cl_way &way, const cl_program_text &text, const std::string &binaries)
    : way_(way), text_(text), program_(make_program(way, text, binaries))
{
	cl_int err;
	kernel_.reset(clCreateKernel(program_.get(), text.kernel, &err));
	cl_check(err, "clCreateKernel");
	for (const cl_array &a : text.arrays) {
		buffers_.emplace_back(clCreateBuffer(way.context.get(), CL_MEM_READ_WRITE, a.nbytes, nullptr, &err));
		cl_check(err, "clCreateBuffer");
		results_.emplace_back(a.result ? a.nbytes : 0);
	}
	for (size_t i = 0; i < text.arguments.size(); i++)
		if (const auto *v = std::get_if<std::vector<char>>(&text.arguments[i]))
			cl_check(clSetKernelArg(kernel_.get(), cl_uint(i), v->size(), v->data()), "clSetKernelArg");
}

// Where the first two are not swapped they are set once.
void cl_running::set_arguments(unsigned step)
{
	for (size_t i = 0; i < text_.arguments.size(); i++) {
		const auto *array = std::get_if<size_t>(&text_.arguments[i]);
		const bool moves = text_.swaps && i < 2;
		if (!array || (step && !moves))
			continue;
		const cl_mem m = buffers_[moves && step % 2 ? 1 - *array : *array].get();
		cl_check(clSetKernelArg(kernel_.get(), cl_uint(i), sizeof(cl_mem), &m), "clSetKernelArg");
	}
}

void cl_running::launch(unsigned step)
{
	set_arguments(step);
	const bool last = step + 1 == text_.steps;
	cl_event e = nullptr;
	cl_check(clEnqueueNDRangeKernel(way_.queue.get(), kernel_.get(), text_.global[1] > 1 ? 2 : 1, nullptr,
					text_.global.data(), text_.local.data(), 0, nullptr, last ? &e : nullptr),
		 "clEnqueueNDRangeKernel");
	last_.reset(e);
}

unsigned cl_running::parts() const
{
	cl_uint parts = 1;
	const cl_int err = clGetEventInfo(last_.get(), CL_EVENT_PARTS_HET, sizeof(parts), &parts, nullptr);
	return err == CL_SUCCESS ? parts : 1;
}

void cl_running::run()
{
	for (size_t i = 0; i < buffers_.size(); i++)
		if (const auto &start = text_.arrays[i].start; !start.empty())
			cl_check(clEnqueueWriteBuffer(way_.queue.get(), buffers_[i].get(), CL_FALSE, 0, start.size(),
						      start.data(), 0, nullptr, nullptr),
				 "clEnqueueWriteBuffer");
	for (unsigned step = 0; step < text_.steps; step++)
		launch(step);
	for (size_t i = 0; i < buffers_.size(); i++)
		if (auto &r = results_[i]; !r.empty())
			cl_check(clEnqueueReadBuffer(way_.queue.get(), buffers_[i].get(), CL_TRUE, 0, r.size(),
						     r.data(), 0, nullptr, nullptr),
				 "clEnqueueReadBuffer");
}

} // namespace bench
