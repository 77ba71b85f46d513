// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A sum writes an integer of a kernel as a sum of products, with all that has to hold for that, as
// runtime/fatbin/apart.h wants to know it. Unlike forms (form.h), which hold for all launches, sums leave it to the
// launch whether numbers are as small as they need to be.
#pragma once

#include "analysis/form.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tool::analysis
{

using terms = std::map<product, int64_t>; // without those of factor 0

// Holds numbers of statements in apart.h's text.
using numbers = std::set<unsigned>;

// Modulo 2^bits of its type the value is the sum, where the needs are met.
struct sum {
	terms of;
	numbers needs;
};

struct need {
	terms of;
	unsigned bits;
	bool is_signed;
	friend auto operator<=>(const need &, const need &) = default;
};

// A fact says that the sum is not negative.
struct fact {
	terms of;
	numbers needs;
	friend auto operator<=>(const fact &, const fact &) = default;
};

struct address {
	llvm::Value *base;
	std::optional<sum> offset; // in bytes
};

class sums
{
      public:
	sums(llvm::Function &f, llvm::ScalarEvolution &evolution, llvm::DominatorTree &tree, llvm::LoopInfo &loops);

	std::optional<sum> of(llvm::Value *v);
	address address_of(llvm::Value *pointer);
	// Returns the numbers of the facts that hold wherever the block runs, or where control comes to it from another
	// one.
	const numbers &facts_at(llvm::BasicBlock *block, llvm::BasicBlock *from);
	// Returns from where control comes to the block, if it is worth a difference, or else null alone.
	std::vector<llvm::BasicBlock *> ways_to(llvm::BasicBlock *block) const;
	// Returns the facts of a counter, wherever it is.
	const numbers &facts_of_counter(unsigned counter) const { return counters_.at(counter).facts; }

	const std::vector<need> &needs() const { return needs_; }
	const std::vector<fact> &facts() const { return facts_; }

      private:
	struct counter {
		numbers facts;
		bool is_opaque = false; // nothing but bounds is known of it
	};
	// Holds a quotient and a remainder of the same two numbers of so many bits.
	struct division {
		unsigned bits;
		terms dividend, divisor;
		unsigned quotient, remainder;
		numbers needs;
	};

	std::optional<sum> compute(llvm::Value *v);
	std::optional<sum> compute_binary(llvm::BinaryOperator &b);
	std::optional<sum> compute_division(llvm::BinaryOperator &b);
	std::optional<sum> compute_call(llvm::CallInst &c);
	std::optional<sum> compute_cast(llvm::CastInst &c);
	std::optional<sum> compute_loop(llvm::PHINode &p);
	std::optional<sum> step_of(llvm::PHINode &p, llvm::Loop &loop);
	// Makes a sum of a value of which nothing but its bounds is known.
	std::optional<sum> compute_bounded(llvm::Value *v);
	std::optional<sum> of_evolution(const llvm::SCEV *s);
	std::optional<sum> joined(std::optional<sum> s) const;
	std::optional<sum> offset_of(llvm::GEPOperator &g);

	unsigned make_counter();
	bool is_opaque(const sum &s) const;
	unsigned add_need(const terms &of, unsigned bits, bool is_signed);
	unsigned add_fact(const terms &of, const numbers &needs);
	void bound_turns(unsigned counter, llvm::Loop &loop);
	void bound_by_condition(unsigned counter, llvm::PHINode &p, const sum &start, const sum &step);
	void take_condition(llvm::Value *condition, bool is_true, numbers &to);
	void take_comparison(llvm::CmpInst::Predicate predicate, llvm::Value *left, llvm::Value *right, numbers &to);

	void take_bounds(llvm::CmpInst::Predicate predicate, llvm::Value *left, llvm::Value *right, bool of_right,
			 numbers &to);

	llvm::Function &function_;
	llvm::ScalarEvolution &evolution_;
	llvm::DominatorTree &tree_;
	llvm::LoopInfo &loops_;
	std::vector<need> needs_;
	std::vector<fact> facts_;
	std::vector<counter> counters_;
	std::vector<division> divisions_;
	std::map<llvm::Value *, std::optional<sum>> known_;
	std::map<std::pair<llvm::BasicBlock *, llvm::BasicBlock *>, numbers> facts_at_;
};

std::optional<sum> add(const sum &a, const sum &b, int64_t times);
std::optional<sum> multiply(const sum &a, const sum &b);
sum number(int64_t n);

} // namespace tool::analysis
