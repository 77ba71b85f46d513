// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/profile.h"

#include "cache/device_profile.h"
#include "cache/user_store.h"
#include "common/format.h"
#include "micro/shown.h"

#include <ctime>

namespace micro
{

namespace
{

using het::json;
using het::cache::device_profile;

void add_facts(device_profile &p, const json &document)
{
	for (const json &f : document["facts"])
		if (f.contains("value"))
			p.all.push_back({f.at("name").get<std::string>(), f.at("value").get<double>(),
					 f.at("low").get<double>(), f.at("high").get<double>(),
					 f.at("confidence").get<double>()});
}

// The largest figure of a curve has a name like memory.read.sequential. On a busy machine a median may be anything:
// what counts is how much it is at least, and one that may be twice another is not kept.
void add_best(device_profile &p, const json &document, const std::string &prefix, const std::string &name)
{
	for (const auto &[curve, points] : curves_of(document, prefix).curves) {
		const shown_point *best = nullptr;
		for (const auto &[x, point] : points)
			if (point.high < 2 * point.low && (!best || point.low > best->low))
				best = &point;
		if (best)
			p.all.push_back({name + "." + curve, best->median, best->low, best->high, 0.95});
	}
}

// "OpenCL 3.0 ..., driver 3.1" and "driver for CUDA 13.0" name drivers as het-info does.
std::string driver_of(const std::string &version)
{
	for (const char *before : {"driver for CUDA ", ", driver "})
		if (const size_t at = version.rfind(before); at != std::string::npos)
			return version.substr(at + std::string(before).size());
	return version;
}

} // namespace

std::string keep_profile(const json &document)
{
	device_profile p;
	p.made = time(nullptr);
	add_facts(p, document);
	for (const char *deed : {"read", "write", "both"})
		add_best(p, document, std::string("bandwidth/global/") + deed, std::string("memory.") + deed);
	add_best(p, document, "vectors", "memory.vectors");
	add_best(p, document, "arithmetic/rate", "arithmetic");
	add_best(p, document, "launch", "launch");
	add_best(p, document, "transfers", "transfer");
	if (p.all.empty())
		return "nothing was found, so there is no profile";
	const json &device = document["device"];
	const het::cache::profiled_device d = {
		device["title"].get<std::string>(),
		device.contains("version") ? driver_of(device["version"].get<std::string>()) : ""};
	const het::cache::store &s = het::cache::user_store();
	put_profile(s, d, p);
	device_profile kept;
	if (!get_profile(s, d, kept))
		return "the profile could not be kept in '" + s.folder() +
		       "': make $XDG_CACHE_HOME a folder of yours that has room";
	return bench::format("profile of %s: %zu figures in ", d.device.c_str(), kept.all.size()) + s.folder();
}

} // namespace micro
