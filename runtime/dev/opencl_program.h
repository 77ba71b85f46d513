// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes programs and kernels of the device `opencl`.
#pragma once

#include "dev/compute_device.h"
#include "dev/opencl_calls.h"
#include "dev/parameter.h"
#include "fatbin/pick.h"

namespace het::rt
{

class opencl_kernel final : public device_kernel
{
      public:
	// The last @shifts parameters are those of a kernel in windows (dev/opencl_windows.h).
	opencl_kernel(const opencl_calls &cl, cl_kernel handle, cl_device_id id, unsigned shifts = 0);
	~opencl_kernel() override;
	uint32_t nargs() const override { return nargs_; }
	group_limits limits() const override { return limits_; }
	int check_argument(const char *kernel, size_t i, const device_arg &given) const override;
	int describe_argument(uint32_t i, het_argument_info &info) override;
	int opencl_info(const opencl_question &q) const override;
	cl_kernel handle() const { return handle_; }
	bool is_in_windows() const { return shifts_ != 0; }

	// Launches often have the arguments of the one before. An argument is remembered as long as @era is the same:
	// an address means another thing when a buffer has gone. Only the submitter calls this.
	bool has_argument(size_t i, const device_arg &a, uint64_t era) const;
	void note_argument(size_t i, const device_arg &a, uint64_t era);

      private:
	struct set_argument {
		uint32_t kind; // 0 if it is not known
		size_t nbytes, offset;
		void *pointer, *buffer;
		uint64_t era;
		char value[16];
	};

	// Finds the parameter without the names, which are asked for where they are needed.
	parameter find_parameter(cl_uint i) const;

	// These are the texts of an argument, once they were asked for.
	struct argument_texts {
		text name, type;
	};
	bool read_texts(cl_uint i, argument_texts &to) const;
	uint32_t access_of(cl_uint i) const;

	const opencl_calls &cl_;
	const cl_kernel handle_;
	const cl_device_id id_;
	const unsigned shifts_;
	uint32_t nargs_;
	group_limits limits_;
	std::unique_ptr<parameter[]> parameters_;   // null where there was no memory
	std::unique_ptr<set_argument[]> arguments_; // null where there was no memory
	std::unique_ptr<argument_texts[]> texts_;
};

// A program is to be built at such a place.
struct opencl_place {
	const opencl_calls &cl;
	cl_context context;
	cl_device_id id;
	const char *device; // its name, for messages
	const fatbin::abilities &can;
	// A program's binary costs nothing once it is built. Drivers of CPUs (PoCL) first compile all its kernels for
	// it.
	bool gives_binaries;
	// Programs from source can be asked what arguments their kernels have: OpenCL 1.2.
	bool tells_arguments = false;
};

// Builds from source, or from the best image that the driver takes. Returns HET_EBUILD with the compiler's words in
// *log. The source must live as long as the program: kernels for slices are built of it when they are first asked for.
int build_opencl_program(const opencl_place &at, const program_source &source, std::unique_ptr<device_program> &made,
			 text &log);

// Compiles source for link_opencl_program(), which makes a program of what either has made. They return the same.
int compile_opencl_program(const opencl_place &at, const program_source &source, std::unique_ptr<device_program> &made,
			   text &log);
int link_opencl_program(const opencl_place &at, const program_source &source, std::span<device_program *const> objects,
			std::unique_ptr<device_program> &made, text &log);

} // namespace het::rt
