// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// json is a JSON value in front of nlohmann's library, which reads and writes its text: that library's header adds
// seconds of compiling to every file that sees it, and so only text.cc does. The spelling is the library's. Objects
// keep the order in which their members came.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace het
{

class json
{
      public:
	struct member;
	// Says what is wrong with a text, or with the use of a value as something that it is not.
	struct error : std::runtime_error {
		using runtime_error::runtime_error;
	};

	json(); // makes null
	json(std::nullptr_t) : json() {}
	json(std::initializer_list<member> members); // makes an object: {{"name", 1}, {"other", "text"}}
	json(const char *text);
	json(std::string_view text);
	json(std::string text);
	json(double number);
	template <std::integral T> json(T number) : json()
	{
		if constexpr (std::same_as<T, bool>)
			set_boolean(number);
		else if constexpr (std::signed_integral<T>)
			set_integer(number);
		else
			set_natural(number);
	}
	template <typename T> json(const std::vector<T> &elements) : json(array())
	{
		for (const T &e : elements)
			push_back(json(e));
	}
	static json array();
	static json object();

	json(const json &other);
	json(json &&other) noexcept;
	json &operator=(const json &other);
	json &operator=(json &&other) noexcept;
	~json();

	bool is_null() const;
	bool is_object() const;
	bool is_string() const;
	bool is_number() const;
	friend bool operator==(const json &a, const json &b);

	// Returns the value as a T, which may be bool, a number that can hold it, std::string, or a vector of these.
	// Throws if the value is none.
	template <typename T> T get() const
	{
		if constexpr (std::same_as<T, bool>) {
			return boolean();
		} else if constexpr (std::floating_point<T>) {
			return T(number());
		} else if constexpr (std::integral<T>) {
			return T(integer(int64_t(std::numeric_limits<T>::min()),
					 uint64_t(std::numeric_limits<T>::max())));
		} else if constexpr (std::same_as<T, std::string>) {
			return text();
		} else {
			T all;
			for (const json &e : *this)
				all.push_back(e.get<typename T::value_type>());
			return all;
		}
	}

	// Returns what the value says; throws if it is neither true nor false.
	explicit operator bool() const { return boolean(); }

	// Members of an object are found by name. A null becomes an object when it is given one. A reference to a
	// member lasts until another is made.
	json &operator[](std::string_view name);             // makes it if there is none
	const json &operator[](std::string_view name) const; // returns null if there is none
	const json &at(std::string_view name) const;         // throws if there is none
	bool contains(std::string_view name) const;
	void update(const json &other); // adds the members of @other, or puts them in the place of ours
	const std::vector<member> &items() const;

	// Elements of an array are found by index. A null has none, and becomes an array when it is given one.
	const json &operator[](size_t index) const;
	void push_back(json element);
	const json *begin() const;
	const json *end() const;

	// Counts those of an array or an object.
	size_t size() const;
	bool empty() const { return size() == 0; }

	// Returns it as text: on one line, or indented by copies of @indent, which is one character or some like it.
	std::string dump(std::string_view indent = "") const;
	// Throws with what is wrong, and where.
	static json parse(std::string_view text);

      private:
	using elements = std::vector<json>;
	using members = std::vector<member>;
	friend class json_text;

	void set_boolean(bool b);
	void set_integer(int64_t n);
	void set_natural(uint64_t n);
	bool boolean() const;
	double number() const;
	uint64_t integer(int64_t least, uint64_t most) const; // in two's complement
	const std::string &text() const;
	const json *find(std::string_view name) const;

	// A number without sign, fraction or exponent is the uint64_t, so that equal numbers are equal.
	std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, elements, members> value_;
};

struct json::member {
	std::string name;
	json value;
	friend bool operator==(const member &, const member &) = default;
};

} // namespace het
