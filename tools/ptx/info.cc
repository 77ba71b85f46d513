// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/info.h"

#include "base/process.h"
#include "ptx/passes/pass.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <unistd.h>

namespace tool
{

using namespace het::ptx;

namespace
{

const char *name_of_space(enum space s)
{
	constexpr const char *names[] = {"generic", "reg",   "sreg",   "const", "global",
					 "local",   "param", "shared", "tex"};
	return names[size_t(s)];
}

bool uses_memory(std::string_view base)
{
	for (auto name : {"ld", "ldu", "st", "atom", "red"})
		if (base == name)
			return true;
	return false;
}

json parameters_of(const module &m, const function &f)
{
	json all = json::array();
	for (uint32_t i = f.first_parameter; i < f.first_parameter + f.parameters; i++) {
		const variable &v = m.variables[i];
		json p = {{"name", m.str(v.name)}, {"type", name_of(v.type)}, {"bytes", v.bytes()}};
		if (!v.pointer_space.empty())
			p["points_to"] = m.str(v.pointer_space).substr(1);
		all.push_back(p);
	}
	return all;
}

json describe(const module &m, const function &f)
{
	std::map<std::string_view, unsigned> mix;
	std::map<std::string, unsigned> memory;
	unsigned instructions = 0, barriers = 0, calls = 0, indirect = 0;
	for (const statement &s : m.statements_of(f)) {
		if (s.kind != statement::kind_t::instruction)
			continue;
		mnemonic op(m.str(m.instructions[s.index].opcode));
		instructions++;
		mix[op.base()]++;
		if (uses_memory(op.base()) && op.state_space() != space::param)
			memory[name_of_space(op.state_space())]++;
		barriers += op.base() == "bar" || op.base() == "barrier";
		if (op.base() != "call")
			continue;
		calls++;
		const auto &call = m.instructions[s.index];
		uint32_t callee = call.operands && m.operand_of(call, 0).kind == operand::kind_t::group ? 1 : 0;
		indirect += callee < call.operands && m.str(m.operand_of(call, callee)).starts_with('%');
	}
	std::vector<std::pair<unsigned, std::string_view>> by_count;
	for (auto [name, n] : mix)
		by_count.push_back({n, name});
	std::stable_sort(by_count.begin(), by_count.end(), [](auto &a, auto &b) { return a.first > b.first; });
	json out = {{"name", m.str(f.name)},
		    {"kind", f.is_entry ? "kernel" : "function"},
		    {"parameters", parameters_of(m, f)},
		    {"instructions", instructions},
		    {"mix", json::object()},
		    {"memory", json::object()},
		    {"barriers", barriers},
		    {"calls", calls},
		    {"indirect_calls", indirect}};
	for (auto [n, name] : by_count)
		out["mix"][name] = n;
	for (const auto &[space, n] : memory)
		out["memory"][space] = n;
	return out;
}

// Returns what ptxas says about the registers of each kernel, and nothing if there is no ptxas, or it does not take the
// text.
std::map<std::string, unsigned> registers_of(const module &m)
{
	std::map<std::string, unsigned> all;
	char path[] = "/tmp/het-ptx-XXXXXX";
	int fd = mkstemp(path);
	if (fd < 0)
		return all;
	bool written = write(fd, m.text.data(), m.text.size()) == ssize_t(m.text.size());
	close(fd);
	const auto target = "-arch=" + std::string(m.str(m.target));
	std::istringstream said(
		written ? het::run_program({"ptxas", "-v", "-c", target, path, "-o", "/dev/null"}).printed : "");
	std::string function;
	for (std::string line; std::getline(said, line);) {
		if (size_t at = line.find("Function properties for "); at != line.npos) {
			function = line.substr(at + 24);
			function.erase(function.find_last_not_of(' ') + 1);
		} else if (size_t used = line.find("Used "); used != line.npos && !function.empty()) {
			all[function] = unsigned(strtoul(line.c_str() + used + 5, nullptr, 10));
		}
	}
	unlink(path);
	return all;
}

json stops_of(const checkpoint_report &k)
{
	json points = json::array(), unstopped = json::array();
	for (const auto &p : k.points)
		points.push_back({{"line", p.at.line},
				  {"kind", p.at_barrier ? "barrier" : "loop"},
				  {"live_bytes", p.live_bytes},
				  {"saved_bytes", p.saved_bytes},
				  {"delta_bytes", p.delta_bytes}});
	for (const auto &f : k.unstopped)
		unstopped.push_back(f.describe());
	json out = {{"points", points},
		    {"thread_bytes", 4 * (k.size.words + k.size.local_words)},
		    {"shared_bytes", k.size.shared_bytes},
		    {"loops", k.loops},
		    {"unstopped", unstopped}};
	if (k.begins_only)
		out["begins_only"] = k.begins_only->describe();
	return out;
}

// Tells by kernel where the pass checkpoint would let it stop, and why not.
std::map<std::string, json> stops_of(const module &m)
{
	std::map<std::string, json> all;
	if (m.address_bits != 64)
		return all;
	auto result = find_pass("checkpoint")->apply(m);
	for (const auto &k : result.checkpoints)
		all[k.kernel] = stops_of(k);
	for (const auto &k : result.left)
		all[k.name] = {{"never", k.why.describe()}};
	return all;
}

void print_stops(const json &s)
{
	if (s.contains("never"))
		return void(printf("  %-12s never: %s\n", "stops", s["never"].get<std::string>().c_str()));
	printf("  %-12s at the begin of blocks", "stops");
	if (!s["points"].empty())
		printf(", at %zu places in them; a context has %s bytes a thread", s["points"].size(),
		       s["thread_bytes"].dump().c_str());
	printf("\n");
	for (const json &p : s["points"])
		printf("  %-12s line %s (%s): %s of %s bytes of registers, %s again after an announcement\n", "",
		       p["line"].dump().c_str(), p["kind"].get<std::string>().c_str(), p["saved_bytes"].dump().c_str(),
		       p["live_bytes"].dump().c_str(), p["delta_bytes"].dump().c_str());
	if (s.contains("begins_only"))
		printf("  %-12s not in them: %s\n", "", s["begins_only"].get<std::string>().c_str());
	for (const json &f : s["unstopped"])
		printf("  %-12s not in a loop: %s\n", "", f.get<std::string>().c_str());
}

void print_counts(const char *what, const json &counts)
{
	if (counts.empty())
		return;
	std::string line;
	for (const auto &[name, n] : counts.items())
		line += " " + name + " " + n.dump();
	printf("  %-12s%s\n", what, line.c_str());
}

} // namespace

json describe(const module &m)
{
	json out = {{"version", std::to_string(m.version_major) + "." + std::to_string(m.version_minor)},
		    {"target", m.str(m.target)},
		    {"functions", json::array()}};
	auto registers = registers_of(m);
	auto stops = stops_of(m);
	for (const auto &f : m.functions) {
		if (!f.has_body)
			continue;
		json one = describe(m, f);
		if (auto found = registers.find(one["name"].get<std::string>()); found != registers.end())
			one["registers"] = found->second;
		if (auto found = stops.find(one["name"].get<std::string>()); found != stops.end())
			one["stops"] = found->second;
		out["functions"].push_back(one);
	}
	return out;
}

void print(const json &m)
{
	printf("PTX %s for %s\n", m["version"].get<std::string>().c_str(), m["target"].get<std::string>().c_str());
	for (const json &f : m["functions"]) {
		std::string list;
		for (const json &p : f["parameters"])
			list += (list.empty() ? "" : ", ") + p["type"].get<std::string>() +
				(p["bytes"].get<uint64_t>() > 8 ? "[" + p["bytes"].dump() + " bytes]" : "");
		printf("\n%s %s(%s)\n", f["kind"].get<std::string>().c_str(), f["name"].get<std::string>().c_str(),
		       list.c_str());
		printf("  %-12s %s", "instructions", f["instructions"].dump().c_str());
		if (f.contains("registers"))
			printf(", %s registers", f["registers"].dump().c_str());
		for (const char *what : {"barriers", "calls", "indirect_calls"})
			if (f[what].get<unsigned>())
				printf(", %s %s", f[what].dump().c_str(),
				       std::string(what) == "indirect_calls" ? "of them indirect" : what);
		printf("\n");
		print_counts("mix", f["mix"]);
		print_counts("memory", f["memory"]);
		if (f.contains("stops"))
			print_stops(f["stops"]);
	}
}

} // namespace tool
