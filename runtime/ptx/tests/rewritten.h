// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The tests apply passes to texts with these.
#pragma once

#include "device.h"
#include "ptx/editor.h"
#include "ptx/passes/pass.h"

namespace het::ptx
{

using pass_list = std::vector<std::string>;

// Applies the passes in order, and returns the first refusal, or the text.
inline pass_result rewrite(std::string text, const pass_list &passes, const pass_options &with = {})
{
	pass_result out;
	out.text = std::move(text);
	for (const auto &name : passes) {
		SCOPED_TRACE("before " + name + ":\n" + out.text);
		out = find_pass(name)->apply(simt::parsed(out.text), with);
		if (out.refused)
			break;
	}
	return out;
}

inline std::string rewritten(std::string text, const pass_list &passes, const pass_options &with = {})
{
	auto out = rewrite(std::move(text), passes, with);
	EXPECT_FALSE(out.refused) << out.refused->describe();
	return out.text;
}

inline std::string refusal(std::string text, const pass_list &passes, const pass_options &with = {})
{
	auto out = rewrite(std::move(text), passes, with);
	return out.refused ? out.refused->describe() : "accepted";
}

inline bool says(const std::string &what, std::string_view why)
{
	return what.find(why) != what.npos;
}

// Returns the text with only those kernels that @keep wants.
template <typename F> std::string some_kernels(const std::string &text, F keep)
{
	auto m = simt::parsed(text);
	editor e(m);
	for (const auto &f : m.functions)
		if (f.is_entry && !keep(m.str(f.name)))
			e.replace({m.statements[f.statement].text.begin, f.body.end}, "");
	return e.print();
}

// The kernel that goes on with what was saved of it comes along.
inline std::string only_kernel(const std::string &text, std::string_view name)
{
	auto resumed = std::string(name) + std::string(resumed_suffix);
	return some_kernels(text, [&](std::string_view one) { return one == name || one == resumed; });
}

inline std::string without_kernel(const std::string &text, std::string_view name)
{
	return some_kernels(text, [&](std::string_view one) { return one != name; });
}

} // namespace het::ptx
