// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_windows.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace het::rt
{

namespace
{

constexpr size_t longest_argument_type = 128;

struct argument_of_kernel {
	cl_kernel_arg_address_qualifier where = 0;
	cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
	char type[longest_argument_type] = "";
};

bool find_argument(const opencl_calls &cl, cl_kernel k, cl_uint i, argument_of_kernel &a)
{
	auto is_told = [&](cl_uint what, size_t size, void *answer) {
		return cl.get_kernel_arg_info(k, i, what, size, answer, nullptr) == CL_SUCCESS;
	};
	return cl.get_kernel_arg_info && is_told(CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(a.where), &a.where) &&
	       is_told(CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(a.access), &a.access) &&
	       is_told(CL_KERNEL_ARG_TYPE_NAME, sizeof(a.type), a.type);
}

bool is_memory(const argument_of_kernel &a)
{
	return a.access == CL_KERNEL_ARG_ACCESS_NONE &&
	       (a.where == CL_KERNEL_ARG_ADDRESS_GLOBAL || a.where == CL_KERNEL_ARG_ADDRESS_CONSTANT);
}

const char *space_of(const argument_of_kernel &a)
{
	switch (a.where) {
	case CL_KERNEL_ARG_ADDRESS_GLOBAL:
		return "__global ";
	case CL_KERNEL_ARG_ADDRESS_CONSTANT:
		return "__constant ";
	case CL_KERNEL_ARG_ADDRESS_LOCAL:
		return "__local ";
	default:
		return "";
	}
}

const char *access_of(const argument_of_kernel &a)
{
	switch (a.access) {
	case CL_KERNEL_ARG_ACCESS_READ_ONLY:
		return "__read_only ";
	case CL_KERNEL_ARG_ACCESS_WRITE_ONLY:
		return "__write_only ";
	case CL_KERNEL_ARG_ACCESS_READ_WRITE:
		return "__read_write ";
	default:
		return "";
	}
}

// The kernel of ours, of a parameter after the other.
class wrapper
{
      public:
	// It is passed as it is; @declared has its type.
	void pass(const std::string &declared)
	{
		const std::string own = next();
		taken_ += declared + " " + own;
		passed_ += own;
	}
	void shift(const std::string &space, const std::string &type)
	{
		const std::string own = next();
		taken_ += space + "char *" + own;
		passed_ += "(" + type + ")((size_t)" + own + " + (size_t)" + own + "_shift)";
		shifts_ += ", ulong " + own + "_shift";
		count_++;
	}
	window_text end(const std::string &name) const
	{
		return {std::string("\n__kernel void ") + window_prefix + name + "(" + taken_ + shifts_ + ")\n{\n\t" +
				name + "(" + passed_ + ");\n}\n",
			count_};
	}

      private:
	std::string next()
	{
		if (number_) {
			taken_ += ", ";
			passed_ += ", ";
		}
		return "het_" + std::to_string(number_++);
	}

	std::string taken_, shifts_, passed_;
	unsigned number_ = 0, count_ = 0;
};

bool is_of_word(char c)
{
	return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string_view trim(std::string_view s)
{
	const size_t begin = s.find_first_not_of(" \t\r\n");
	return begin == s.npos ? std::string_view{} : s.substr(begin, s.find_last_not_of(" \t\r\n") - begin + 1);
}

bool has_word(std::string_view s, std::string_view word)
{
	for (size_t at = s.find(word); at != s.npos; at = s.find(word, at + 1)) {
		const size_t end = at + word.size();
		if ((!at || !is_of_word(s[at - 1])) && (end == s.size() || !is_of_word(s[end])))
			return true;
	}
	return false;
}

// Finds what stands between the parentheses behind the kernel's name, wherever that is declared. It is false if that is
// not plain, or not the same everywhere: a comment may have another one.
bool find_parameters(std::string_view program, std::string_view name, std::string_view &list)
{
	bool found = false;
	for (size_t at = program.find(name); at != program.npos; at = program.find(name, at + 1)) {
		const std::string_view before = trim(program.substr(0, at)), behind = program.substr(at + name.size());
		const size_t open = behind.find_first_not_of(" \t\r\n");
		const bool is_it =
			before.ends_with("void") && before.size() < at && open != behind.npos && behind[open] == '(';
		if (!is_it)
			continue;
		const size_t close = behind.find(')', open);
		if (close == behind.npos)
			return false;
		const std::string_view here = behind.substr(open + 1, close - open - 1);
		if ((found && here != list) || here.find_first_of("([/#") != here.npos)
			return false;
		list = here;
		found = true;
	}
	return found;
}

// It is false if the parameter has no name.
bool add_parameter(std::string_view p, wrapper &w)
{
	size_t name = p.size();
	while (name && is_of_word(p[name - 1]))
		name--;
	std::string type(trim(p.substr(0, name)));
	if (name == p.size() || type.empty())
		return false;
	for (const char *word : {"__restrict__", "__restrict", "restrict"}) {
		if (type.ends_with(word))
			type.resize(type.size() - strlen(word));
	}
	const bool is_constant = has_word(type, "constant") || has_word(type, "__constant");
	const bool is_global = has_word(type, "global") || has_word(type, "__global");
	if (!type.ends_with('*') && !trim(type).ends_with('*'))
		w.pass(type);
	else if (is_global || is_constant)
		w.shift(is_constant ? "__constant " : "__global ", type);
	else
		w.pass(type);
	return true;
}

} // namespace

bool make_window_text(std::string_view program, std::string_view name, window_text &made)
{
	std::string_view list;
	if (!find_parameters(program, name, list))
		return false;
	wrapper w;
	for (size_t begin = 0; begin <= list.size();) {
		const size_t end = std::min(list.find(',', begin), list.size());
		if (!add_parameter(trim(list.substr(begin, end - begin)), w))
			return false;
		begin = end + 1;
	}
	made = w.end(std::string(name));
	return true;
}

bool make_window_text(const opencl_calls &cl, cl_kernel k, const char *name, window_text &made)
{
	cl_uint n = 0;
	ask(cl.get_kernel_info, k, CL_KERNEL_NUM_ARGS, n);
	wrapper w;
	for (cl_uint i = 0; i < n; i++) {
		argument_of_kernel a;
		if (!find_argument(cl, k, i, a))
			return false;
		const std::string space = space_of(a);
		if (is_memory(a))
			w.shift(space, space + a.type);
		else
			w.pass(access_of(a) + space + a.type);
	}
	made = w.end(name);
	return true;
}

} // namespace het::rt
