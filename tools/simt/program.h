// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A program is modules made ready to run: instructions are decoded into operations on warps, symbols resolved,
// variables laid out.
#pragma once

#include "ptx/fragment.h"
#include "ptx/module.h"
#include "simt/memory.h"

#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace het::ptx::simt
{

constexpr unsigned warp_size = 32;
using lanes = uint32_t; // a set of them, one bit each
constexpr lanes all_lanes = ~lanes{0};

// A ref names a value of each lane: 32 words of 64 bits in one of four places. A register that is narrower than 64 bits
// holds rubbish in its upper bits. A predicate is a set of lanes in its first word.
struct ref {
	uint32_t place = ~0u;
	bool valid() const { return place != ~0u; }
	bool is_register() const { return valid() && place >> 30 == 0; }
	uint32_t index() const { return place & 0x3fffffff; }
};

enum class place : uint32_t { registers, constants, specials, shared_addresses, places };

inline ref make_ref(place p, uint32_t index)
{
	return {uint32_t(p) << 30 | index};
}

// Special registers have these numbers.
enum special : uint32_t {
	tid_x,
	tid_y,
	tid_z,
	ntid_x,
	ntid_y,
	ntid_z,
	ctaid_x,
	ctaid_y,
	ctaid_z,
	nctaid_x,
	nctaid_y,
	nctaid_z,
	laneid,
	warpid,
	nwarpid,
	lanemask_eq,
	lanemask_le,
	lanemask_lt,
	lanemask_ge,
	lanemask_gt,
	dynamic_smem_size,
	total_smem_size,
	zero, // smid, gridid, envreg
	one,  // nsmid
	specials
};

class context;
struct uop;
using run_fn = void (*)(context &, const uop &, lanes);

enum class action : uint8_t {
	compute, // run() does it all
	branch,
	indexed_branch, // brx.idx
	call,
	ret,
	exit,
	trap,
	barrier,
	warp_sync,   // run() once the member lanes are there
	local_stack, // alloca, stacksave and stackrestore
	unsupported, // a fault if it is executed
};

constexpr uint8_t touches_read = 1, touches_write = 2;

struct uop {
	run_fn run = nullptr;
	ref d, e;    // what it writes; e is a second predicate
	ref a, b, c; // what it reads
	ref guard;   // a predicate
	bool guard_negated = false;
	bool c_negated = false; // c is a predicate that is read negated
	bool flag = false;      // what the operation makes of it
	enum action action = action::compute;
	enum space space = space::none;  // generic
	uint8_t touches = 0;             // touches_read and touches_write, for memory
	uint8_t vector = 1, element = 0; // number and size of a memory access's elements
	uint8_t mode = 0;                // what the operation makes of it
	int64_t offset = 0;              // added to an address
	uint32_t target = no_index;      // a branch's, a call's site, a table's number, or a vector's first in refs
	uint32_t reconverge = no_index;  // where the lanes of a divergent branch meet again; none means at the end
	const fragment_shape *fragment = nullptr; // that of a matrix that is loaded or stored
	uint32_t statement = 0;
	// These find, in program::refs, the registers that are read, and after them those that are written.
	uint32_t first_use = 0, uses = 0, defs = 0;
};

// An argument is a piece of parameter space, or a register.
struct argument {
	ref value;           // valid if it is a register or constant
	uint32_t offset = 0; // else the place in the frame's parameter space
	uint32_t bytes = 0;
};

struct call_site {
	uint32_t callee = no_index; // number in program::codes; none: through a register
	ref pointer;
	uint32_t first_argument = 0, arguments = 0; // count in program::arguments
	uint32_t first_result = 0, results = 0;
};

enum class builtin : uint8_t { none, undefined, vprintf, malloc, free, assertfail };

// Holds a function.
struct code {
	const module *source = nullptr;
	const function *head = nullptr;
	std::string_view name;
	uint32_t number = 0; // number in program::codes
	enum builtin builtin = builtin::none;
	std::vector<uop> ops;
	uint32_t registers = 0;
	uint32_t param_bytes = 0, local_bytes = 0; // those of a frame, for each lane
	uint32_t local_base_register = 0;          // tells where a frame's local memory begins
	std::vector<argument> parameters, results; // tell where they lie in the frame
	std::vector<uint32_t> shared;              // variables in shared memory that it names, in program::symbols
};

// The shared memory of a block of one kernel has the variables that it and the functions that it may call name, in the
// order of their declarations, as the linker lays them out, and then what a launch adds.
struct shared_layout {
	uint64_t bytes = 0, dynamic_at = 0;
	std::unordered_map<uint32_t, uint64_t> at; // the place of a symbol
};

inline uint64_t aligned(uint64_t at, uint64_t to)
{
	return to ? (at + to - 1) / to * to : at;
}

class program
{
      public:
	explicit program(memory &m) : memory_(m) {}
	~program();
	program(const program &) = delete;
	program &operator=(const program &) = delete;

	// Takes modules that refer to each other, lays out their variables and decodes their functions. What the
	// interpreter can't do is a fault when it is executed, not here.
	[[nodiscard]] std::optional<fault> load(std::vector<module> modules);

	const code *find(std::string_view name) const;
	// Returns address and size of a module's global or constant variable; both are 0 if there is none.
	struct place_of {
		uint64_t address, bytes;
	};
	place_of variable(std::string_view name) const;

	memory &mem() const { return memory_; }
	const std::deque<code> &codes() const { return codes_; }
	const uint64_t *constants() const { return constants_.data(); }
	shared_layout shared_of(const code &kernel) const;
	// Returns the addresses of shared memory that operations name, in that layout, each once for every lane.
	std::vector<uint64_t> shared_addresses(const shared_layout &l) const;
	uint64_t constant_base() const { return constant_base_; }
	// Returns the function that an address stands for, or null.
	const code *function_at(uint64_t address) const;
	const std::vector<ref> &refs() const { return refs_; }
	const std::vector<argument> &arguments() const { return arguments_; }
	const std::vector<call_site> &sites() const { return sites_; }
	const std::vector<std::vector<uint32_t>> &tables() const { return tables_; }
	// Returns why an operation can't be executed.
	const std::string &reason(const uop &u) const { return reasons_[u.target]; }

      private:
	friend class loader;
	friend class decoder;

	struct symbol {
		enum space space;
		uint64_t address; // number in its space; it has no meaning in shared memory
		uint64_t bytes;
		uint32_t alignment, module;
		bool visible;
		bool is_dynamic; // it is shared memory of the size that a launch says
	};
	uint32_t constant(uint64_t value);
	const fragment_shape *keep(const fragment_shape &f) { return &fragments_.emplace_back(f); }
	ref shared_address(uint32_t symbol, uint64_t offset);
	uint32_t find_symbol(uint32_t module, std::string_view name) const; // returns no_index for none
	uint32_t find_code(uint32_t module, std::string_view name) const;
	std::vector<const code *> reachable_from(const code &kernel) const;

	memory &memory_;
	std::deque<module> modules_;
	std::deque<code> codes_;
	std::vector<symbol> symbols_;
	std::vector<std::vector<uint32_t>> symbols_of_variables_; // by module, then by variable
	std::unordered_map<std::string_view, std::vector<uint32_t>> symbol_names_;
	std::map<std::pair<uint32_t, uint64_t>, uint32_t> shared_places_; // leads from symbol and offset to index
	std::set<uint32_t> pointed_to_; // functions whose addresses are taken, in codes_
	std::unordered_map<std::string_view, std::vector<uint32_t>> code_names_;
	std::vector<uint64_t> constants_; // warp_size words each
	std::unordered_map<uint64_t, uint32_t> constant_index_;
	std::vector<ref> refs_;
	std::vector<argument> arguments_;
	std::vector<call_site> sites_;
	std::vector<std::vector<uint32_t>> tables_;
	std::vector<std::string> reasons_;
	std::deque<fragment_shape> fragments_;
	std::vector<uint64_t> owned_; // buffers
	uint64_t constant_base_ = 0;
};

} // namespace het::ptx::simt
