// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/ptx.h"

#include "fatbin/child.h"
#include "fatbin/clang.h"
#include "fatbin/conditions.h"
#include "fatbin/ptx_builtins.h"
#include "fatbin/ptx_lower.h"

#include <stdexcept>
#include <unistd.h>

namespace tool::fat
{

namespace
{

// libclc of the same version reads and writes the same bitcode.
constexpr char clang[] = "clang-14", libclc[] = "/usr/lib/clc/nvptx64--nvidiacl.bc";
constexpr char target[] = "sm_75", feature[] = "+ptx63";
constexpr uint32_t ptx_major = 6, ptx_minor = 3;

// With nvcl, unlike cuda, clang says which parameters point where. The list of functions that clang takes instead of
// the header, unless it is told not to, has those for half on devices with fp16 alone.
std::vector<std::string> arguments_for(std::initializer_list<std::string> more)
{
	std::vector<std::string> all = {
		"-target", "nvptx64-nvidia-nvcl", "-O2",     "-Xclang", "-target-cpu", "-Xclang",      target,
		"-Xclang", "-target-feature",     "-Xclang", feature,   "-w",          "-cl-no-stdinc"};
	all.insert(all.end(), more);
	return all;
}

std::string with_version(const std::string &options)
{
	return options.find("-cl-std=") == options.npos ? "-cl-std=CL1.2 " + options : options;
}

void refuse_images(const std::vector<kernel> &kernels)
{
	for (const kernel &k : kernels)
		for (const argument &a : k.arguments)
			if (a.space == format::space::image || a.space == format::space::sampler)
				throw std::runtime_error("kernel " + k.name + " has the " + a.type + " " + a.name +
							 ", which PTX gets from nobody");
}

std::string compile(const std::string &source, const std::string &options, const std::vector<kernel> &kernels)
{
	if (!is_installed(clang))
		throw std::runtime_error(std::string(clang) + " is not installed");
	if (::access(libclc, R_OK))
		throw std::runtime_error(std::string(libclc) + " is not here: install libclc-14");
	refuse_images(kernels);
	work_folder work;
	std::string ours = work.file("builtins.bc");
	replace_file(ours, compile_opencl(clang, ptx_builtins, "-cl-std=CL1.2", arguments_for({"-emit-llvm", "-c"})));
	// If both have a function, the first one's is taken.
	auto made = compile_opencl(clang, source, with_version(options),
				   arguments_for({"-S", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", ours, "-Xclang",
						  "-mlink-builtin-bitcode", "-Xclang", libclc}));
	return lower_ptx(made, source);
}

// Tells whether this compiler makes of the source what was analysed.
bool is_same_text(const std::string &options, const kernel &analysed)
{
	try {
		compile_opencl(clang, text_of_checks(analysed.asked), with_version(options), arguments_for({"-E"}));
		return true;
	} catch (const std::runtime_error &) {
		return false;
	}
}

} // namespace

image make_ptx(const std::string &source, const std::string &options, const std::vector<kernel> &kernels)
{
	image made;
	made.target = format::target::ptx;
	made.name = target;
	made.options = options;
	made.major = ptx_major;
	made.minor = ptx_minor;
	try {
		made.bytes = compile(source, options, kernels);
		made.source = is_same_text(options, kernels.at(0)) ? kernels[0].source : 0;
	} catch (const std::runtime_error &why) {
		made.reason = why.what();
	}
	return made;
}

image make_cubin(const image &ptx, const std::string &name)
{
	image made;
	made.target = format::target::cubin;
	made.name = name;
	made.options = ptx.options;
	try {
		if (ptx.bytes.empty())
			throw std::runtime_error(ptx.reason);
		if (!is_installed("ptxas"))
			throw std::runtime_error("ptxas is not installed");
		work_folder work;
		std::string text = work.file("made.ptx"), cubin = work.file("made.cubin");
		replace_file(text, ptx.bytes);
		run({"ptxas", "-arch=" + name, text, "-o", cubin});
		made.bytes = read_file(cubin);
	} catch (const std::runtime_error &why) {
		made.reason = why.what();
	}
	return made;
}

} // namespace tool::fat
