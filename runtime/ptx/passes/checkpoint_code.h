// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Writes what the pass checkpoint adds to a kernel.
#pragma once

#include "ptx/editor.h"
#include "ptx/passes/checkpoint_plan.h"

namespace het::ptx
{

// What all kernels of a module need: the block's place, and the function that finds it.
std::string checkpoint_support();

// Returns lines that find the block's place, and a register with what is not 0 if the block is to leave.
std::string begin_block(const function &f, const std::string &control, bool resumes, editor *e, std::string *answer);

// The words of shared memory that have the block's place.
constexpr std::string_view checkpoint_block = "het_checkpoint_block";
constexpr uint64_t checkpoint_block_bytes = 64;

class checkpoint_writer
{
      public:
	checkpoint_writer(const module &m, const function &f, const checkpoint_plan &plan, bool resumed, editor *e);
	void run();

      private:
	void look_at(size_t k);
	std::string label(const char *what, size_t k) const;
	std::string save_at(size_t k);
	std::string restore_at(size_t k) const;
	std::string save_since(const stop_point &p, checkpoint_sets stale, uint32_t words, const std::string &copy);
	std::string save_registers(const stop_point &p);
	std::string save_memory(const stop_point &p);
	std::string write_head(size_t k);
	std::string bring_back(size_t k) const;
	std::string resume();
	std::string copy_shared();
	std::string copy_local();
	std::string copy_share(std::string_view variable, const std::string &count, uint64_t unit, uint64_t wide,
			       const std::string &copy);
	std::string copy_unit(const char *space, uint64_t unit, uint64_t wide, uint64_t skipped, uint64_t offset) const;
	template <typename F> static void for_units(const variable &v, F copy);
	std::string next_label();
	std::string sum_of_places() const;
	std::string find_context() const;
	std::string find_words(uint64_t first) const;
	const statement &at(size_t k) const { return m_.statements_of(f_)[plan_.points[k].statement]; }

	const module &m_;
	const function &f_;
	const checkpoint_plan &plan_;
	const bool resumed_;
	editor &e_;
	bool saves_ = false;             // what is written copies to the context, not from it
	unsigned loops_ = 0;             // counts labels
	std::string control_;            // the parameter with the address of the control block
	std::vector<std::string> again_; // for each stop point the statements that compute registers again
	std::string labels_;             // what the labels of this kernel begin with
};

} // namespace het::ptx
