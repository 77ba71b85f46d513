// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/spirv.h"

#include "fatbin/child.h"
#include "fatbin/clang.h"

#include <stdexcept>

namespace tool::fat
{

namespace
{

constexpr int newest_llvm = 21, oldest_llvm = 14;

// Bitcode can be read by the same version that wrote it.
std::string suffix_of_compilers()
{
	for (int v = newest_llvm; v >= oldest_llvm; v--) {
		std::string suffix = "-" + std::to_string(v);
		if (is_installed("clang" + suffix) && is_installed("llvm-spirv" + suffix))
			return suffix;
	}
	throw std::runtime_error("clang-N and llvm-spirv-N of one version N are not installed");
}

using words = std::vector<std::string>;

std::string compile(const std::string &suffix, const std::string &source, const std::string &options, const words &how)
{
	work_folder work;
	std::string bitcode = work.file("source.bc"), made = work.file("source.spv");
	words all = {"-target", "spir64-unknown-unknown", "-emit-llvm", "-c"};
	all.insert(all.end(), how.begin(), how.end());
	replace_file(bitcode, compile_opencl("clang" + suffix, source, options, all));
	run({"llvm-spirv" + suffix, "--spirv-max-version=1.2", bitcode, "-o", made});
	if (is_installed("spirv-val"))
		run({"spirv-val", "--target-env", "opencl2.2", made});
	return read_file(made);
}

// Not all is valid of what clang has optimised: integers of 33 bits, for example, are not. Drivers optimise what it has
// not.
std::string compile(const std::string &source, const std::string &options)
{
	std::string suffix = suffix_of_compilers();
	try {
		return compile(suffix, source, options, {"-O2"});
	} catch (const std::runtime_error &why) {
		try {
			return compile(suffix, source, options, {"-O2", "-Xclang", "-disable-llvm-passes"});
		} catch (const std::runtime_error &) {
			throw why;
		}
	}
}

} // namespace

bool read_spirv_version(const std::string &bytes, uint32_t *major, uint32_t *minor)
{
	uint32_t words[2];
	if (!format::load(as_bytes(bytes), 0, words) || words[0] != 0x07230203)
		return false;
	*major = words[1] >> 16 & 255;
	*minor = words[1] >> 8 & 255;
	return true;
}

image make_spirv(const std::string &source, const std::string &options)
{
	image made;
	made.target = format::target::spirv;
	made.options = options;
	try {
		made.bytes = compile(source, options);
		if (!read_spirv_version(made.bytes, &made.major, &made.minor))
			throw std::runtime_error("llvm-spirv wrote something else");
	} catch (const std::runtime_error &why) {
		made.bytes.clear();
		made.reason = why.what();
	}
	return made;
}

} // namespace tool::fat
