// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/recorder.h"

#include <algorithm>

namespace micro
{

const char *name_of(verdict v)
{
	switch (v) {
	case verdict::found:
		return "found";
	case verdict::not_found:
		return "not found";
	case verdict::not_there:
		return "not there";
	case verdict::disturbed:
		return "disturbed";
	}
	return "";
}

void recorder::add(const std::string &name, const std::string &unit, const figure &f)
{
	if (!f.there()) {
		refuse(name, f.trouble, f.cure);
		return;
	}
	to_.result(name, unit, bench::summarise(f.samples),
		   {{"low", f.at.low}, {"high", f.at.high}, {"confidence", f.at.confidence}, {"precise", f.reached}});
}

void recorder::refuse(const std::string &name, const std::string &reason, const std::string &cure)
{
	refused_++;
	json &all = to_.document()["refused"];
	all.push_back(json{{"name", name}, {"reason", reason}, {"cure", cure}});
}

void recorder::fail(const std::string &name, const std::string &reason, const std::string &cure)
{
	failed_ = true;
	refuse(name, reason, cure);
}

void recorder::warn(const std::string &name, const std::string &reason, const std::string &cure)
{
	to_.document()["warnings"].push_back(json{{"name", name}, {"reason", reason}, {"cure", cure}});
}

void recorder::add(const fact &f, const json &claim)
{
	facts_.push_back(f);
	json entry = {{"name", f.name},
		      {"unit", f.unit},
		      {"verdict", name_of(f.is)},
		      {"why", f.why},
		      {"confidence", f.confidence},
		      {"claim", claim}};
	if (f.is == verdict::found) {
		entry["value"] = f.value;
		entry["low"] = f.low;
		entry["high"] = f.high;
		// Two results are compared by this.
		to_.value("found/" + f.name, f.unit, f.value, {{"low", f.low}, {"high", f.high}});
	}
	entry["basis"] = f.basis;
	to_.document()["facts"].push_back(std::move(entry));
}

const fact *recorder::find(const std::string &name) const
{
	for (const fact &f : facts_)
		if (f.name == name && f.is == verdict::found)
			return &f;
	return nullptr;
}

figure rate_of(figure f, double amount)
{
	for (double &s : f.samples)
		s = s != 0 ? amount / s : 0;
	const auto inverse = [&](double v) { return v != 0 ? amount / v : 0; };
	f.at.median = inverse(f.at.median);
	f.at.low = inverse(f.at.low);
	f.at.high = inverse(f.at.high);
	std::swap(f.at.low, f.at.high);
	return f;
}

} // namespace micro
