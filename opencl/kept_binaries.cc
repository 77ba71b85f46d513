// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "kept_binaries.h"

#include "cache/user_store.h"

#include <cstdlib>
#include <cstring>
#include <sys/stat.h>

namespace hetcl
{

namespace
{

// het-fatbin has this one analyse the source (tools/fatbin/clang.h).
constexpr char analysing_clang[] = "clang-14";

// Another version of a program is another file.
std::string identity_of_file(const std::string &path)
{
	struct stat s;
	if (stat(path.c_str(), &s))
		return "";
	return path + ' ' + std::to_string(s.st_size) + ' ' + std::to_string(s.st_mtim.tv_sec) + ' ' +
	       std::to_string(s.st_mtim.tv_nsec);
}

// Returns nothing for a program that is not there.
std::string identity_of_program(const std::string &name)
{
	if (name.find('/') != std::string::npos)
		return identity_of_file(name);
	const char *path = getenv("PATH");
	for (const char *at = path ? path : ""; *at;) {
		const size_t n = strcspn(at, ":");
		std::string found = identity_of_file(std::string(at, n) + '/' + name);
		if (!found.empty())
			return found;
		at += n + (at[n] == ':');
	}
	return "";
}

// The tool asks compilers of the machine for what macros are to them.
std::string identity_of_drivers(const _cl_device_id &d)
{
	std::string all = identity_of_file("/etc/OpenCL/vendors");
	for (het_device *m : d.members) {
		for (cl_device_info what : {CL_DEVICE_NAME, CL_DRIVER_VERSION}) {
			char text[256] = "";
			het_device_opencl_info(m, what, sizeof(text), text, nullptr);
			all += '\n' + std::string(text);
		}
	}
	return all;
}

// What is in headers is not seen here, so what may include them is not kept.
bool may_be_kept(const binary_request &r)
{
	for (const char *word : {"include", "import", "imacros"}) {
		if (r.source.find(word) != std::string::npos || r.options.find(word) != std::string::npos)
			return false;
	}
	return true;
}

template <class F> auto with_key(const binary_request &r, F use)
{
	const std::string texts[] = {HET_VERSION,
				     identity_of_program(r.tool),
				     identity_of_program(analysing_clang),
				     identity_of_drivers(r.device),
				     r.options,
				     r.source};
	het::cache::bytes parts[std::size(texts)];
	for (size_t i = 0; i < std::size(texts); i++)
		parts[i] = het::cache::bytes_of(texts[i]);
	return use(het::cache::key{"analysed", parts});
}

} // namespace

std::vector<char> find_kept(const binary_request &r)
{
	if (!may_be_kept(r))
		return {};
	const het::cache::contents c =
		with_key(r, [](const het::cache::key &k) { return het::cache::user_store().get(k); });
	const auto *begin = reinterpret_cast<const char *>(c.value.data());
	return {begin, begin + c.value.size()};
}

void keep(const binary_request &r, const std::vector<char> &made)
{
	if (!may_be_kept(r))
		return;
	with_key(r, [&](const het::cache::key &k) { het::cache::user_store().put(k, std::as_bytes(std::span(made))); });
}

} // namespace hetcl
