// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "run/argument.h"

#include "run/bytes.h"
#include "run/numbers.h"

#include <algorithm>
#include <stdexcept>

namespace tool::run
{

namespace
{

het_pattern pattern_of(const argument_text &t, size_t element_size)
{
	het_pattern p = {};
	p.size = sizeof(p);
	p.step = t.step.value_or(1) * element_size;
	p.offset = t.offset.value_or(0) * int64_t(element_size);
	p.length = t.length ? *t.length * element_size : p.step;
	p.count = t.count.value_or(1);
	p.stride = t.stride.value_or(0) * element_size;
	return p;
}

void bind_value(const argument_text &t, const het_argument_info &info, argument &a)
{
	a.kind = HET_ARG_VALUE;
	a.of = element_of(a.type, info.nbytes);
	if (t.from == origin::file) {
		a.bytes = read_file(t.detail);
		if (a.bytes.size() != info.nbytes)
			throw std::runtime_error(t.detail + " has " + std::to_string(a.bytes.size()) + " bytes, " +
						 a.type + " has " + std::to_string(info.nbytes));
		return;
	}
	if (t.from != origin::text)
		throw std::runtime_error("it is a value of type " + a.type + ": want a number or @FILE");
	auto numbers = split(t.detail, ':');
	if (a.of.has_numbers() && numbers.size() != a.of.numbers)
		throw std::runtime_error(a.type + " has " + std::to_string(a.of.numbers) + " numbers");
	a.bytes.resize(info.nbytes);
	for (size_t n = 0; n < numbers.size(); n++)
		store_number(a.of, numbers[n], a.bytes.data() + n * a.of.number_size);
}

void bind_local(const argument_text &t, argument &a)
{
	if (t.from != origin::text)
		throw std::runtime_error("it is local memory: want its number of bytes");
	a.kind = HET_ARG_LOCAL;
	a.local_bytes = parse_size(t.detail, "local memory");
}

void bind_range(const argument_text &t, const het_argument_info &info, uint64_t work_items, argument &a)
{
	a.kind = HET_ARG_RANGE;
	a.access = t.access ? t.access : info.access;
	a.of = t.type.empty() ? element_of(a.type, info.nbytes) : element_of(t.type, 0);
	a.bytes = make_bytes(t, a.of, work_items);
	if (t.has_pattern())
		a.pattern = pattern_of(t, a.of.size);
	a.out = t.out;
	a.show = t.show;
}

argument bind(const argument_text &t, const het_argument_info &info, uint64_t work_items)
{
	argument a;
	a.name = info.name;
	a.type = info.type;
	try {
		if (info.space == HET_SPACE_VALUE)
			bind_value(t, info, a);
		else if (info.space == HET_SPACE_LOCAL)
			bind_local(t, a);
		else if (info.space == HET_SPACE_GLOBAL || info.space == HET_SPACE_CONSTANT)
			bind_range(t, info, work_items, a);
		else
			throw std::runtime_error("images and samplers can't be made here");
	} catch (const std::runtime_error &wrong) {
		throw std::runtime_error("argument " + a.name + ": " + wrong.what());
	}
	return a;
}

std::string declaration(const het::kernel &k, uint32_t nargs)
{
	std::string text;
	for (uint32_t n = 0; n < nargs; n++) {
		const het_argument_info i = k.argument(n);
		text += std::string(n ? ", " : "") + i.type + " " + i.name;
	}
	return std::string(k.info().name) + "(" + text + ")";
}

} // namespace

std::vector<argument> bind_arguments(const het::kernel &k, const std::vector<std::string> &texts, uint64_t work_items)
{
	const uint32_t nargs = k.info().nargs;
	std::vector<const argument_text *> of(nargs);
	std::vector<argument_text> parsed;
	parsed.reserve(texts.size());
	for (const std::string &text : texts)
		parsed.push_back(parse_argument(text));
	auto name_of = [&](uint32_t n) { return std::string(k.argument(n).name); };
	for (const argument_text &t : parsed) {
		uint32_t n = 0;
		while (n < nargs && (t.name.empty() ? of[n] != nullptr : name_of(n) != t.name))
			n++;
		if (n == nargs || of[n])
			throw std::runtime_error(declaration(k, nargs) + ": " +
						 (t.name.empty() ? "there are more --arg than arguments"
						  : n == nargs   ? "no argument " + t.name
								 : "two --arg for " + t.name));
		of[n] = &t;
	}
	std::vector<argument> bound;
	for (uint32_t n = 0; n < nargs; n++) {
		if (!of[n])
			throw std::runtime_error(declaration(k, nargs) + ": there is no --arg for " + name_of(n));
		bound.push_back(bind(*of[n], k.argument(n), work_items));
	}
	return bound;
}

} // namespace tool::run
