// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/report.h"

#include "common/machine.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace bench
{

json to_json(const summary &s)
{
	return {{"n", s.n},     {"median", s.median}, {"p25", s.p25}, {"p75", s.p75},
		{"p99", s.p99}, {"min", s.min},       {"max", s.max}};
}

json to_json(const ratio &r)
{
	return {{"median", r.median},
		{"low", r.low},
		{"high", r.high},
		{"confidence", r.confidence},
		{"rounds", r.rounds}};
}

report::report(const std::string &program, json settings)
{
	doc_ = {{"program", program},
		{"time", time_stamp()},
		{"commit", commit()},
		{"machine", machine_info()},
		{"settings", std::move(settings)},
		{"results", json::array()},
		{"ratios", json::array()},
		{"differences", json::array()},
		{"notes", json::array()}};
}

void report::result(const std::string &name, const std::string &unit, const summary &s, json more)
{
	json entry = {{"name", name}, {"unit", unit}};
	entry.update(to_json(s));
	entry.update(more);
	doc_["results"].push_back(std::move(entry));
}

void report::value(const std::string &name, const std::string &unit, double v, json more)
{
	json entry = {{"name", name}, {"unit", unit}, {"n", 1}, {"median", v}};
	entry.update(more);
	doc_["results"].push_back(std::move(entry));
}

void report::ratio_of(const std::string &name, const ratio &r, json more)
{
	json entry = {{"name", name}};
	entry.update(to_json(r));
	entry.update(more);
	doc_["ratios"].push_back(std::move(entry));
}

void report::difference_of(const std::string &name, const std::string &unit, const ratio &d, json more)
{
	json entry = {{"name", name}, {"unit", unit}};
	entry.update(to_json(d));
	entry.update(more);
	doc_["differences"].push_back(std::move(entry));
}

void report::note(const std::string &text)
{
	doc_["notes"].push_back(text);
}

void report::write(const std::string &path) const
{
	if (path.empty())
		return;
	auto folder = std::filesystem::path(path).parent_path();
	if (!folder.empty())
		std::filesystem::create_directories(folder);
	std::ofstream f(path);
	f << doc_.dump("\t") << "\n";
	f.close();
	if (!f)
		throw std::runtime_error("can't write " + path);
	printf("results: %s\n", path.c_str());
}

} // namespace bench
