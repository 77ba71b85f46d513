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

json describe(const argument &a)
{
	json j = {{"name", a.name}, {"type", a.type}, {"space", space_words[size_t(a.space)]}, {"size", a.size}};
	if (a.access != format::access::none)
		j["access"] = access_words[size_t(a.access)];
	return j;
}

json describe(const kernel &k)
{
	json arguments = json::array();
	for (const argument &a : k.arguments)
		arguments.push_back(describe(a));
	return {{"name", k.name},
		{"arguments", arguments},
		{"split", {{"answer", split_words[size_t(k.split)]}, {"reason", k.split_reason}}}};
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
	}
	for (size_t n = 0; n < d.images.size(); n++) {
		const image &i = d.images[n];
		auto what = i.bytes.empty() ? "not made: " + i.reason : std::to_string(i.bytes.size()) + " bytes";
		printf("image %zu: %s, %s\n", n + 1, title_of(i).c_str(), what.c_str());
	}
}

} // namespace tool::fat
