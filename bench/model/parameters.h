// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The parameters of a modelled machine have names, by which the command line and files set them.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace model
{

template <class Machine> struct named_parameter {
	const char *name;
	std::variant<double Machine::*, unsigned Machine::*, bool Machine::*> member;
	bool may_be_zero = false; // that a number may be; what is true or false always may
};

struct parameter {
	std::string name;
	double value;
};

// Sets what "name=value" says. Throws std::invalid_argument.
template <class Machine>
void set_parameter(Machine &m, std::span<const named_parameter<Machine>> all, const std::string &text)
{
	const size_t equals = text.find('=');
	const std::string name = text.substr(0, equals);
	const auto found = std::find_if(all.begin(), all.end(), [&](const auto &n) { return n.name == name; });
	if (equals == std::string::npos || found == all.end())
		throw std::invalid_argument("the machine has no parameter like " + text);
	size_t end = 0;
	double value = 0;
	try {
		value = std::stod(text.substr(equals + 1), &end);
	} catch (const std::exception &) {
		end = 0;
	}
	if (end == 0 || equals + 1 + end != text.size() || value < 0 || value > 1e9)
		throw std::invalid_argument("no number: " + text);
	if (value < 1e-9 && !found->may_be_zero && !std::holds_alternative<bool Machine::*>(found->member))
		throw std::invalid_argument("it can't be 0: " + text);
	std::visit([&](auto member) { m.*member = std::remove_reference_t<decltype(m.*member)>(value); },
		   found->member);
}

template <class Machine>
std::vector<parameter> parameters_of(const Machine &m, std::span<const named_parameter<Machine>> all)
{
	std::vector<parameter> values;
	for (const auto &n : all)
		values.push_back({n.name, std::visit([&](auto member) { return double(m.*member); }, n.member)});
	return values;
}

} // namespace model
