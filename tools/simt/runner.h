// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The runner executes one launch.
#pragma once

#include "simt/observer.h"
#include "simt/warp.h"

#include <random>

namespace het::ptx::simt
{

class runner
{
      public:
	runner(const program &p, const launch &l, const options &o);
	outcome run();

      private:
	// Blocks and warps are served by these (run.cc).
	bool check_launch();
	void begin(block &b, uint64_t number);
	void begin(warp &w);
	bool advance(block &b);
	bool advance_lockstep(block &b);
	bool advance_independent(block &b);
	fragment take_at_random(warp &w);
	void fail_stuck(block &b);
	void collect();

	// These run one fragment, until it waits, ends, meets others or has used its turn (execute.cc).
	void execute(warp &w, fragment f, uint64_t turn);
	bool enter(warp &w, const fragment &f);
	void compute_tracked(const uop &u, fragment &f, lanes m);
	void trace(const uop &u, const frame &f, lanes m) const;
	bool control(warp &w, fragment &f, const uop &u, lanes m);
	bool branch(warp &w, fragment &f, const uop &u, lanes taken);
	bool indexed_branch(warp &w, fragment &f, const uop &u, lanes m);
	void part(warp &w, fragment &f, lanes there, uint32_t pc, uint32_t meet);

	// These let lanes meet (joins.cc).
	join *new_join(warp &w, const join &j);
	void arrive(warp &w, join *j, lanes m);
	void settle(warp &w, join *j);
	void forget(warp &w, join *first, lanes m, const frame *within);
	bool let_go(warp &w);
	bool let_go(block &b);
	bool leave(warp &w, fragment &f, lanes m);
	bool end_lanes(warp &w, fragment &f, lanes m);

	// Calls go through these (calls.cc, builtins.cc).
	bool call(warp &w, fragment &f, const uop &u, lanes m);
	frame *frame_for(warp &w, const fragment &f, const code &callee);
	frame *new_frame(warp &w, const code &function);
	void release(warp &w, frame *f);
	bool grow_local(warp &w, frame &f);
	bool local_stack(warp &w, fragment &f, const uop &u, lanes m);
	void copy_argument(const argument &from, frame *source, const argument &to, frame *target, lanes m);
	uint64_t argument_value(const frame &f, const argument &a, unsigned lane) const;
	bool call_builtin(warp &w, fragment &f, const uop &u, const call_site &site, const code &callee, lanes m);
	void print_formatted(const uop &u, unsigned lane, uint64_t format, uint64_t arguments);
	bool read_string(const uop &u, unsigned lane, uint64_t address, std::string *out);

	// Synchronisation goes through these (sync.cc).
	bool barrier(warp &w, fragment &f, const uop &u, lanes m);
	void try_barrier(block &b, unsigned number);
	bool barrier_full(const block &b, const barrier_state &s) const;
	void open_barrier(block &b, unsigned number);
	void check_aligned(const warp &w, unsigned number);
	const uint64_t *masks_of(const warp &w, const fragment &f) const;
	bool warp_sync(warp &w, fragment &f, const uop &u, lanes m);
	bool try_warp_sync(warp &w, const fragment &like);
	void recheck(warp &w);

	// These report faults and findings (run.cc).
	fault describe(const uop &u, const frame &f, const warp &w, unsigned lane, std::string what) const;
	void stop(const uop &u, const frame &f, const warp &w, unsigned lane, std::string what);
	void find(finding::kind_t k, const uop &u, const frame &f, const warp &w, unsigned lane, std::string what);
	bool stopped() const { return out_.error.has_value(); }

	struct op_counts {
		uint64_t warps = 0, threads = 0, divergent = 0;
	};

	const program &p_;
	const launch &l_;
	const options &o_;
	outcome out_;
	context c_;
	std::mt19937_64 random_;
	observer observer_;
	bool watched_;  // it is checked or counted
	uint64_t left_; // counts instructions
	shared_layout shared_;
	std::vector<uint64_t> shared_addresses_;              // those of each lane
	uint64_t shared_bytes_;                               // those of a block
	std::vector<std::vector<op_counts>> ops_;             // kept by function
	std::vector<std::vector<buffer_cache>> caches_;       // kept by function, too
	std::vector<block> blocks_;                           // the resident ones
	std::vector<warp *> ready_;                           // those of the block whose lanes go their own way
	std::map<std::pair<const uop *, int>, size_t> found_; // places in out_.findings
	std::vector<uint8_t> parameters_;                     // those of the kernel, once for each lane
};

} // namespace het::ptx::simt
