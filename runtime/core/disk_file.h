// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A checkpoint file on a disk. One process writes it at a time.
#pragma once

#include "checkpoint/file.h"
#include "os/descriptor.h"

namespace het::rt
{

class disk_file final : public checkpoint::file
{
      public:
	enum class opened : uint8_t { yes, absent, in_use, failed };
	// With `failed` the reason is in errno.
	opened open(const char *path, bool read_only);
	// Makes an empty one, to be put in place when it is whole. One that was left there is used again. Who may read and
	// write it is as with @like, unless that is null.
	opened make(const char *path, const disk_file *like = nullptr);
	// The name still means this file.
	bool is_at(const char *path) const;
	// What is at @from gets the name @to, also if something has it and it @replaces that. *stands says that it has, even
	// if that is not sure to last.
	static bool put_in_place(const char *from, const char *to, bool replaces, bool *stands);

	uint64_t size() const override;
	bool read(uint64_t at, std::span<std::byte> to) override;
	bool write(uint64_t at, checkpoint::bytes from) override;
	bool sync() override;
	bool cut(uint64_t size) override;

      private:
	opened open(const char *path, int how, unsigned mode);
	bool take_rights_of(const disk_file &other);

	descriptor fd_;
};

} // namespace het::rt
