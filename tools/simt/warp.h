// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Holds the state of blocks and warps that run.
#pragma once

#include "simt/context.h"
#include "simt/run.h"

#include <array>
#include <memory>

namespace het::ptx::simt
{

// A frame belongs to a function that lanes of a warp are in. Lanes that came from the same call of the same frame share
// one.
struct frame {
	const code *function = nullptr;
	uint32_t number = 0; // that of the function, in program::codes
	frame *caller = nullptr;
	uint32_t call_op = 0; // the one in the caller
	uint32_t depth = 0;
	uint32_t local_end = 0;                     // that of the lane whose local memory ends last
	std::array<uint32_t, warp_size> taken = {}; // what alloca took of each lane's local memory
	lanes alive = 0;
	std::vector<uint64_t> registers;
	std::vector<uint8_t> params, params_defined; // one stretch a lane
	std::vector<lanes> defined;                  // the lanes in which each register is, if that is tracked
};

// Lanes of a fragment that split wait for each other here. A free join expects none.
struct join {
	uint32_t pc = 0;
	frame *in = nullptr;
	join *outer = nullptr;
	lanes expected = 0, arrived = 0;
};

// These lanes run together.
struct fragment {
	uint32_t pc = 0;
	lanes mask = 0;
	frame *in = nullptr;
	join *meets = nullptr; // null for nowhere
	enum : uint8_t { ready, at_barrier, at_warp_sync } state = ready;
	uint32_t barrier = 0;
};

struct block;

struct warp {
	block *of = nullptr;
	uint32_t index = 0;
	lanes live = 0;
	std::array<uint64_t, specials * warp_size> special_values;
	std::vector<fragment> ready, waiting;
	std::vector<std::unique_ptr<frame>> frames;
	std::vector<std::unique_ptr<join>> joins;
	std::vector<frame *> free_frames;
	std::vector<join *> free_joins;
	frame *root = nullptr;
	std::vector<uint8_t> local, local_defined;
	uint32_t local_stride = 0;
	uint32_t epoch = 0; // counts synchronisations
	uint32_t idle = 0;  // counts turns in a row in which no lane could run

	bool done() const { return live == 0; }
};

constexpr unsigned barriers_in_block = 16;

struct barrier_state {
	std::vector<lanes> arrived; // those of each warp
	uint32_t expected = 0;      // counts threads; 0 means all
	uint32_t yes = 0;           // counts predicates that were true
	uint32_t no = 0;
	bool used = false;
};

struct block {
	extent at;
	uint64_t number = 0;
	std::vector<warp> warps;
	std::vector<uint8_t> shared, shared_defined;
	std::array<barrier_state, barriers_in_block> barriers;
	uint32_t epoch = 0; // counts barriers
	bool busy = false;
};

} // namespace het::ptx::simt
