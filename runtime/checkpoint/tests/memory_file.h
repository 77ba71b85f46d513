// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A file that fails when the test says so, and that knows what would be on the disk if the machine stopped now.
#pragma once

#include "checkpoint/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <random>
#include <vector>

namespace het::checkpoint
{

using image = std::vector<std::byte>;

class memory_file final : public file
{
      public:
	memory_file() = default;
	explicit memory_file(image i) : now_(i), on_disk_(std::move(i)) {}

	uint64_t size() const override { return now_.size(); }
	bool read(uint64_t at, std::span<std::byte> to) override
	{
		if (at > now_.size() || to.size() > now_.size() - at) {
			errno = EIO;
			return false;
		}
		std::copy_n(now_.begin() + long(at), to.size(), to.begin());
		return true;
	}
	bool write(uint64_t at, bytes from) override
	{
		const bool fails = is_failing();
		const bytes done = from.first(fails ? std::min<size_t>(partial, from.size()) : from.size());
		change c = {at, {done.begin(), done.end()}, false};
		apply(now_, c);
		unsynced_.push_back(std::move(c));
		return !fails;
	}
	bool sync() override
	{
		if (is_failing())
			return false;
		on_disk_ = now_;
		unsynced_.clear();
		return true;
	}
	bool cut(uint64_t size) override
	{
		if (is_failing())
			return false;
		unsynced_.push_back({size, {}, true});
		now_.resize(size);
		return true;
	}

	const image &now() const { return now_; }
	// Of what was not synced each change is on the disk, or is not.
	image after_a_stop(std::mt19937 &random) const
	{
		image i = on_disk_;
		for (const change &c : unsynced_) {
			if (random() % 2)
				apply(i, c);
		}
		return i;
	}

	// The operation with this number fails, and all that follow; of a write so many bytes are done.
	uint64_t fails_at = UINT64_MAX;
	size_t partial = 0;
	uint64_t operations = 0;

      private:
	struct change {
		uint64_t at;
		image bytes;
		bool is_cut;
	};

	bool is_failing()
	{
		errno = ENOSPC;
		return operations++ >= fails_at;
	}
	static void apply(image &i, const change &c)
	{
		if (c.is_cut) {
			i.resize(c.at);
			return;
		}
		if (i.size() < c.at + c.bytes.size())
			i.resize(c.at + c.bytes.size());
		std::copy(c.bytes.begin(), c.bytes.end(), i.begin() + long(c.at));
	}

	image now_, on_disk_;
	std::vector<change> unsynced_;
};

} // namespace het::checkpoint
