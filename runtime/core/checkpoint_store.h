// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A checkpoint file by its name: it is opened, made, and made anew when too much of it is of no use any longer.
#pragma once

#include "checkpoint/launches.h"
#include "checkpoint/writer.h"
#include "core/disk_file.h"
#include "core/object.h"
#include "os/lock.h"

#include <cstdlib>
#include <memory>

namespace het::rt
{

// Deletes what came from malloc.
struct freed {
	void operator()(void *p) const { free(p); }
};

// What a file holds of launches.
struct stored_launches final : object {
	checkpoint::list<std::byte> bytes;              // what was written, or
	std::unique_ptr<std::byte[], freed> bytes_read; // what was read
	checkpoint::launch_list all;                    // refers to them
};

class checkpoint_store
{
      public:
	// Returns 0 or a code.
	int open(const char *given, bool read_only);
	bool is_read_only() const { return read_only_; }
	const char *path() const { return path_.get(); }

	// --- these are called by one thread at a time ---

	// Gets ready for a write: @w writes to the file, or to one that will take its place. Returns 0 or a code.
	int begin(uint64_t room, std::unique_ptr<checkpoint::generation_writer> &w);
	// The generation is to count, in which there are these launches, or null. Returns 0, or a code; then it does
	// not, unless only the file's name may be lost. It ends what begin() began.
	int commit(checkpoint::generation_writer &w, reference<stored_launches> launches = {});
	void abandon(checkpoint::generation_writer &w);

	const checkpoint::contents &held() const { return held_; }
	uint64_t generation() const { return state_.generation; }
	// Something that the writer did was false. Returns the code of that.
	int say_failed(const checkpoint::generation_writer &w, const checkpoint::fault &why) const;
	int read(const checkpoint::item &i, uint64_t first, uint64_t count, std::byte *to);

	// --- this may be called by any thread ---

	struct summary {
		uint64_t generation, nitems, file_bytes, nlaunches;
	};
	summary look();
	// Returns what the generation has of launches, or null if it has none.
	reference<stored_launches> launches(uint64_t *generation);
	// It is false if there is no such item.
	bool find_item(uint64_t number, char *name, uint64_t *nbytes);

      private:
	int say_made_by_others() const;
	int put_in_place();
	int read_launches();
	int read_stored_pages(const checkpoint::item &i, std::byte *to);
	size_t nitems() const;
	void make_smaller();

	std::unique_ptr<char[]> path_;
	bool read_only_ = false;
	bool is_there_ = false;
	disk_file file_;
	bool name_lasts_ = false; // is on the disk
	disk_file made_;          // is written first where the file is not there
	checkpoint::log_state state_;
	// It is held while what the file holds changes, which is done in memory; its rank is leaf.
	futex_lock lock_;
	checkpoint::contents held_;
	reference<stored_launches> launches_;
};

} // namespace het::rt
