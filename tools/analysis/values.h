// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds the forms of a kernel's values in LLVM's IR.
#pragma once

#include "analysis/form.h"

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <map>
#include <set>
#include <string>

namespace tool::analysis
{

// Wider integers and addresses have no form.
constexpr unsigned most_bits = 64;

// Returns the name of a function of OpenCL C without what overloading adds, or "" for those of others.
llvm::StringRef builtin_name(const llvm::Function &f);

// Returns what a call asks of the launch or the work-item, such as get_global_id(1).
std::optional<symbol> query_of(const llvm::CallInst &c);

// A place is what a pointer was made of, and the bytes from there.
struct place {
	llvm::Value *base;
	std::optional<form> offset;
};

class values
{
      public:
	values(llvm::Function &f, llvm::ScalarEvolution &evolution, llvm::DominatorTree &tree);

	std::optional<form> form_of(llvm::Value *v);
	place place_of(llvm::Value *pointer);
	// Returns whether, wherever the block runs, the id of dimension @d is below the argument @number.
	bool is_bounded(const llvm::BasicBlock *block, unsigned d, unsigned number);

      private:
	std::optional<form> compute(llvm::Value *v);
	std::optional<form> compute_binary(llvm::BinaryOperator &b);
	std::optional<form> compute_shift_right(llvm::BinaryOperator &b);
	std::optional<form> compute_call(llvm::CallInst &c);
	std::optional<form> compute_loop(llvm::PHINode &p, const std::optional<form> &start);
	std::optional<form> compute_choice(llvm::PHINode &p);
	// Makes a form of a value between narrow bounds.
	std::optional<form> compute_range(llvm::Value *v);
	std::optional<form> offset_of(llvm::GEPOperator &g);
	std::optional<form> join(std::optional<form> f) const;
	bool implies_bound(llvm::Value *condition, bool is_true, unsigned d, unsigned number);

	llvm::Function &function_;
	llvm::ScalarEvolution &evolution_;
	llvm::DominatorTree &tree_;
	// All groups are of the size that get_local_size() returns, or of that which the kernel demands (which is 0 if
	// it demands none).
	const bool is_uniform_;
	uint64_t demanded_[3] = {};
	std::map<llvm::Value *, std::optional<form>> known_;
};

} // namespace tool::analysis
