// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/run.h"

#include "ptx/given.h"
#include "ptx/input.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace tool
{

using namespace het::ptx;
using namespace het::ptx::simt;

namespace
{

// Reads X[,Y[,Z]].
bool read_extent(std::string_view text, extent *out)
{
	uint32_t *numbers[] = {&out->x, &out->y, &out->z};
	for (uint32_t *n : numbers) {
		size_t comma = text.find(',');
		if (!number(text.substr(0, comma), n))
			return false;
		if (comma == text.npos)
			return true;
		text.remove_prefix(comma + 1);
	}
	return false;
}

const code *choose_kernel(const program &p, const std::string &name)
{
	const code *found = nullptr;
	unsigned kernels = 0;
	for (const code &c : p.codes()) {
		if (c.builtin != builtin::none || !c.head->is_entry || (!name.empty() && c.name != name))
			continue;
		found = &c;
		kernels++;
	}
	if (kernels == 1 || (found && !name.empty()))
		return found;
	fprintf(stderr, "het-ptx: %s\n",
		!name.empty()  ? ("there is no kernel " + name).c_str()
		: kernels == 0 ? "there is no kernel"
			       : "there are several kernels: say which with --kernel");
	return nullptr;
}

bool lay_out(const code &kernel, std::vector<given> *all, memory *mem, std::vector<uint8_t> *out)
{
	if (all->size() != kernel.parameters.size()) {
		fprintf(stderr, "het-ptx: the kernel has %zu parameters, not %zu\n", kernel.parameters.size(),
			all->size());
		return false;
	}
	for (size_t i = 0; i < all->size(); i++) {
		const argument &place = kernel.parameters[i];
		auto bytes = attach(&(*all)[i], mem, "argument " + std::to_string(i + 1));
		if (bytes.size() != place.bytes) {
			fprintf(stderr, "het-ptx: parameter %zu has %u bytes, not %zu\n", i + 1, place.bytes,
				bytes.size());
			return false;
		}
		out->resize(place.offset + place.bytes);
		memcpy(out->data() + place.offset, bytes.data(), place.bytes);
	}
	return true;
}

// --set gives a variable of the modules this.
struct setting {
	std::string name;
	given to;
};

bool read_setting(const std::string &text, setting *out)
{
	size_t equals = text.find('=');
	if (equals == text.npos) {
		fprintf(stderr, "het-ptx: --set %s: expected NAME=KIND:VALUE\n", text.c_str());
		return false;
	}
	out->name = text.substr(0, equals);
	return read_argument(text.substr(equals + 1), &out->to);
}

bool set_variable(const program &p, setting *s, memory *mem)
{
	auto variable = p.variable(s->name);
	auto bytes = attach(&s->to, mem, "what " + s->name + " points to");
	if (!variable.address) {
		fprintf(stderr, "het-ptx: there is no variable %s\n", s->name.c_str());
		return false;
	}
	if (bytes.size() > variable.bytes) {
		fprintf(stderr, "het-ptx: variable %s has %llu bytes, not %zu\n", s->name.c_str(),
			static_cast<unsigned long long>(variable.bytes), bytes.size());
		return false;
	}
	return mem->write(variable.address, bytes.data(), bytes.size());
}

template <typename T> json values_as(const std::vector<uint8_t> &bytes)
{
	json all = json::array();
	for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
		T v;
		memcpy(&v, &bytes[at], sizeof(T));
		all.push_back(v);
	}
	return all;
}

json values_of(const given &g)
{
	switch (g.shown) {
	case type::u8:
		return values_as<uint8_t>(g.buffer);
	case type::s8:
		return values_as<int8_t>(g.buffer);
	case type::u16:
		return values_as<uint16_t>(g.buffer);
	case type::s16:
		return values_as<int16_t>(g.buffer);
	case type::s32:
		return values_as<int32_t>(g.buffer);
	case type::u64:
		return values_as<uint64_t>(g.buffer);
	case type::s64:
		return values_as<int64_t>(g.buffer);
	case type::f32:
		return values_as<float>(g.buffer);
	case type::f64:
		return values_as<double>(g.buffer);
	default:
		return values_as<uint32_t>(g.buffer);
	}
}

json sites_of(const program &p, const counts &c)
{
	json all = json::array();
	for (const auto &s : c.sites) {
		const code &f = p.codes()[s.function];
		const auto &statement = f.source->statements[s.statement];
		json one = {{"function", f.name},
			    {"line", f.source->position_of(statement.text.begin).line},
			    {"instruction", f.source->str(statement.text)},
			    {"warps", s.warps},
			    {"threads", s.threads}};
		if (s.divergent)
			one["divergent"] = s.divergent;
		if (s.lines) {
			one["lines"] = s.lines;
			one["pages"] = s.pages;
		}
		if (s.shared)
			one["bank_passes"] = s.passes;
		all.push_back(one);
	}
	return all;
}

json report_of(const program &p, const outcome &o, const std::vector<given> &all, double seconds)
{
	json r;
	if (o.error)
		r["error"] = o.error->describe();
	r["findings"] = json::array();
	for (const auto &f : o.findings)
		r["findings"].push_back({{"what", f.first.describe()}, {"times", f.times}});
	r["warp_instructions"] = o.counts.warp_instructions;
	r["thread_instructions"] = o.counts.thread_instructions;
	r["branches"] = o.counts.branches;
	r["divergent_branches"] = o.counts.divergent_branches;
	r["seconds"] = seconds;
	if (!o.counts.sites.empty()) {
		r["pages_written"] = o.counts.written_pages.size();
		r["pages_read"] = o.counts.read_pages.size();
		r["instructions"] = sites_of(p, o.counts);
	}
	r["buffers"] = json::array();
	for (size_t i = 0; i < all.size(); i++)
		for_buffers(all[i], [&](const given &g) {
			if (g.shown != type::none)
				r["buffers"].push_back({{"argument", i + 1}, {"values", values_of(g)}});
		});
	return r;
}

void print_sites(const json &sites)
{
	printf("\n%8s %10s %9s %8s %8s %6s  %s\n", "warps", "threads", "divergent", "lines", "pages", "banks",
	       "instruction");
	for (const json &s : sites) {
		auto text = s["instruction"].get<std::string>();
		for (char &c : text)
			c = c == '\n' || c == '\t' ? ' ' : c;
		auto field = [&](const char *name) { return s.contains(name) ? s[name].dump() : std::string(); };
		printf("%8s %10s %9s %8s %8s %6s  %s:%s: %s\n", field("warps").c_str(), field("threads").c_str(),
		       field("divergent").c_str(), field("lines").c_str(), field("pages").c_str(),
		       field("bank_passes").c_str(), s["function"].get<std::string>().c_str(), field("line").c_str(),
		       text.c_str());
	}
}

void print_report(const json &r)
{
	for (const json &b : r["buffers"]) {
		printf("argument %s:", b["argument"].dump().c_str());
		for (const json &v : b["values"])
			printf(" %s", v.dump().c_str());
		printf("\n");
	}
	for (const json &f : r["findings"])
		printf("found: %s (%s times)\n", f["what"].get<std::string>().c_str(), f["times"].dump().c_str());
	if (r.contains("error"))
		printf("error: %s\n", r["error"].get<std::string>().c_str());
	auto seconds = r["seconds"].get<double>(), threads = r["thread_instructions"].get<double>();
	printf("%s instructions of warps, %s of threads, in %.3f s (%.0f million a second); %s of %s branches "
	       "diverged\n",
	       r["warp_instructions"].dump().c_str(), r["thread_instructions"].dump().c_str(), seconds,
	       seconds > 0 ? threads / seconds / 1e6 : 0, r["divergent_branches"].dump().c_str(),
	       r["branches"].dump().c_str());
	if (r.contains("instructions")) {
		printf("64 KiB pages: %s written, %s read\n", r["pages_written"].dump().c_str(),
		       r["pages_read"].dump().c_str());
		print_sites(r["instructions"]);
	}
}

} // namespace

