// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the figures of the other tests predict of programs, stage by stage from what is written at first to what a
// device is fast with.
#pragma once

#include "json/json.h"

#include <cstdint>
#include <string>

namespace micro
{

// What the examples take from the results of other tests; 0 where those have not run.
struct ceilings {
	double read = 0, copy = 0, spread_write = 0; // GB/s of global memory; a copy counts what is read and written
	double pair_copy = 0, best_copy = 0;         // of two words a thread, and of the best width
	double vector_read = 0;                      // with the best width
	unsigned vector_width = 0;
	uint32_t threads = 0;   // from which on that has most of its rate
	double local_read = 0;  // GB/s
	double fma = 0;         // G/s
	double warp = 1;        // threads that execute together
	double change_ns = 0;   // of a word that all threads change, one after the other
	double conflict = 0;    // times as long as one access, if all threads of a row want one bank
	double cache_write = 0; // GB/s of single words anywhere in the last cache
	bool gathers = false;   // that has room for a line of each thread that the device runs at once
	double overlap = 1;     // share of the lower roof that the roofline reaches where it reaches least
};
// @claimed_cache is the size of the last cache as the device tells of it, for results that have none.
ceilings ceilings_of(const het::json &document, size_t claimed_cache = 0);

// These return the ns that a stage should take, or 0 if what that takes is not known. @n is the number of words, or of
// rows and columns.
double predicted_reduction(const ceilings &c, const std::string &stage, double n, double threads);
double predicted_transpose(const ceilings &c, const std::string &stage, double n);
double predicted_product(const ceilings &c, const std::string &stage, double n);
double predicted_scan(const ceilings &c, const std::string &stage, double n);
double predicted_fourier(const ceilings &c, const std::string &stage, double n);

} // namespace micro
