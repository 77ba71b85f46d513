// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/conditions.h"

#include "fatbin/asked.h"
#include "fatbin/document.h"
#include "fatbin/tokens.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>

namespace tool::fat
{

namespace
{

using token = preprocessor_token;
using tokens = std::vector<token>;

constexpr const char *keywords[] = {
	"__LINE__",     "__FILE__",    "__VA_ARGS__",   "__VA_OPT__", "__func__",     "__FUNCTION__", "__kernel",
	"__global",     "__local",     "__constant",    "__private",  "__generic",    "__read_only",  "__write_only",
	"__read_write", "__attribute", "__attribute__", "__restrict", "__restrict__", "__inline",     "__inline__",
	"__const",      "__volatile",  "__volatile__",  "__signed",   "__signed__",   "__asm",        "__asm__",
	"__alignof",    "__alignof__", "__typeof",      "__typeof__", "__extension__"};

bool starts_with_any(const std::string &name, std::initializer_list<const char *> beginnings)
{
	return std::any_of(beginnings.begin(), beginnings.end(), [&](const char *b) { return name.starts_with(b); });
}

// Tells whether a compiler may have a macro of this name, other than the constants of the language, which are the same
// everywhere.
bool is_compilers(const std::string &name)
{
	return starts_with_any(name, {"_", "cl_", "cles_", "CL_", "FP_FAST_"}) && !name.starts_with("__builtin_") &&
	       std::find(std::begin(keywords), std::end(keywords), name) == std::end(keywords);
}

[[noreturn]] void refuse(const token &t, const std::string &what)
{
	throw std::runtime_error("line " + std::to_string(t.line) + " " + what);
}

// What options define or forbid is the same everywhere.
std::set<std::string> names_in_options(const std::string &options)
{
	std::set<std::string> all;
	std::istringstream words(options);
	for (std::string option; words >> option;) {
		bool is_macro = option.starts_with("-D") || option.starts_with("-U");
		if (option.starts_with("-include"))
			throw std::runtime_error("an option includes a file, which is read where it is compiled");
		if (is_macro && option.size() == 2)
			words >> option;
		else if (is_macro)
			option.erase(0, 2);
		if (is_macro)
			all.insert(option.substr(0, option.find_first_of("=(")));
	}
	return all;
}

class asking
{
      public:
	explicit asking(const std::string &options) : settled_(names_in_options(options)) {}

	// Reads a line of the preprocessor's, behind its #.
	void take_directive(const token *at, const token *end);
	void take_text(const token &t)
	{
		if (t.is == t.name && is_compilers(t.text))
			ask(t.text, true);
		has_paste_ = has_paste_ || t.is == t.paste;
	}
	asked_macros all(const tokens &of) const;

      private:
	void ask(const std::string &name, bool is_value)
	{
		if (!settled_.contains(name))
			all_[name] |= is_value;
	}
	void take_condition(const token *at, const token *end);

	const std::set<std::string> settled_;
	asked_macros all_;
	bool has_paste_ = false;
};

void asking::take_condition(const token *at, const token *end)
{
	for (bool is_defined = false; at != end; ++at) {
		if (at->is == at->open)
			continue;
		if (at->is == at->name && at->text != "defined")
			ask(at->text, !is_defined);
		is_defined = at->is == at->name && at->text == "defined";
	}
}

void asking::take_directive(const token *at, const token *end)
{
	const std::string word = at != end ? at->text : "";
	if (at != end)
		++at;
	if (starts_with_any(word, {"include", "import", "embed"}))
		refuse(at[-1], "includes a file, which is read where it is compiled");
	if (word == "if" || word == "elif")
		return take_condition(at, end);
	bool is_name = at != end && at->is == at->name;
	if (starts_with_any(word, {"if", "elif"}) && is_name)
		return ask(at->text, false);
	if (word == "pragma" || word == "error" || word == "warning")
		return;
	// Whatever the compiler says of it, it is over now.
	if ((word == "define" || word == "undef") && is_name)
		++at;
	for (; at != end; ++at)
		take_text(*at);
}

// Names that are put together are not seen.
asked_macros asking::all(const tokens &of) const
{
	for (const token &t : of)
		if (has_paste_ && t.is == t.name && is_compilers(t.text))
			refuse(t, "names " + t.text + " in a source that puts names together");
	return all_;
}

} // namespace

asked_macros find_asked_macros(const std::string &source, const std::string &options)
{
	const tokens all = tokens_of(source, options);
	asking found(options);
	for (size_t i = 0; i < all.size();) {
		if (all[i].is != token::hash || !all[i].begins_line) {
			found.take_text(all[i++]);
			continue;
		}
		size_t end = i + 1;
		while (end < all.size() && !all[end].begins_line)
			end++;
		found.take_directive(all.data() + i + 1, all.data() + end);
		i = end;
	}
	return found.all(all);
}

std::string text_of_checks(const std::string &asked)
{
	std::string text(format::most_checks(asked.size()), ' ');
	text.resize(format::write_checks(asked.c_str(), text.data()));
	return text;
}

} // namespace tool::fat
