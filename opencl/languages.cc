// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "languages.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace hetcl
{

namespace
{

// What concerns kernels alone is the drivers' to give. What needs calls of the host's is not in these lists.
constexpr const char *known_extensions[] = {
	"cl_khr_3d_image_writes",
	"cl_khr_byte_addressable_store",
	"cl_khr_fp16",
	"cl_khr_fp64",
	"cl_khr_global_int32_base_atomics",
	"cl_khr_global_int32_extended_atomics",
	"cl_khr_int64_base_atomics",
	"cl_khr_int64_extended_atomics",
	"cl_khr_local_int32_base_atomics",
	"cl_khr_local_int32_extended_atomics",
};
constexpr const char *known_features[] = {
	"__opencl_c_3d_image_writes",
	"__opencl_c_atomic_order_acq_rel",
	"__opencl_c_atomic_order_seq_cst",
	"__opencl_c_atomic_scope_device",
	"__opencl_c_fp64",
	"__opencl_c_generic_address_space",
	"__opencl_c_images",
	"__opencl_c_int64",
	"__opencl_c_integer_dot_product_input_4x8bit",
	"__opencl_c_integer_dot_product_input_4x8bit_packed",
	"__opencl_c_read_write_images",
	"__opencl_c_work_group_collective_functions",
};

std::string text_of(het_device *d, cl_device_info what)
{
	size_t n = 0;
	if (het_device_opencl_info(d, what, 0, nullptr, &n) || !n)
		return "";
	std::string s(n, 0);
	if (het_device_opencl_info(d, what, n, s.data(), nullptr))
		return "";
	s.resize(strlen(s.c_str()));
	return s;
}

std::vector<cl_name_version> list_of(het_device *d, cl_device_info what)
{
	size_t n = 0;
	if (het_device_opencl_info(d, what, 0, nullptr, &n))
		return {};
	std::vector<cl_name_version> l(n / sizeof(cl_name_version));
	if (n && het_device_opencl_info(d, what, n, l.data(), nullptr))
		return {};
	return l;
}

// Reads the version out of "OpenCL 3.0 of a vendor" or "OpenCL C 1.2". What can't be read is the oldest.
unsigned version_in(const std::string &text)
{
	unsigned major = 0, minor = 0;
	const bool read = sscanf(text.c_str(), "OpenCL C %u.%u", &major, &minor) == 2 ||
			  sscanf(text.c_str(), "OpenCL %u.%u", &major, &minor) == 2;
	return read ? 100 * major + 10 * minor : 100;
}

cl_version packed(unsigned version)
{
	return CL_MAKE_VERSION(version / 100, version / 10 % 10, 0);
}

// Drivers older than OpenCL 3.0 have no list.
std::vector<cl_name_version> languages_of(het_device *d)
{
	std::vector<cl_name_version> l = list_of(d, CL_DEVICE_OPENCL_C_ALL_VERSIONS);
	const unsigned highest = version_in(text_of(d, CL_DEVICE_OPENCL_C_VERSION));
	for (unsigned v : {100u, 110u, 120u, 200u}) {
		const bool listed = std::any_of(l.begin(), l.end(),
						[&](const cl_name_version &n) { return n.version == packed(v); });
		if (v <= highest && v < 200 && !listed)
			l.push_back(named("OpenCL C", packed(v)));
	}
	return l;
}

bool has(const std::vector<cl_name_version> &l, const cl_name_version &wanted)
{
	return std::any_of(l.begin(), l.end(), [&](const cl_name_version &n) {
		return !strcmp(n.name, wanted.name) && n.version == wanted.version;
	});
}

template <typename F> std::vector<cl_name_version> common(const _cl_device_id &d, F list)
{
	std::vector<cl_name_version> all = list(d.members[0]);
	for (het_device *other : std::span(d.members).subspan(1)) {
		const std::vector<cl_name_version> theirs = list(other);
		std::erase_if(all, [&](const cl_name_version &n) { return !has(theirs, n); });
	}
	return all;
}

bool has_extension(het_device *d, std::string_view name)
{
	const std::string all = " " + text_of(d, CL_DEVICE_EXTENSIONS) + " ";
	return all.find(" " + std::string(name) + " ") != std::string::npos;
}

} // namespace

cl_name_version named(const char *name, cl_version version)
{
	cl_name_version n = {};
	n.version = version;
	snprintf(n.name, sizeof(n.name), "%s", name);
	return n;
}

unsigned version_of(const _cl_device_id &d)
{
	const bool is_new = std::all_of(d.members.begin(), d.members.end(),
					[](het_device *m) { return version_in(text_of(m, CL_DEVICE_VERSION)) >= 300; });
	return is_new ? 300 : 120;
}

// The text names no version above 1.2 where a driver is of OpenCL 3.0: the list has the others.
unsigned language_version_of(const _cl_device_id &d)
{
	unsigned least = version_of(d);
	for (het_device *m : d.members)
		least = std::min(least, version_in(text_of(m, CL_DEVICE_OPENCL_C_VERSION)));
	return least;
}

std::vector<cl_name_version> languages_of(const _cl_device_id &d)
{
	return common(d, [](het_device *m) { return languages_of(m); });
}

std::vector<cl_name_version> features_of(const _cl_device_id &d)
{
	auto l = common(d, [](het_device *m) { return list_of(m, CL_DEVICE_OPENCL_C_FEATURES); });
	std::erase_if(l, [](const cl_name_version &n) {
		return std::none_of(std::begin(known_features), std::end(known_features),
				    [&](const char *known) { return !strcmp(known, n.name); });
	});
	return l;
}

std::vector<cl_name_version> extensions_of(const _cl_device_id &d)
{
	std::vector<cl_name_version> l;
	for (const char *name : known_extensions) {
		const bool everywhere = std::all_of(d.members.begin(), d.members.end(),
						    [&](het_device *m) { return has_extension(m, name); });
		if (everywhere)
			l.push_back(named(name, CL_MAKE_VERSION(1, 0, 0)));
	}
	l.push_back(named("cl_het_parts", CL_MAKE_VERSION(1, 0, 0)));
	l.push_back(named("cl_het_host_pointer", CL_MAKE_VERSION(1, 0, 0)));
	l.push_back(named("cl_khr_command_buffer", CL_MAKE_VERSION(0, 9, 0)));
	return l;
}

} // namespace hetcl
