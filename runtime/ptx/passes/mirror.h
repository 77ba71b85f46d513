// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Rewrites one function for the pass uniform-simt: outside of SIMD regions the lanes of a warp do the same, and what
// has an effect is done by one of them.
#pragma once

#include "ptx/editor.h"
#include "ptx/passes/filled.h"
#include "ptx/passes/origins.h"
#include "ptx/passes/pass.h"
#include "ptx/passes/regions.h"
#include "ptx/passes/source_threads.h"

#include <map>

namespace het::ptx
{

// All functions of a module share this.
struct mirroring {
	const module &m;
	const pass_options &with;
	bool has_regions = false; // functions may be called inside one
	// A generic address may lie in .local memory, of which each lane has its own.
	bool local_addresses = false;
	contended_memory contended;
};

class mirror
{
      public:
	mirror(const mirroring &c, const function &f, editor &e, pass_result &out);
	void run();

      private:
	// The lanes that do not act may be in front of the one that does, or behind it. So between a load and a store,
	// whichever comes first, all lanes of the warp meet.
	void statement_of(const statement &s, bool inside);
	void in_region(const statement &s, const instruction &i);
	void outside(const statement &s, const instruction &i);
	void load(const statement &s, const instruction &i, const mnemonic &op);
	void call(const statement &s, const instruction &i);
	bool marker(const statement &s, const instruction &i, bool inside);
	void switch_region(const statement &s, bool enters);
	void by_master(const statement &s, const instruction &i, bool may_be_local);
	void take_results(const statement &s, const instruction &i, const std::string &value);
	void use_result(const statement &s, const instruction &i);
	void broadcast_after(const statement &s, const operand &o);
	std::string broadcast(const statement &s, const operand &o);
	void meet(const statement &s);
	void refuse(span where, const char *why);
	std::string prologue();
	std::string own_mask();
	std::string check_launch();

	std::string sync() const { return outside_guard_ + "bar.warp.sync 0xffffffff;"; }
	const std::string &master();
	const std::string &scratch(std::string *r, type t);

	const mirroring &c_;
	const module &m_;
	const function &f_;
	editor &e_;
	pass_result &out_;
	source_threads threads_;
	bool dynamic_;              // it may be called inside a region: the mask tells
	std::string outside_guard_; // "@%p ", or nothing if it is always outside
	std::string mask_, lane_, master_, is_master_, outside_, slot_;
	std::string acts_, other_, address_, low_, high_, half_; // for use right away
	// These say what was loaded or stored since the lanes met: some lane may not have done it yet.
	bool loaded_ = false, stored_ = false;
	// The key names a result of a call; the value is what its reader gets, or nothing for what the master got.
	std::map<std::string_view, std::string> results_;
};

} // namespace het::ptx