int run(std::vector<module> modules, const run_request &request, bool as_json)
{
	launch l;
	std::vector<given> all(request.arguments.size());
	for (size_t i = 0; i < all.size(); i++)
		if (!read_argument(request.arguments[i], &all[i]))
			return 2;
	std::vector<setting> settings(request.variables.size());
	for (size_t i = 0; i < settings.size(); i++)
		if (!read_setting(request.variables[i], &settings[i]))
			return 2;
	if (!read_extent(request.grid, &l.grid) || !read_extent(request.block, &l.block)) {
		fprintf(stderr, "het-ptx: a grid and a block have one to three numbers\n");
		return 2;
	}
	memory mem;
	mem.track_definedness(request.with.check_defined);
	program p(mem);
	if (auto wrong = p.load(std::move(modules))) {
		fprintf(stderr, "het-ptx: %s\n", wrong->describe().c_str());
		return 2;
	}
	l.kernel = choose_kernel(p, request.kernel);
	l.shared_bytes = request.shared_bytes;
	if (!l.kernel || !lay_out(*l.kernel, &all, &mem, &l.parameters))
		return 2;
	for (setting &v : settings)
		if (!set_variable(p, &v, &mem))
			return 2;
	options with = request.with;
	with.print = [&](std::string_view s) { (as_json ? std::cerr : std::cout) << s; };
	auto begin = std::chrono::steady_clock::now();
	auto outcome = simt::run(p, l, with);
	double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
	std::cout.flush();
	bool written = true;
	auto write = [&](const given &g) {
		std::string_view bytes(reinterpret_cast<const char *>(g.buffer.data()), g.buffer.size());
		if (!g.written_to.empty() && !outcome.error)
			written = write_file(g.written_to, bytes) && written;
	};
	for (const auto &g : all)
		for_buffers(g, write);
	for (const auto &v : settings)
		for_buffers(v.to, write);
	if (!written)
		return 2;
	json report = report_of(p, outcome, all, seconds);
	if (as_json)
		std::cout << report.dump("  ") << '\n';
	else
		print_report(report);
	return outcome.error || !outcome.findings.empty() ? 1 : 0;
}

} // namespace tool
