// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The decoder turns the text of a function into operations.
#pragma once

#include "simt/program.h"
#include "simt/select.h"

#include <unordered_map>

namespace het::ptx::simt
{

class decoder
{
      public:
	decoder(program &p, code &c);
	std::optional<fault> run();

      private:
	struct local_name {
		uint32_t block;
		enum space space;
		enum type type;
		uint8_t vector;
		uint32_t numbered; // the N of <N>
		uint32_t at;       // a register, an offset in its space, or a symbol
		uint32_t bytes;    // those of one
	};
	struct jump {
		uint32_t op;    // the branch, if one jumps
		uint32_t table; // the table, if an entry of one does
		uint32_t entry;
		span label;
	};
	using handler = bool (decoder::*)();

	// These look after names (decoder.cc).
	void declare(const variable &v);
	void declare_parameters(uint32_t first, std::vector<argument> *places);
	void add_name(std::string_view name, const local_name &n) { names_[name].push_back(n); }
	const local_name *find(std::string_view name, uint32_t *number) const;
	bool in_scope(uint32_t block) const;
	bool is_numbered(std::string_view name) const;
	ref constant(uint64_t v) { return make_ref(place::constants, p_.constant(v)); }

	// These take operands (decode_operands.cc). source() and result() take registers of just the width of the type,
	// the others wider ones too.
	bool source(const operand &o, type t, ref *out) { return read(o, t, false, out); }
	bool wide_source(const operand &o, type t, ref *out) { return read(o, t, true, out); }
	bool read(const operand &o, type t, bool wider, ref *out);
	bool result(const operand &o, type t, bool wider, ref *out);
	bool named_source(const operand &o, type t, bool wider, ref *out);
	bool named_address(const operand &o, std::string_view name, ref *out);
	ref local_address(uint64_t offset);
	bool register_of(const operand &o, const local_name &n, uint32_t number, type t, bool wider, ref *out);
	ref literal(const operand &o, type t);
	bool predicate(const operand &o, ref *out, bool *negated);
	bool predicate_result(const operand &o, ref *out);
	bool results_pair(const operand &o, type t, ref *first, ref *second);
	// Counts the elements of a list, or the components of a vector register; 0 for anything else.
	unsigned parts_of(const operand &o);
	bool elements(const operand &o, type t, bool wider, bool written, std::vector<ref> *out);
	bool address(const operand &o);
	bool address_value(const operand &o, ref *out);
	bool parameter_place(const operand &o, argument *out);

	// These take instructions (decoder.cc, decode_data.cc, decode_memory.cc, decode_async.cc, decode_control.cc,
	// decode_matrix.cc, decode_fragment.cc).
	bool statement_of(const statement &s);
	bool directive(const statement &s);
	bool instruction_of(const statement &s);
	bool simple(const selection &s);
	bool simple_operand(char letter, const operand &o, unsigned n);
	bool move(), move_predicate(), move_vector(), unpack(), pack(), clock(), compare(), convert();
	bool has_parts(const operand &list, run_fn run);
	bool transfer(), atomic(), convert_address(), is_space(), local_stack();
	bool branch(), indexed_branch(), call(), leave(), nothing();
	bool call_arguments(const operand &list, uint32_t *first, uint32_t *count);
	bool barrier(), warp_barrier(), vote(), match(), shuffle(), active_mask(), reduce(), elect();
	bool warp_wide(uint32_t mask_operand);
	bool copy_async(), copy_bulk(), barrier_object();
	bool move_matrix(), multiply_matrices();
	bool fragment(), move_fragment(), multiply_fragments();
	void fragment_address(ref stride);
	bool matrix_wide(const std::vector<ref> &refs);
	bool vector_atomic(std::string_view what, type t, bool gives);

	static handler handler_of(std::string_view base);
	bool wants(uint32_t least, uint32_t most);
	bool unsupported(std::string_view why);
	bool fail(span where, std::string what);
	void finish();
	bool resolve();
	const operand &op(uint32_t n) const { return m_.operand_of(*i_, n); }
	uint32_t count() const { return i_->operands; }
	uint32_t add_refs(const std::vector<ref> &refs);

	program &p_;
	code &code_;
	const module &m_;
	uint32_t module_index_ = 0;
	std::unordered_map<std::string_view, std::vector<local_name>> names_;
	ref carry_, local_base_;
	std::unordered_map<std::string_view, uint32_t> labels_;
	std::string_view last_label_;
	std::unordered_map<std::string_view, std::vector<span>> target_lists_; // .branchtargets
	std::vector<jump> jumps_;

	const statement *s_ = nullptr;
	const instruction *i_ = nullptr;
	mnemonic mnemonic_{""};
	uop u_;
	std::string unknown_; // what the operands name that the interpreter does not know
	std::vector<ref> reads_, writes_;
	std::optional<fault> fault_;
};

// Tells which special register a name is; it returns specials if it is none.
special special_named(std::string_view name);

// Finds for each branch where its lanes meet again: the nearest operation that all ways from it pass.
void find_reconvergence(code &c, const program &p);

// These return operations of memory instructions and on whole warps, or null if there is none for the type.
run_fn load_op(enum space s, type t);
run_fn store_op(enum space s, type t);
run_fn atomic_op(std::string_view name, type t);
run_fn vector_atomic_op(std::string_view name, type t);
run_fn copy_async_op();

// uop::mode has one of these for an operation on an mbarrier, and for a bulk copy.
enum mbarrier_mode : uint8_t {
	mbarrier_unknown,
	mbarrier_init,
	mbarrier_end,
	mbarrier_expect,
	mbarrier_complete,
	mbarrier_arrive,
	mbarrier_arrive_expect,
	mbarrier_drop,
	mbarrier_test,
	mbarrier_test_parity,
	mbarrier_pending,
};
enum bulk_mode : uint8_t { bulk_to_shared, bulk_to_global };
run_fn mbarrier_op(mbarrier_mode mode);
run_fn copy_bulk_op();

// A warp holds such matrices together. refs has the mask of lanes, results, and what is read. For a load or store,
// uop::vector is the number of matrices, and uop::mode tells whether they are transposed; for a product, uop::vector is
// the number of b's registers, uop::mode and uop::element are what the elements of a and b are, and uop::offset tells
// whether sums are clamped.
enum matrix_element : uint8_t { element_none, element_f16, element_bf16, element_tf32, element_s8, element_u8 };
run_fn move_matrix_op(std::string_view base);
run_fn multiply_matrices_op(type of_c);
// These are wmma's. For a product, uop::vector and uop::element are its rows and columns; for a load or store,
// uop::mode is its registers.
constexpr uint8_t product_gives_half = 1, product_adds_half = 2;
run_fn fragment_op(bool stores);
run_fn fragment_address_op();
run_fn multiply_fragments_op();
run_fn vote_op(const mnemonic &m);
run_fn match_op(const mnemonic &m);
run_fn shuffle_op(const mnemonic &m);
run_fn reduce_op(const mnemonic &m);
run_fn elect_op();
run_fn active_mask_op();

} // namespace het::ptx::simt
