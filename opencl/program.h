// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A program is built for each of its devices, at once or one after the other, with options of its own each time.
#pragma once

#include "context.h"

#include <het.h>
#include <memory>

namespace hetcl
{

using runtime_program = std::shared_ptr<het_program>;

struct recipe;

// This is what a program has become for one device.
struct build {
	cl_build_status status = CL_BUILD_NONE;
	std::string options, log;
	cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
	runtime_program made;              // null if it has not become anything
	std::shared_ptr<const recipe> how; // of what was compiled or linked
};

} // namespace hetcl

struct _cl_program : hetcl::object<hetcl::kind::program> {
	~_cl_program() { when_gone.call(); }

	hetcl::held<_cl_context> context;
	std::vector<cl_device_id> devices;
	std::string source;       // empty if it comes from binaries
	std::vector<char> binary; // the fat binary that it comes from
	bool is_linked = false;   // it is what clLinkProgram() has made
	std::atomic<cl_uint> nkernels{0};
	hetcl::farewells when_gone;

	// Calls that build, and calls that ask, exclude each other.
	std::mutex lock;
	std::vector<hetcl::build> builds; // for each device
	// These are the fat binary that was made of the source last, what it was made of, and with which options.
	std::vector<char> made_binary;
	std::string made_of, made_with;

	hetcl::build *on(cl_device_id d)
	{
		for (size_t i = 0; i < devices.size(); i++) {
			if (devices[i] == d)
				return &builds[i];
		}
		return nullptr;
	}
	// Returns a device for which there is something to run, or null.
	cl_device_id built_device() const
	{
		for (size_t i = 0; i < devices.size(); i++) {
			if (builds[i].status == CL_BUILD_SUCCESS && builds[i].type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
				return devices[i];
		}
		return nullptr;
	}
};

namespace hetcl
{

// Makes a program of the runtime's for what follows. Returns 0 or a code of the runtime's.
int make_program(const het_program_args &args, runtime_program &made);

// Returns what the members of a device are to compile: some of them have images, and tell kernels so, where not all
// have.
std::string text_for_drivers(const std::string &source, const _cl_device_id &d);

// Builds it for all members of a device, which must all take it, and puts what has come of that into @b, with what each
// compiler said. @type is what it is now. Returns 0 or a code of the runtime's.
int build_for(const _cl_device_id &d, const runtime_program &p, const std::string &options, cl_program_binary_type type,
	      build &b);

// Returns the fat binary of the source, as a device gets it. It is empty if it can't be made.
const std::vector<char> &fat_binary_of(_cl_program &p, const _cl_device_id &d, const std::string &options);

// Returns the names of the kernels, with semicolons between them.
std::string kernel_names(_cl_program &p);

// Returns the program for one of its devices as a fat binary, which is empty if there is none.
std::vector<char> binary_of(_cl_program &p, cl_device_id d);

} // namespace hetcl
