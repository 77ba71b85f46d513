// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A checkpoint file on a disk. One process writes it at a time.
#pragma once

#include "checkpoint/file.h"
#include "os/descriptor.h"

#include <memory>

namespace het::rt
{

class disk_file final : public checkpoint::file
{
      public:
	disk_file() = default;
	disk_file(disk_file &&) = default;
	disk_file &operator=(disk_file &&o) noexcept;
	~disk_file() override;

	// Whatever fails or is false leaves the reason in errno.
	enum class opened : uint8_t { yes, absent, in_use, failed };
	opened open(const char *path, bool read_only);
	// Makes an empty one beside @path, to get that name when it is whole: without a name till then, or with one
	// that nothing else has where that can't be, or @named wants it. Who may read and write it is as with @like,
	// unless that is null. If it does not get the name it goes with this object.
	bool make(const char *path, const disk_file *like = nullptr, bool named = false);
	// It gets the name @path, also if something has it and it @replaces that; else that is EEXIST.
	bool put_in_place(const char *path, bool replaces);
	// The name @path, which it has, is on the disk as well.
	bool sync_name(const char *path);
	// The name still means this file.
	bool is_at(const char *path) const;

	uint64_t size() const override;
	bool read(uint64_t at, std::span<std::byte> to) override;
	bool write(uint64_t at, checkpoint::bytes from) override;
	bool sync() override;
	bool cut(uint64_t size) override;

      private:
	bool make_nameless(const char *path, unsigned mode);
	bool make_named(const char *path, unsigned mode);
	bool get_name(const char *path);
	bool take_rights_of(const disk_file &other);

	descriptor fd_;
	// This is what a file has for a name that is to get another, or null.
	std::unique_ptr<char[]> name_;
};

} // namespace het::rt
