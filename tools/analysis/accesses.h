// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds what one kernel does with memory that work-items share.
#pragma once

#include "analysis/values.h"

#include <llvm/IR/IntrinsicInst.h>

#include <string>

namespace tool::analysis
{

// The numbers are SPIR's.
enum address_space : unsigned { space_private, space_global, space_constant, space_local, space_generic };

// Tells whether work-items of different groups see the same bytes there.
bool is_shared(unsigned space);
bool has_shared_pointer(const llvm::Type *t);

struct access {
	unsigned argument;
	bool writes;
	std::optional<form> offset; // nothing: anywhere in the argument
	uint64_t length;            // 0 if it is not known
	llvm::Instruction *by;
	// The offset is that of the pointer, and steps of the index further.
	llvm::Value *pointer;
	llvm::Value *index; // may be null
	uint64_t step;
};

// Returns "line 12 ...", or without debug information the rest alone.
std::string at_line(const llvm::Instruction &i, const std::string &what);

class accesses
{
      public:
	accesses(llvm::Function &kernel, values &known);

	const std::vector<access> &all() const { return all_; }
	// Says why groups can't run apart, or why it is not known whether they can; "" if there is no reason.
	const std::string &unsafe() const { return unsafe_; }
	const std::string &unknown() const { return unknown_; }
	// Returns whether nothing reaches an argument but what all() has.
	bool is_complete() const { return is_complete_; }

      private:
	void take(llvm::Instruction &i);
	void take_call(llvm::CallBase &c);
	void take_intrinsic(llvm::IntrinsicInst &c);
	void take_builtin(llvm::CallBase &c, llvm::StringRef name);
	void take_pointers(llvm::CallBase &c, llvm::StringRef name);
	void take_vector(llvm::CallBase &c, unsigned elements, unsigned distance, bool writes);
	void touch(llvm::Value *pointer, std::optional<uint64_t> length, bool writes, llvm::Instruction &by,
		   llvm::Value *index = nullptr, uint64_t step = 0);
	void say_unsafe(const llvm::Instruction &i, const std::string &what);
	void say_unknown(const llvm::Instruction &i, const std::string &what);

	llvm::Function &kernel_;
	values &values_;
	std::vector<access> all_;
	std::string unsafe_, unknown_;
	bool is_complete_ = true;
};

} // namespace tool::analysis
