// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "json/json.h"

#include <algorithm>

namespace het
{

namespace
{

const json nothing;

} // namespace

json::json() = default;
json::json(const json &other) = default;
json::json(json &&other) noexcept = default;
json &json::operator=(const json &other) = default;
json &json::operator=(json &&other) noexcept = default;
json::~json() = default;

json::json(std::initializer_list<member> list) : value_(members(list)) {}
json::json(const char *text) : value_(std::string(text)) {}
json::json(std::string_view text) : value_(std::string(text)) {}
json::json(std::string text) : value_(std::move(text)) {}
json::json(double number) : value_(number) {}

json json::array()
{
	json j;
	j.value_ = elements();
	return j;
}

json json::object()
{
	json j;
	j.value_ = members();
	return j;
}

void json::set_boolean(bool b)
{
	value_ = b;
}

void json::set_integer(int64_t n)
{
	if (n < 0)
		value_ = n;
	else
		set_natural(uint64_t(n));
}

void json::set_natural(uint64_t n)
{
	value_ = n;
}

bool json::is_null() const
{
	return std::holds_alternative<std::monostate>(value_);
}

bool json::is_object() const
{
	return std::holds_alternative<members>(value_);
}

bool json::is_string() const
{
	return std::holds_alternative<std::string>(value_);
}

bool json::is_number() const
{
	return std::holds_alternative<uint64_t>(value_) || std::holds_alternative<int64_t>(value_) ||
	       std::holds_alternative<double>(value_);
}

bool operator==(const json &a, const json &b)
{
	return a.value_ == b.value_;
}

bool json::boolean() const
{
	if (auto b = std::get_if<bool>(&value_))
		return *b;
	throw error("not true or false: " + dump());
}

double json::number() const
{
	if (auto d = std::get_if<double>(&value_))
		return *d;
	if (auto n = std::get_if<uint64_t>(&value_))
		return double(*n);
	if (auto n = std::get_if<int64_t>(&value_))
		return double(*n);
	throw error("not a number: " + dump());
}

uint64_t json::integer(int64_t least, uint64_t most) const
{
	if (auto n = std::get_if<uint64_t>(&value_); n && *n <= most)
		return *n;
	if (auto n = std::get_if<int64_t>(&value_); n && *n >= least)
		return uint64_t(*n);
	throw error("not a whole number, or too large a one: " + dump());
}

const std::string &json::text() const
{
	if (auto s = std::get_if<std::string>(&value_))
		return *s;
	throw error("not a text: " + dump());
}

const std::vector<json::member> &json::items() const
{
	static const members none;
	if (is_null())
		return none;
	if (auto all = std::get_if<members>(&value_))
		return *all;
	throw error("not an object: " + dump());
}

const json *json::find(std::string_view name) const
{
	const members &all = items();
	auto it = std::find_if(all.begin(), all.end(), [&](const member &m) { return m.name == name; });
	return it == all.end() ? nullptr : &it->value;
}

json &json::operator[](std::string_view name)
{
	if (const json *found = find(name))
		return const_cast<json &>(*found);
	if (is_null())
		value_ = members();
	return std::get<members>(value_).emplace_back(member{std::string(name), {}}).value;
}

const json &json::operator[](std::string_view name) const
{
	const json *found = find(name);
	return found ? *found : nothing;
}

const json &json::at(std::string_view name) const
{
	if (const json *found = find(name))
		return *found;
	throw error("there is no \"" + std::string(name) + "\" in " + dump());
}

bool json::contains(std::string_view name) const
{
	return find(name) != nullptr;
}

void json::update(const json &other)
{
	for (const auto &[name, value] : other.items())
		(*this)[name] = value;
}

void json::push_back(json element)
{
	if (is_null())
		value_ = elements();
	auto all = std::get_if<elements>(&value_);
	if (!all)
		throw error("not an array: " + dump());
	all->push_back(std::move(element));
}

const json *json::begin() const
{
	if (is_null())
		return nullptr;
	if (auto all = std::get_if<elements>(&value_))
		return all->data();
	throw error("not an array: " + dump());
}

const json *json::end() const
{
	return begin() + size();
}

const json &json::operator[](size_t index) const
{
	if (index < size())
		return begin()[index];
	throw error("there is no element " + std::to_string(index) + " in " + dump());
}

size_t json::size() const
{
	if (auto all = std::get_if<elements>(&value_))
		return all->size();
	return items().size();
}

} // namespace het
