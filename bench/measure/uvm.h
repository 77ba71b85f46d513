// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures each way to share an array (measure/uvm_way.h), in a child process of its own.
#pragma once

#include "common/child.h"
#include "common/stats.h"
#include "measure/uvm_way.h"

#include <map>
#include <string>
#include <vector>

namespace bench
{

inline constexpr size_t uvm_bytes = 64 << 20;
inline constexpr unsigned uvm_touchers = 16;

// A question has a name for results, and what it means to people.
struct uvm_measure {
	const char *name;
	const char *title;
	unsigned samples; // for a round
};
const std::vector<uvm_measure> &uvm_measures();
std::vector<std::string> uvm_measure_names();

// Runs in the child process. Throws if the way can't be had.
answer_fn start_uvm_session(const uvm_subject &subject);

struct uvm_result {
	uvm_subject subject;
	std::map<std::string, std::vector<double>> samples; // µs, by the measure's name
	std::map<std::string, std::vector<double>> rounds;  // their medians
	json library;
};

struct uvm_outcome {
	std::vector<uvm_result> results;
	std::vector<std::string> unavailable; // "name: why"
	json device;

	const uvm_result *find(const std::string &name) const;
};

// All subjects take turns, each round in another order. @only names measures; if it is empty, all are taken.
uvm_outcome run_uvm(const std::vector<uvm_subject> &subjects, const std::vector<std::string> &only, unsigned rounds);

} // namespace bench
