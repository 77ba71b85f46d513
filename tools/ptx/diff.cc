// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/diff.h"

#include "ptx/lexer.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace tool
{

using namespace het::ptx;

namespace
{

struct line {
	std::string words;
	position at;
};

std::string words_of(const module &m, span s)
{
	lexer words(std::string_view(m.text).substr(0, s.end), s.begin);
	std::string out;
	uint32_t end = s.begin;
	for (token t = words.next(); t.kind != token_kind::end && t.kind != token_kind::bad; t = words.next()) {
		out += (t.text.begin > end ? " " : "") + std::string(m.str(t.text));
		end = t.text.end;
	}
	return out;
}

// The keys are functions, and the values their statements; "" is the module itself.
std::map<std::string, std::vector<line>> lines_of(const module &m)
{
	std::map<std::string, std::vector<line>> all;
	std::vector<const function *> inside(m.statements.size());
	for (const auto &f : m.functions)
		for (uint32_t i = f.first_statement; i < f.first_statement + f.statements; i++)
			inside[i] = &f;
	for (size_t i = 0; i < m.statements.size(); i++) {
		const auto &s = m.statements[i];
		auto name = inside[i] ? std::string(m.str(inside[i]->name)) : "";
		all[name].push_back({words_of(m, s.text), m.position_of(s.text.begin)});
	}
	return all;
}

// A change is what is taken away, and what is put in, on the shortest way from one list to the other (Myers' greedy
// algorithm).
struct change {
	bool added;
	size_t index;
};

std::vector<change> changes(const std::vector<line> &a, const std::vector<line> &b)
{
	long n = long(a.size()), m = long(b.size());
	std::vector<std::vector<long>> history;
	std::vector<long> reach(size_t(2 * (n + m) + 3), 0);
	auto at = [&](std::vector<long> &v, long k) -> long & { return v[size_t(k + n + m + 1)]; };
	auto down = [&](std::vector<long> &v, long d, long k) {
		return k == -d || (k != d && at(v, k - 1) < at(v, k + 1));
	};
	long d = 0;
	for (bool done = false; !done; d++) {
		history.push_back(reach);
		for (long k = -d; k <= d && !done; k += 2) {
			long x = down(reach, d, k) ? at(reach, k + 1) : at(reach, k - 1) + 1;
			while (x < n && x - k < m && a[size_t(x)].words == b[size_t(x - k)].words)
				x++;
			at(reach, k) = x;
			done = x >= n && x - k >= m;
		}
	}
	std::vector<change> out;
	for (long x = n, y = m, step = d - 1; step > 0; step--) {
		auto &v = history[size_t(step)];
		long k = x - y;
		bool added = down(v, step, k);
		long before = added ? k + 1 : k - 1;
		x = at(v, before);
		y = x - before;
		out.push_back({added, size_t(added ? y : x)});
	}
	std::reverse(out.begin(), out.end());
	return out;
}

bool print_changes(const std::string &name, const std::vector<line> &a, const std::vector<line> &b)
{
	auto all = changes(a, b);
	if (all.empty())
		return false;
	size_t added = size_t(std::count_if(all.begin(), all.end(), [](const change &c) { return c.added; }));
	printf("%s: %zu statements taken away, %zu added\n", name.empty() ? "outside of functions" : name.c_str(),
	       all.size() - added, added);
	for (const auto &c : all) {
		const line &l = c.added ? b[c.index] : a[c.index];
		printf("%c %5u  %s\n", c.added ? '+' : '-', l.at.line, l.words.c_str());
	}
	return true;
}

} // namespace

bool print_differences(const module &a, const module &b)
{
	auto before = lines_of(a), after = lines_of(b);
	for (const auto &[name, lines] : after)
		before.try_emplace(name);
	bool any = false;
	for (const auto &[name, lines] : before)
		any = print_changes(name, lines, after[name]) || any;
	return any;
}

} // namespace tool
