// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The benchmarks compare these kinds of host memory.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace bench
{

inline constexpr size_t page_size = 4096;

// The mapping is fresh, private and anonymous, with 4 KiB pages only (MADV_NOHUGEPAGE).
class small_page_mapping
{
      public:
	explicit small_page_mapping(size_t nbytes);
	~small_page_mapping();
	small_page_mapping(const small_page_mapping &) = delete;
	small_page_mapping &operator=(const small_page_mapping &) = delete;
	char *data() const { return data_; }
	size_t size() const { return size_; }
	// Gives the pages back: the next write of each is a first write.
	void forget();

      private:
	char *data_;
	size_t size_;
};

// The array comes from malloc. Without edges it begins and ends at page boundaries; with edges it begins and ends
// inside pages that belong to the allocator.
class host_array
{
      public:
	host_array() = default;
	host_array(size_t nbytes, bool edges);
	void *data() const { return data_; }
	size_t size() const { return size_; }

      private:
	struct releaser {
		void operator()(void *p) const;
	};
	std::unique_ptr<void, releaser> block_;
	void *data_ = nullptr;
	size_t size_ = 0;
};

// Writes one byte in each page without changing its value, like a host that changes the array everywhere.
void write_each_page(void *p, size_t nbytes);

// Reads one byte in each page.
void read_each_page(const void *p, size_t nbytes);

} // namespace bench
