// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Collects what the tests find out: figures, facts that were inferred from them, and what was refused.
#pragma once

#include "common/report.h"
#include "micro/measure.h"

#include <string>
#include <vector>

namespace micro
{

using het::json;

enum class verdict {
	found,
	not_found, // there may be one, but the data do not show it
	not_there, // the data show that there is none
	disturbed, // the data contradict each other
};
const char *name_of(verdict v);

// A characteristic of a device, with what it was inferred from.
struct fact {
	std::string name; // "l2.size"
	std::string unit;
	verdict is = verdict::not_found;
	double value = 0, low = 0, high = 0; // the 95 % interval
	double confidence = 0;               // the probability that the value is right, as the data have it
	std::string why = {};                // one sentence
	json basis = json::object();         // points, fit, alternatives
};

class recorder
{
      public:
	explicit recorder(bench::report &to) : to_(to) {}

	// Names are paths that end in a number where they are points of a curve: "latency/global/4096".
	void add(const std::string &name, const std::string &unit, const figure &f);
	// Tells that a test, or a part of it, has no figure: for which reason, and what helps.
	void refuse(const std::string &name, const std::string &reason, const std::string &cure);
	// Tells of something that makes figures of a test doubtful, though they are there.
	void warn(const std::string &name, const std::string &reason, const std::string &cure);
	// @claim is what the device says itself, or null.
	void add(const fact &f, const json &claim);

	json &document() { return to_.document(); }
	const std::vector<fact> &facts() const { return facts_; }
	// Returns null if there is no such fact, or it was not found.
	const fact *find(const std::string &name) const;
	size_t refused() const { return refused_; }
	// Tells the same of a test that went wrong, or a part of it: then the run as a whole has failed.
	void fail(const std::string &name, const std::string &reason, const std::string &cure);
	bool failed() const { return failed_; }

      private:
	bench::report &to_;
	std::vector<fact> facts_;
	size_t refused_ = 0;
	bool failed_ = false;
};

// Makes ns a unit into @amount / ns: bytes a unit become GB/s.
figure rate_of(figure f, double amount);

} // namespace micro
