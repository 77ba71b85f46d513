// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/module_memory.h"

#include "common/format.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <linux/gpuvm.h>
#include <stdexcept>
#include <sys/ioctl.h>
#include <vector>

namespace bench
{

namespace
{

constexpr size_t huge_size = 2 << 20;
constexpr int read_write = PROT_READ | PROT_WRITE;

void check(bool ok, const char *what)
{
	if (!ok)
		throw std::runtime_error(format("/dev/gpuvm: %s: %s", what, strerror(errno)));
}

} // namespace

module_memory::module_memory(size_t nbytes, size_t chunk, bool huge)
    : size_(nbytes), chunk_(chunk), file_(open("/dev/gpuvm", O_RDWR | O_CLOEXEC))
{
	check(file_.get() >= 0, "open");
	greet();
	create_region(huge);
	map();
	on_all_pages(GPUVM_IOC_POPULATE, 0);
}

void module_memory::greet()
{
	gpuvm_hello hello{};
	hello.size = sizeof(hello);
	hello.features = GPUVM_FEATURE_SHARED | GPUVM_FEATURE_HUGE | GPUVM_FEATURE_ACCESSED;
	check(!ioctl(file_.get(), GPUVM_IOC_HELLO, &hello), "HELLO");
	event_ = het::descriptor(hello.event_fd);
}

void module_memory::create_region(bool huge) const
{
	gpuvm_region region{};
	region.size = sizeof(region);
	region.flags = huge ? GPUVM_REGION_HUGE : 0;
	region.length = size_;
	region.chunk_shift = uint32_t(std::countr_zero(chunk_));
	check(!ioctl(file_.get(), GPUVM_IOC_REGION_CREATE, &region), "REGION_CREATE");
}

// The mappings begin at a multiple of the huge size.
void module_memory::map()
{
	const size_t room = size_ + huge_size;
	mapping_ = owned_mapping(mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), room);
	check(bool(mapping_), "address space");
	const uintptr_t begin = (uintptr_t(mapping_.data()) + huge_size - 1) / huge_size * huge_size;
	void *p = mmap(reinterpret_cast<void *>(begin), size_, read_write, MAP_SHARED | MAP_FIXED, file_.get(),
		       off_t(GPUVM_MMAP_PRIMARY));
	check(p != MAP_FAILED, "mmap");
	data_ = static_cast<char *>(p);
}

void module_memory::on_all_pages(unsigned long number, unsigned state) const
{
	gpuvm_range all{.offset = 0, .length = size_};
	gpuvm_range_op op{};
	op.size = sizeof(op);
	op.state = state;
	op.ranges = uintptr_t(&all);
	op.count = 1;
	check(!ioctl(file_.get(), number, &op), "a call on all pages");
}

size_t module_memory::ask() const
{
	std::vector<gpuvm_range> chunks;
	for (size_t at = 0; at < size_; at += chunk_)
		chunks.push_back({.offset = at, .length = chunk_});
	std::vector<uint8_t> bits(chunks.size());
	gpuvm_range_op op{};
	op.size = sizeof(op);
	op.ranges = uintptr_t(chunks.data());
	op.count = uint32_t(chunks.size());
	op.accessed = uintptr_t(bits.data());
	check(!ioctl(file_.get(), GPUVM_IOC_ACCESSED, &op), "ACCESSED");
	return size_t(std::count_if(bits.begin(), bits.end(), [](uint8_t b) { return b & GPUVM_ACCESSED_ANY; }));
}

void module_memory::to_device() const
{
	on_all_pages(GPUVM_IOC_SET_STATE, GPUVM_STATE_DEVICE);
}

void module_memory::to_host() const
{
	on_all_pages(GPUVM_IOC_SET_STATE, GPUVM_STATE_HOST);
}

void module_memory::to_shared() const
{
	on_all_pages(GPUVM_IOC_SET_STATE, GPUVM_STATE_SHARED);
}

} // namespace bench
