// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/list.h"

#include <cstdio>
#include <iterator>
#include <stdexcept>

namespace tool::fat
{

namespace
{

constexpr const char *target_words[] = {"", "opencl", "spirv", "native", "ptx", "cubin"};
constexpr const char *space_words[] = {"", "value", "global", "constant", "local", "image", "sampler"};
constexpr const char *access_words[] = {"", "read", "write", "read and write"};
constexpr const char *split_words[] = {"unknown", "safe", "unsafe"};

// Returns "n" or "get_global_size(0)" and the like, and "" for 1.
std::string multiplier_text(const kernel &k, const format::axis_row &axis)
{
	if (axis.times == format::multiplier_one)
		return "";
	if (axis.times < format::multiplier_argument)
		return "get_global_size(" + std::to_string(axis.times - format::multiplier_size_0) + ")";
	return k.arguments.at(axis.times - format::multiplier_argument).name;
}

json describe(const kernel &k, const format::reach_row &r)
{
	json axes = json::array();
	for (const format::axis_row &axis : r.axes) {
		json j = {{"step", axis.step}, {"first", axis.first}, {"last", axis.last}};
		if (axis.times)
			j["times"] = multiplier_text(k, axis);
		j["from_zero"] = (axis.flags & format::axis_from_zero) != 0;
		j["bounded"] = (axis.flags & format::axis_bounded) != 0;
		axes.push_back(j);
	}
	return {{"offset", r.offset}, {"length", r.length}, {"limit", r.limit}, {"axes", axes}};
}

json describe(const kernel &k, const argument &a)
{
	json j = {{"name", a.name}, {"type", a.type}, {"space", space_words[size_t(a.space)]}, {"size", a.size}};
	if (a.access != format::access::none)
		j["access"] = access_words[size_t(a.access)];
	if (a.found)
		j["found"] = access_words[size_t(*a.found)];
	if (a.reach.length)
		j["reach"] = describe(k, a.reach);
	return j;
}

json describe(const kernel &k)
{
	json arguments = json::array();
	for (const argument &a : k.arguments)
		arguments.push_back(describe(k, a));
	json split = {{"answer", split_words[size_t(k.split)]}, {"reason", k.split_reason}};
	if (!k.apart.empty())
		split["apart"] = k.apart;
	return {{"name", k.name}, {"arguments", arguments}, {"dimensions", k.dimensions}, {"split", split}};
}

json describe(const image &i)
{
	json j = {{"target", word_for(i.target)}, {"title", title_of(i)}, {"options", i.options}};
	if (!i.name.empty())
		j["name"] = i.name;
	if (i.bytes.empty())
		j["missing"] = i.reason;
	else
		j["bytes"] = i.bytes.size();
	return j;
}

std::string text_of(const argument &a)
{
	std::string text = a.space == format::space::value ? "" : std::string(space_words[size_t(a.space)]) + " ";
	text += a.type + " " + a.name;
	if (a.access == format::access::read_only)
		text += " (read)";
	return text;
}

// Returns " + 4 * n * y" and the like, with the rows around it in brackets.
std::string text_of(const kernel &k, const format::axis_row &axis, const char *id)
{
	if (!axis.step)
		return "";
	std::string times = multiplier_text(k, axis), around;
	if (axis.first || axis.last)
		around = std::to_string(axis.first) + "..." + std::to_string(axis.last);
	std::string text = " + " + std::to_string(axis.step) + (times.empty() ? "" : " * " + times) + " * ";
	return text + (around.empty() ? id : "(" + std::string(id) + " + " + around + ")");
}

// Tells what the work-item with the ids x and y uses.
std::string reach_text(const kernel &k, const argument &a)
{
	std::string text =
		a.name + ": " + (*a.found == format::access::none ? "not used" : access_words[size_t(*a.found)]);
	if (!a.reach.length)
		return text;
	return text + ", " + std::to_string(a.reach.length) + " bytes from " + std::to_string(a.reach.offset) +
	       text_of(k, a.reach.axes[0], "x") + text_of(k, a.reach.axes[1], "y") + " on";
}

} // namespace

const char *word_for(format::target t)
{
	return size_t(t) < std::size(target_words) ? target_words[size_t(t)] : "";
}

format::target target_of(const std::string &word)
{
	for (size_t i = 1; i < std::size(target_words); i++)
		if (word == target_words[i])
			return format::target(i);
	throw std::runtime_error(word + " is no kind of image; these are: opencl, spirv, native, ptx, cubin");
}

std::string title_of(const image &i)
{
	std::string title = name_of(i.target);
	if (i.major)
		title += " " + std::to_string(i.major) + "." + std::to_string(i.minor);
	return i.name.empty() ? title : title + " for " + i.name;
}

json describe(const document &d)
{
	json kernels = json::array(), images = json::array();
	for (const kernel &k : d.kernels)
		kernels.push_back(describe(k));
	for (const image &i : d.images)
		images.push_back(describe(i));
	return {{"kernels", kernels}, {"images", images}};
}

void print(const document &d)
{
	for (const kernel &k : d.kernels) {
		std::string arguments;
		for (const argument &a : k.arguments)
			arguments += (arguments.empty() ? "" : ", ") + text_of(a);
		printf("kernel %s(%s)\n", k.name.c_str(), arguments.c_str());
		printf("\tsplit: %s, %s\n", split_words[size_t(k.split)], k.split_reason.c_str());
		if (k.split == format::split::unknown && !k.apart.empty())
			printf("\tsplit: safe in launches whose sizes keep what its groups use apart\n");
		for (const argument &a : k.arguments)
			if (a.found)
				printf("\t%s\n", reach_text(k, a).c_str());
	}
	for (size_t n = 0; n < d.images.size(); n++) {
		const image &i = d.images[n];
		auto what = i.bytes.empty() ? "not made: " + i.reason : std::to_string(i.bytes.size()) + " bytes";
		printf("image %zu: %s, %s\n", n + 1, title_of(i).c_str(), what.c_str());
	}
}

} // namespace tool::fat
