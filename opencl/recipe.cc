// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "recipe.h"

#include <cstring>

namespace hetcl
{

namespace
{

constexpr std::string_view magic = "HETRCP1\n";
// Libraries of libraries are not nested deeper.
constexpr unsigned deepest = 16;

void put(std::vector<char> &to, uint64_t n)
{
	const auto *bytes = reinterpret_cast<const char *>(&n);
	to.insert(to.end(), bytes, bytes + sizeof(n));
}

void put(std::vector<char> &to, const std::string &text)
{
	put(to, uint64_t{text.size()});
	to.insert(to.end(), text.begin(), text.end());
}

void put(std::vector<char> &to, const recipe &r)
{
	put(to, uint64_t{r.type});
	put(to, r.options);
	put(to, r.source);
	put(to, uint64_t{r.headers.size()});
	for (const auto &[name, header] : r.headers) {
		put(to, name);
		put(to, header);
	}
	put(to, uint64_t{r.parts.size()});
	for (const auto &part : r.parts)
		put(to, *part);
}

// Reads bytes that anybody may have written. What is not there is read as nothing, and makes it all wrong.
class reader
{
      public:
	explicit reader(std::span<const char> from) : left_(from) {}

	uint64_t number()
	{
		uint64_t n = 0;
		const std::span<const char> bytes = take(sizeof(n));
		if (!bytes.empty())
			memcpy(&n, bytes.data(), sizeof(n));
		return n;
	}
	std::string text()
	{
		const std::span<const char> bytes = take(number());
		return {bytes.begin(), bytes.end()};
	}
	std::shared_ptr<const recipe> all(unsigned depth = 0)
	{
		auto r = std::make_shared<recipe>();
		r->type = cl_program_binary_type(number());
		r->options = text();
		r->source = text();
		for (uint64_t n = number(); n && is_right_; n--) {
			std::string name = text();
			r->headers.emplace_back(std::move(name), text());
		}
		for (uint64_t n = number(); n && is_right_ && depth < deepest; n--)
			r->parts.push_back(all(depth + 1));
		is_right_ &= depth < deepest && has_form(*r);
		return r;
	}
	bool is_right() const { return is_right_ && left_.empty(); }

      private:
	static bool has_form(const recipe &r)
	{
		if (r.type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT)
			return r.parts.empty() && !r.source.empty();
		const bool is_linked =
			r.type == CL_PROGRAM_BINARY_TYPE_LIBRARY || r.type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
		return is_linked && !r.parts.empty();
	}
	std::span<const char> take(uint64_t n)
	{
		is_right_ &= n <= left_.size();
		if (!is_right_)
			return {};
		const std::span<const char> taken = left_.first(n);
		left_ = left_.subspan(n);
		return taken;
	}

	std::span<const char> left_;
	bool is_right_ = true;
};

int compile_by(const recipe &r, const _cl_device_id &d, build &b)
{
	std::vector<het_header> headers;
	for (const auto &[name, header] : r.headers)
		headers.push_back({name.c_str(), header.c_str()});
	const std::string text = text_for_drivers(r.source, d);
	het_program_args a = {};
	a.size = sizeof(a);
	a.flags = HET_PROGRAM_OBJECT;
	a.source = text.c_str();
	a.options = r.options.c_str();
	a.headers = headers.data();
	a.nheaders = headers.size();
	runtime_program made;
	const int err = make_program(a, made);
	return err ? err : build_for(d, made, r.options, r.type, b);
}

int link_by(const recipe &r, const _cl_device_id &d, build &b)
{
	std::vector<build> parts(r.parts.size());
	std::vector<het_program *> objects;
	for (size_t i = 0; i < parts.size(); i++) {
		if (int err = make_by(r.parts[i], d, parts[i]))
			return err;
		objects.push_back(parts[i].made.get());
	}
	het_program_args a = {};
	a.size = sizeof(a);
	a.options = r.options.c_str();
	a.objects = objects.data();
	a.nobjects = objects.size();
	runtime_program made;
	const int err = make_program(a, made);
	return err ? err : build_for(d, made, r.options, r.type, b);
}

} // namespace

std::vector<char> to_bytes(const recipe &r)
{
	std::vector<char> bytes(magic.begin(), magic.end());
	put(bytes, r);
	return bytes;
}

std::shared_ptr<const recipe> read_recipe(std::span<const char> bytes)
{
	if (bytes.size() < magic.size() || memcmp(bytes.data(), magic.data(), magic.size()) != 0)
		return nullptr;
	reader from(bytes.subspan(magic.size()));
	auto r = from.all();
	return from.is_right() ? r : nullptr;
}

int make_by(const std::shared_ptr<const recipe> &r, const _cl_device_id &d, build &b)
{
	const int err = r->parts.empty() ? compile_by(*r, d, b) : link_by(*r, d, b);
	b.how = err ? nullptr : r;
	return err;
}

} // namespace hetcl
