// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The store has small files that outlive the process, in a folder of the user's: what drivers have made of programs,
// what is known of devices. All of it can be had again, so nothing that goes wrong here is an error: what can't be read
// is not there.
//
// Many processes use one folder at once. An entry is written beside its place and moved there whole, and a reader
// checks that it belongs to the key and is undamaged. As its bytes may become code of this process, files and folders
// count only if they are the user's or root's, and nobody else may write them.
#pragma once

#include "fatbin/bytes.h"

#include <memory>
#include <string>

namespace het::cache
{

using fatbin::bytes;

inline bytes bytes_of(std::string_view text)
{
	return std::as_bytes(std::span(text));
}

// A key says what an entry is of, by all its parts, in their order.
struct key {
	const char *kind; // a word of letters, but not "new"; the file's name begins with it
	std::span<const bytes> parts;
};

struct contents {
	std::unique_ptr<std::byte[]> memory; // null if there is no such entry
	bytes value;                         // at its beginning, so it is aligned for anything

	explicit operator bool() const { return memory != nullptr; }
};

// Returns whether one who has written an entry of @size bytes is to look after the folder, by a number that is any of
// 32 bits with the same chance.
bool is_time_to_sweep(uint64_t size, uint64_t most, uint32_t random);

struct usage {
	uint64_t entries = 0, bytes = 0;
};

// A store is thread safe: it keeps nothing but its name.
class store
{
      public:
	// @folder is made by put(), in a folder of the user's, which is made as well; "" means that there is no store.
	// @most is in bytes in all; the entries that were used longest ago go first, before so much is there but for
	// rare cases: who writes looks at the whole folder now and then (is_time_to_sweep()).
	store(std::string folder, uint64_t most) : folder_(std::move(folder)), most_(most) {}

	const std::string &folder() const { return folder_; }
	contents get(const key &k) const;
	// Replaces what is there. It costs the same however much there is, but for the sweeps.
	void put(const key &k, bytes value) const;
	// Counts what is there now.
	usage used() const;

      private:
	bool make_folder() const;

	const std::string folder_;
	const uint64_t most_;
};

} // namespace het::cache
