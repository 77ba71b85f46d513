// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Passes make an instrumented text out of a module. One that is to follow another parses what that one gave.
#pragma once

#include "ptx/module.h"
#include "ptx/passes/checkpoint_report.h"

#include <map>
#include <span>
#include <string>

namespace het::ptx
{

// Such an instruction has counters of its own.
struct pass_site {
	std::string function;
	position at;
	std::string text;
};

// The pass can't be right for this kernel, while it is for others of the module.
struct pass_left {
	std::string name;
	fault why;
};

struct pass_result {
	std::string text;
	std::optional<fault> refused; // the pass can't be right for this module; there is no text then
	// The pass can't see these: its counters do not tell everything about launches that come here.
	std::vector<fault> blind;
	// For slice the kernels that stay as they are, and for inspect those that are not in the text; blind names
	// them, too.
	std::vector<pass_left> left;
	std::vector<pass_site> sites;               // in the order of their counters
	std::vector<checkpoint_report> checkpoints; // tells of each kernel that checkpoint has changed
};

// Some passes have these options.
struct pass_options {
	// uniform-simt has one lane call these functions outside of the text for its warp, besides malloc, free and
	// vprintf.
	std::vector<std::string> master_calls;
	// uniform-simt takes it that plain loads may race with other threads, so one lane loads for its warp.
	bool racy_loads = false;
	// checkpoint lets these kernels, and those that go on with them, have so many registers, unless they have a
	// limit of their own. What has to wait for others lies in local memory then.
	std::map<std::string, unsigned, std::less<>> most_registers;
};

struct pass {
	std::string_view name;
	// What the pass adds to a module has names that begin so; a program's own names must not.
	std::string_view prefix;
	pass_result (*run)(const module &m, const pass_options &with); // called by apply() alone
	// Refuses for every pass a module that has this instrument already, and addresses of 32 bits.
	pass_result apply(const module &m, const pass_options &with = {}) const;
};

std::span<const pass> all_passes();
const pass *find_pass(std::string_view name); // returns null if there is none

// These are the passes themselves, as pass::run has them. pass::apply() has looked at the module before.

// Notes which 64 KiB pages are written, or read or written. Documentation/het-ptx-dirty.rst and het-ptx-touch.rst are
// the contracts.
pass_result add_dirty(const module &m);
pass_result add_touch(const module &m);

// Makes kernels that find out what the program's would use, and write nothing: Documentation/het-ptx-inspect.rst.
pass_result add_inspect(const module &m);

// Sends accesses to the device's copies of what is there, and others to the host's: Documentation/het-ptx-resident.rst.
pass_result add_resident(const module &m);

// Counts how many lines and pages the accesses of warps ask for: Documentation/het-ptx-coalesce.rst.
pass_result add_coalesce(const module &m);

// Lets grids run in parts, and stop between blocks: Documentation/het-ptx-slice.rst.
pass_result add_slice(const module &m);

// Lets blocks stop in the middle, and go on later: Documentation/het-ptx-checkpoint.rst.
pass_result add_checkpoint(const module &m, const pass_options &with = {});

// Makes warps of threads: Documentation/het-ptx-uniform-simt.rst.
pass_result add_uniform_simt(const module &m, const pass_options &with = {});

// Gives automatic variables shared addresses: Documentation/het-ptx-soft-stack.rst.
pass_result add_soft_stack(const module &m);

} // namespace het::ptx
