// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/shown.h"

#include <cstdlib>

namespace micro
{

std::span<const shown> all_shown()
{
	static const shown all[] = {
		{"latency/global", "Latency of dependent loads of global memory", "footprint", true},
		{"fetch", "Two loads in a row, by the distance between them", "bytes between them", true},
		{"single", "The same loads, not in a row", "bytes between them", true},
		{"latency/cold", "Latency of loads that no cache serves", "footprint", true},
		{"brought", "Latency of what a group of another unit has brought", "group", false, nullptr, true},
		{"line", "Loads over more than a cache holds, one in a block", "size of a block", true},
		{"latency/local", "Latency of dependent loads of local memory", "footprint", true},
		{"latency/constant", "Latency of dependent loads of constant memory", "footprint", true},
		{"latency/texture", "Latency of dependent loads through textures", "footprint", true},
		{"bandwidth/global/read", "Bandwidth of global memory, read", "threads"},
		{"bandwidth/global/write", "Bandwidth of global memory, written", "threads"},
		{"bandwidth/global/both", "Bandwidth of global memory, read and written", "threads"},
		{"bandwidth/texture/read", "Bandwidth of global memory, read through textures", "threads"},
		{"bandwidth/cache/read", "Bandwidth of the last cache, read", "threads"},
		{"bandwidth/cache/write", "Bandwidth of the last cache, written", "threads"},
		{"bandwidth/local", "Bandwidth of local memory, read", "threads"},
		{"vectors", "Bandwidth of global memory, read, by words of a vector", "threads"},
		{"copies", "Bandwidth of global memory, copied, by words of a vector", "threads"},
		{"spread", "Spread reads and writes in a row (gather), and the other way round (scatter)", "threads"},
		{"strides", "Reads of a word by each thread, by stride", "words between threads"},
		{"coherent", "Coherent access, by threads that read one word together", "threads of a group", false,
		 "threads that read one word"},
		{"apex", "APEX-MAP, by locality in time", "words in a row"},
		{"locality/time", "Groups of threads that read one word, by locality in time", "1/alpha: 1 is uniform"},
		{"locality/space", "Groups of threads that read words in a row", "words in a row"},
		{"homogeneity/memory", "Random reads by devices", "device", false, nullptr, true},
		{"homogeneity/arithmetic", "Arithmetic by devices", "device", false, nullptr, true},
		{"arithmetic/latency", "Latency of operations", "threads"},
		{"arithmetic/rate", "Rate of operations", "threads"},
		{"roofline", "Roofline", "operations a byte"},
		{"banks", "Loads of local memory by 32 threads, by stride", "words between threads"},
		{"ways", "A loop in which blocks of threads take one way or another", "threads of a block"},
		{"atomics", "One change of a word by every thread", "threads that share a word"},
		{"clock/busy", "Clock while all units are busy", "threads"},
		{"launch/wait", "A launch and the wait for it", "launches"},
		{"transfers", "Blocking copies", "size", true},
		{"together", "Copies at the same time", "copies at a time"},
		{"reference", "Arithmetic alone, between the tests", "tests before it", false, nullptr, true},
	};
	return all;
}

bool by_number::operator()(const std::string &a, const std::string &b) const
{
	const double x = strtod(a.c_str(), nullptr), y = strtod(b.c_str(), nullptr);
	return x != y ? x < y : a < b;
}

shown_curves curves_of(const het::json &document, const std::string &prefix)
{
	shown_curves found;
	for (const het::json &r : document["results"]) {
		const std::string name = r.at("name").get<std::string>();
		const size_t slash = name.rfind('/');
		if (!name.starts_with(prefix + "/") || slash + 1 == name.size() ||
		    name.find_first_not_of("0123456789.", slash + 1) != std::string::npos)
			continue;
		const std::string curve =
			slash > prefix.size() ? name.substr(prefix.size() + 1, slash - prefix.size() - 1) : "";
		found.unit = r.at("unit").get<std::string>();
		const double median = r.at("median").get<double>();
		found.curves[curve][std::stod(name.substr(slash + 1))] = {
			median, r.contains("low") ? r["low"].get<double>() : median,
			r.contains("high") ? r["high"].get<double>() : median};
	}
	return found;
}

} // namespace micro
