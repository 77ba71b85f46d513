// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "run/argument_text.h"

#include "run/numbers.h"

#include <algorithm>
#include <het.h>
#include <stdexcept>

namespace tool::run
{

const char argument_help[] = R"(Arguments, one --arg for each, in their order or by name: [NAME=]WHAT[,OPTION...]
  of a value:       its number; of a vector's all numbers, as 1:2:3:4; @FILE
  of local memory:  its bytes
  of an array:      zeros, index (0, 1, 2...), random or random:SEED, value:NUMBER, @FILE
Options of arrays:
  size=N            elements; else one a work-item, or what the file has
  type=NAME         of elements, where the kernel does not tell: float, uint4...
  access=read|write|both   what the kernel does, where its declaration says too much
  out=FILE          where what the kernel has made of it is written
  show=N            how many elements are printed (4)
Which elements a work-item uses, for launches on several devices, where the fat binary does not know:
  step=N            first element of work-item i: offset + i * step (1)
  offset=N          may be negative (0)
  length=N          elements (step)
  count=N,stride=N  so many such pieces, stride apart)";

namespace
{

uint32_t parse_access(const std::string &word)
{
	constexpr const char *words[] = {"read", "write", "both"};
	constexpr uint32_t meanings[] = {HET_READ_ONLY, HET_WRITE_ONLY, HET_READ_WRITE};
	for (size_t i = 0; i < 3; i++)
		if (word == words[i])
			return meanings[i];
	throw std::runtime_error("access=" + word + ": want read, write or both");
}

void parse_what(const std::string &text, argument_text &a)
{
	constexpr struct {
		const char *word;
		origin from;
	} made[] = {{"zeros", origin::zeros},
		    {"index", origin::index},
		    {"random", origin::random},
		    {"value", origin::value}};
	a.detail = text;
	if (text.starts_with('@')) {
		a.from = origin::file;
		a.detail.erase(0, 1);
		return;
	}
	size_t colon = std::min(text.find(':'), text.size());
	for (const auto &m : made) {
		if (text.substr(0, colon) != m.word)
			continue;
		a.from = m.from;
		a.detail.erase(0, colon + 1);
	}
	if ((a.from == origin::zeros || a.from == origin::index) && !a.detail.empty())
		throw std::runtime_error("nothing can stand behind " + text.substr(0, colon));
}

void parse_option(const std::string &name, const std::string &value, argument_text &a)
{
	if (name == "size")
		a.elements = parse_size(value, name);
	else if (name == "type")
		a.type = value;
	else if (name == "access")
		a.access = parse_access(value);
	else if (name == "out")
		a.out = value;
	else if (name == "show")
		a.show = parse_size(value, name);
	else if (name == "offset")
		a.offset = parse_distance(value, name);
	else if (name == "step")
		a.step = parse_size(value, name);
	else if (name == "length")
		a.length = parse_size(value, name);
	else if (name == "count")
		a.count = parse_size(value, name);
	else if (name == "stride")
		a.stride = parse_size(value, name);
	else
		throw std::runtime_error("there is no option " + name + "; --help lists them");
}

} // namespace

argument_text parse_argument(const std::string &text)
{
	argument_text a;
	auto parts = split(text, ',');
	if (size_t at = parts[0].find('='); at != std::string::npos && parts[0][0] != '@') {
		a.name = parts[0].substr(0, at);
		parts[0].erase(0, at + 1);
	}
	try {
		parse_what(parts[0], a);
		for (size_t i = 1; i < parts.size(); i++) {
			size_t at = parts[i].find('=');
			if (at == std::string::npos)
				throw std::runtime_error("\"" + parts[i] + "\" is no option: want NAME=VALUE");
			parse_option(parts[i].substr(0, at), parts[i].substr(at + 1), a);
		}
	} catch (const std::runtime_error &wrong) {
		throw std::runtime_error("--arg " + text + ": " + wrong.what());
	}
	return a;
}

} // namespace tool::run
