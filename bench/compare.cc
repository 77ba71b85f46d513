// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Prints ratios of two results of the same program.
#include "common/format.h"
#include "common/options.h"
#include "common/table.h"
#include "json/json.h"

#include <fstream>
#include <map>
#include <stdexcept>

using namespace bench;
using het::json;
namespace
{

json load(const std::string &path)
{
	std::ifstream f(path);
	if (!f)
		throw std::runtime_error("can't read " + path);
	return json::parse(std::string(std::istreambuf_iterator<char>(f), {}));
}

std::map<std::string, json> by_name(const json &list)
{
	std::map<std::string, json> entries;
	for (const auto &e : list)
		entries[e.at("name").get<std::string>()] = e;
	return entries;
}

// Returns "12.3 (11.0 to 14.2)", with the quartiles or the interval where the entry has them.
std::string value_text(const json &e)
{
	std::string text = short_number(e.at("median").get<double>());
	const bool interval = e.contains("low");
	if (interval || e.contains("p25"))
		text += " (" + short_number(e.at(interval ? "low" : "p25").get<double>()) + " to " +
			short_number(e.at(interval ? "high" : "p75").get<double>()) + ")";
	return text;
}

void print_section(const json &old_doc, const json &new_doc, const char *section, const std::string &filter)
{
	if (!old_doc.contains(section) || !new_doc.contains(section))
		return;
	const auto before = by_name(old_doc.at(section)), after = by_name(new_doc.at(section));
	table t(section, {"", "unit", "first", "second", "second / first"});
	t.left_columns(2);
	for (const auto &[name, e] : before) {
		auto it = after.find(name);
		if (it == after.end() || name.find(filter) == std::string::npos)
			continue;
		const double a = e.at("median").get<double>(), b = it->second.at("median").get<double>();
		t.row({name, e.contains("unit") ? e["unit"].get<std::string>() : "ratio", value_text(e),
		       value_text(it->second), a != 0 ? format("%.3f", b / a) : "-"});
	}
	t.print();
}

std::string origin(const std::string &path, const json &doc)
{
	const json &m = doc.at("machine");
	return format("%s: %s of %s, commit %s, %s, %d cores, Linux %s", path.c_str(),
		      doc.at("program").get<std::string>().c_str(), doc.at("time").get<std::string>().c_str(),
		      doc.at("commit").get<std::string>().c_str(), m.at("cpu").get<std::string>().c_str(),
		      m.at("cores").get<int>(), m.at("kernel").get<std::string>().c_str());
}

int run(const std::string &first, const std::string &second, const std::string &filter)
{
	const json a = load(first), b = load(second);
	printf("%s\n%s\n", origin("first  " + first, a).c_str(), origin("second " + second, b).c_str());
	if (a.at("program") != b.at("program"))
		throw std::runtime_error("results of different programs");
	for (const char *section : {"results", "ratios", "differences"})
		print_section(a, b, section, filter);
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	std::string first, second, filter;
	command_line line("Ratios of two results of the same benchmark: what both measured, second over first.\n"
			  "Times of different machines, or of a busy one, compare badly; ratios compare better.");
	line.operand("first", first, "JSON file");
	line.operand("second", second, "JSON file");
	line.text("--filter", filter, "only names that contain this");
	return line.run(argc, argv, [&] { return run(first, second, filter); });
}
