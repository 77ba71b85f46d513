// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads and writes the text of values with nlohmann's library. No other file sees its header.
#include "json/json.h"

#include <nlohmann/json.hpp>

namespace het
{

using document = nlohmann::ordered_json;

// Goes between our values and those of the library.
class json_text
{
      public:
	static document from(const json &value)
	{
		return std::visit([](const auto &v) { return from_alternative(v); }, value.value_);
	}
	static json to(const document &d);

      private:
	template <typename T> static document from_alternative(const T &plain) { return plain; }
	static document from_alternative(std::monostate) { return nullptr; }
	static document from_alternative(const json::elements &all)
	{
		document d = document::array();
		for (const json &e : all)
			d.push_back(from(e));
		return d;
	}
	static document from_alternative(const json::members &all)
	{
		document d = document::object();
		for (const auto &[name, value] : all)
			d[name] = from(value);
		return d;
	}
};

json json_text::to(const document &d)
{
	switch (d.type()) {
	case document::value_t::boolean:
		return d.get<bool>();
	case document::value_t::number_integer:
		return d.get<int64_t>();
	case document::value_t::number_unsigned:
		return d.get<uint64_t>();
	case document::value_t::number_float:
		return d.get<double>();
	case document::value_t::string:
		return d.get<std::string>();
	case document::value_t::array: {
		json all = json::array();
		for (const document &e : d)
			all.push_back(to(e));
		return all;
	}
	case document::value_t::object: {
		json all = json::object();
		for (const auto &[name, value] : d.items())
			all[name] = to(value);
		return all;
	}
	default:
		return nullptr;
	}
}

std::string json::dump(std::string_view indent) const
{
	document d = json_text::from(*this);
	return d.dump(indent.empty() ? -1 : int(indent.size()), indent.empty() ? ' ' : indent[0], false,
		      document::error_handler_t::replace);
}

json json::parse(std::string_view text)
{
	// Values inside each other must not exhaust the stack.
	constexpr int most_depth = 500;
	auto limit = [](int depth, document::parse_event_t, document &) {
		if (depth > most_depth)
			throw error("JSON: more than 500 values inside each other");
		return true;
	};
	try {
		return json_text::to(document::parse(text, limit));
	} catch (const document::exception &e) {
		throw error(e.what());
	}
}

} // namespace het
