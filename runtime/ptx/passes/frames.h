// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Rewrites one function for the pass soft-stack: its automatic variables lie where a generic address says.
#pragma once

#include "ptx/editor.h"
#include "ptx/passes/filled.h"
#include "ptx/passes/pass.h"
#include "ptx/passes/regions.h"

namespace het::ptx
{

// All functions of a module share this.
struct stacking {
	const module &m;
	bool has_regions = false; // functions may be called inside one
	bool used = false;        // some function has automatic variables
};

class stack_user
{
      public:
	stack_user(const stacking &c, const function &f, editor &e, pass_result &out);
	void run();

	// Returns whether the function has variables in local memory, or takes memory from the stack.
	static bool is_one(const module &m, const function &f);

      private:
	// Describes a variable that moves.
	struct automatic {
		uint32_t variable; // number in module::variables
		uint64_t offset;
		std::string address; // the register that holds it
	};
	void list_variables();
	bool uses_stack() const;
	void make_registers();
	void statement_of(const statement &s, bool inside);
	void names(const statement &s, const instruction &i);
	void name(const statement &s, const instruction &i, const operand &o);
	void opcode(const statement &s, const instruction &i);
	bool dynamic(const statement &s, const instruction &i, bool inside);
	std::string from_stack(const instruction &i, std::string_view base);
	std::string from_lane(const instruction &i, std::string_view base) const;
	void leave(const statement &s);
	const automatic *moved(const statement &s, std::string_view name) const;
	bool kept(const statement &s, const operand &o) const;
	void refuse(span where, const char *why);

	std::string prologue();
	std::string begin_stack();
	std::string begin_frame();
	std::string take_frame() const;
	// Returns the text with this object's registers, and @name for "it".
	std::string in_names(std::string_view text, std::string_view name = {}) const;

	const stacking &c_;
	const module &m_;
	const function &f_;
	editor &e_;
	pass_result &out_;
	region_map regions_;
	std::vector<automatic> variables_;
	std::vector<uint32_t> kept_;      // indices in module::variables of those that do not move
	uint64_t bytes_ = 0, align_ = 16; // those of the frame
	bool takes_ = false;              // it takes more than its frame, while it runs
	bool calls_ = false;
	bool in_regions_; // it may be called inside a region
	std::string slot_, frame_, top_, limit_, room_, thread_, extent_, bad_, private_;
};

} // namespace het::ptx
