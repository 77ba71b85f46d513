// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The runs that the figures are made of: each is a program with one of several ways to run it, and memory for a part of
// its arrays. A run is done once, whoever asks for it.
#pragma once

#include "etc/programs/programs.h"
#include "etc/simulation.h"

#include <functional>
#include <map>
#include <set>

namespace etc
{

// A way to run a program, under the name that the bars have.
struct way {
	std::string name;
	std::function<void(configuration &)> set;
};
// Throws std::invalid_argument.
const way &way_named(const std::string &name);
std::span<const way> all_ways();

struct run_key {
	std::string program, way;
	unsigned memory = 100; // percent of the arrays

	auto operator<=>(const run_key &) const = default;
};

class study
{
      public:
	// @settings change the machine's parameters, before it is made smaller; @factor makes all of them so many times
	// smaller than programs want, or as they want if it is 0.
	study(std::vector<std::string> settings, unsigned factor, bool tiny, unsigned threads)
	    : settings_(std::move(settings)), factor_(factor), tiny_(tiny), threads_(threads)
	{
	}

	// Does the runs that are not done yet; @told is called after each, one at a time.
	void run(const std::vector<run_key> &wanted, const std::function<void(const run_key &)> &told);
	// Throws std::out_of_range if it is not done.
	const result &of(const run_key &k) const { return results_.at(k); }
	const std::map<run_key, result> &all() const { return results_; }
	const program_trace &trace_of(const std::string &program) const { return traces_.at(program); }
	machine full_machine() const; // before it is made smaller
	machine machine_of(const program &p) const;

      private:
	configuration configuration_of(const run_key &k) const;

	const std::vector<std::string> settings_;
	const unsigned factor_;
	const bool tiny_;
	const unsigned threads_;
	std::map<std::string, program_trace> traces_;
	std::map<run_key, result> results_;
};

} // namespace etc
