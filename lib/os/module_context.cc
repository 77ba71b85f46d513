// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// <gpuvm.h> must not be included here: the kernel's names are other than the library's, save some that are the same.
#include "os/module_context.h"

#include "os/locked_memory.h"
#include "os/mapping.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/gpuvm.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace het
{

namespace
{

constexpr char device_file[] = "/dev/gpuvm";
constexpr int read_write = PROT_READ | PROT_WRITE;
// The module's chunks have this size in parts that hold several arrays anyhow: those of gpuvm_malloc(), if they are not
// large.
constexpr size_t grain_size = 64 << 10;

const char *why_not_open(int err)
{
	switch (err) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return "there is no /dev/gpuvm (load the module: modprobe gpuvm)";
	case EACCES:
	case EPERM:
		return "no right to open /dev/gpuvm (join the group gpuvm)";
	case EMFILE:
	case ENFILE:
		return "no file descriptor is left (ulimit -n)";
	default:
		return "/dev/gpuvm can't be opened";
	}
}

const char *why_not_greeted(int err)
{
	switch (err) {
	case ENOTTY:
	case EINVAL:
	case E2BIG:
		return "the module is of a version that this library does not know (install those that belong "
		       "together)";
	case EMFILE:
	case ENFILE:
		return "no file descriptor is left (ulimit -n)";
	case ENOMEM:
		return "the module gets no memory";
	default:
		return "the module refuses to work";
	}
}

// Returns 0 or -errno.
int call(int fd, unsigned long number, void *argument)
{
	int rc;
	do
		rc = ioctl(fd, number, argument);
	while (rc < 0 && errno == EINTR);
	return rc < 0 ? -errno : 0;
}

int range_call(int fd, unsigned long number, uint64_t offset, size_t n, gpuvm_range_op *op)
{
	gpuvm_range r{.offset = offset, .length = n};
	op->size = sizeof(*op);
	op->ranges = reinterpret_cast<uintptr_t>(&r);
	op->count = 1;
	return call(fd, number, op);
}

gpuvm_state state_for(page_state s)
{
	switch (s) {
	case page_state::host:
		return GPUVM_STATE_HOST;
	case page_state::shared:
		return GPUVM_STATE_SHARED;
	case page_state::device:
		return GPUVM_STATE_DEVICE;
	case page_state::failed:
		break;
	}
	return GPUVM_STATE_FAILED;
}

access access_in(uint8_t bits)
{
	return bits & GPUVM_ACCESSED_WRITE ? access::write : bits ? access::read : access::none;
}

// Returns the address space for the alias: enough for several times the machine's memory, less where RLIMIT_AS leaves
// less.
uint64_t wanted_space(size_t page)
{
	uint64_t memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * page;
	uint64_t wanted = std::max<uint64_t>(uint64_t{64} << 30, memory * 4);
	return round_up(std::min<uint64_t>(wanted, GPUVM_SPACE), huge_page);
}

constexpr uint64_t least_space = 64 << 20;

} // namespace

bool module_context::is_present()
{
	return !::access(device_file, F_OK);
}

// The module's pages count as locked memory unless its parameter says otherwise.
const char *module_context::objection()
{
	char counted = 'Y';
	int fd = ::open("/sys/module/gpuvm/parameters/memlock", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		[[maybe_unused]] ssize_t n = ::read(fd, &counted, 1);
		close(fd);
	}
	uint64_t memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * page_size();
	bool enough = counted == 'N' || lockable_bytes() >= memory / 4;
	return enough ? nullptr : "its arrays count as locked memory, of which too little is allowed (ulimit -l)";
}

std::unique_ptr<module_context> module_context::open(const char **why)
{
	own_descriptor file(::open(device_file, O_RDWR | O_CLOEXEC));
	if (!file) {
		*why = why_not_open(errno);
		return nullptr;
	}
	std::unique_ptr<module_context> c(new module_context(std::move(file)));
	if (!c->greet(why))
		return nullptr;
	*why = "no address space for the alias mapping (raise 'ulimit -v')";
	if (!c->map_tables())
		return nullptr;
	c->spare_.open();
	return c;
}

bool module_context::greet(const char **why)
{
	gpuvm_hello hello{};
	hello.size = sizeof(hello);
	hello.features = GPUVM_FEATURE_SHARED | GPUVM_FEATURE_HUGE | GPUVM_FEATURE_NODE | GPUVM_FEATURE_ACCESSED;
	if (int err = call(file_.get(), GPUVM_IOC_HELLO, &hello)) {
		*why = why_not_greeted(-err);
		return false;
	}
	event_file_ = own_descriptor(hello.event_fd);
	features_ = hello.features;
	page_ = hello.page_size;
	ring_bytes_ = hello.ring_bytes;
	return true;
}

bool module_context::map_tables()
{
	for (size_ = wanted_space(page_); !alias_ && size_ >= least_space; size_ /= 2) {
		size_ = round_up(size_, huge_page);
		alias_ = static_cast<char *>(map_file_aligned(size_, read_write, file_.get(), GPUVM_MMAP_ALIAS));
		if (alias_)
			break;
	}
	constexpr size_t counters_size = GPUVM_REGIONS_MAX * sizeof(uint64_t);
	void *states = map_file(nullptr, size_ / page_, PROT_READ, file_.get(), GPUVM_MMAP_STATE);
	void *counters = map_file(nullptr, counters_size, PROT_READ, file_.get(), GPUVM_MMAP_UPGRADES);
	void *ring = map_file(nullptr, ring_bytes_, read_write, file_.get(), GPUVM_MMAP_RING);
	states_ = static_cast<const uint8_t *>(states);
	counters_ = static_cast<const write_counter *>(counters);
	ring_ = static_cast<gpuvm_ring *>(ring);
	return alias_ && states && counters && ring;
}

module_context::~module_context()
{
	if (alias_)
		unmap(range_of(alias_, size_));
	if (states_)
		unmap(range_of(states_, size_ / page_));
	if (counters_)
		unmap(range_of(counters_, GPUVM_REGIONS_MAX * sizeof(uint64_t)));
	if (ring_)
		unmap(range_of(ring_, ring_bytes_));
}

bool module_context::can_share() const
{
	return features_ & GPUVM_FEATURE_SHARED;
}

bool module_context::can_tell_accesses() const
{
	return features_ & GPUVM_FEATURE_ACCESSED;
}

int module_context::set_state(uint64_t offset, size_t n, page_state to) const
{
	gpuvm_range_op op{};
	op.state = state_for(to);
	int err = range_call(file_.get(), GPUVM_IOC_SET_STATE, offset, n, &op);
	return err ? err : op.upgraded != 0;
}

void module_context::wake(uint64_t offset, size_t n) const
{
	gpuvm_range_op op{};
	// Where a part is gone meanwhile, whoever waited there has been let go.
	range_call(file_.get(), GPUVM_IOC_WAKE, offset, n, &op);
}

// Looks at eight states at a time where they are aligned so.
bool module_context::was_written(uint64_t offset, size_t n) const
{
	const uint8_t *p = states_ + offset / page_, *end = p + n / page_;
	auto at_word = [&] { return !(reinterpret_cast<uintptr_t>(p) % 8) && end - p >= 8; };
	for (; p < end && !at_word(); p++) {
		if (__atomic_load_n(p, __ATOMIC_RELAXED) & GPUVM_STATE_UPGRADED)
			return true;
	}
	for (uint64_t flags = 0x0101010101010101 * GPUVM_STATE_UPGRADED; at_word(); p += 8) {
		if (__atomic_load_n(reinterpret_cast<const uint64_t *>(p), __ATOMIC_RELAXED) & flags)
			return true;
	}
	for (; p < end; p++) {
		if (__atomic_load_n(p, __ATOMIC_RELAXED) & GPUVM_STATE_UPGRADED)
			return true;
	}
	return false;
}

void module_context::take_accesses(std::span<const part> parts, access *answers) const
{
	gpuvm_range ranges[most_parts];
	uint8_t bits[most_parts];
	for (size_t i = 0; i < parts.size(); i++)
		ranges[i] = {.offset = parts[i].offset, .length = parts[i].size};
	gpuvm_range_op op{};
	op.size = sizeof(op);
	op.ranges = reinterpret_cast<uintptr_t>(ranges);
	op.count = uint32_t(parts.size());
	op.accessed = reinterpret_cast<uintptr_t>(bits);
	call(file_.get(), GPUVM_IOC_ACCESSED, &op);
	for (size_t i = 0; i < parts.size(); i++)
		answers[i] = i < op.done ? access_in(bits[i]) : access::read;
}

bool module_context::has_touch() const
{
	return __atomic_load_n(&ring_->head, __ATOMIC_ACQUIRE) != __atomic_load_n(&ring_->tail, __ATOMIC_RELAXED);
}

bool module_context::take(touch *t) const
{
	if (!has_touch())
		return false;
	uint32_t tail = ring_->tail;
	auto *entries = reinterpret_cast<const gpuvm_touch *>(reinterpret_cast<const char *>(ring_) + ring_->first);
	const gpuvm_touch &e = entries[tail & (ring_->entries - 1)];
	*t = {e.offset, e.address, (e.flags & GPUVM_TOUCH_WRITE) != 0};
	__atomic_store_n(&ring_->tail, tail + 1, __ATOMIC_RELEASE);
	return true;
}

size_t module_context::grain() const
{
	return std::max(grain_size, page_);
}

// The module maps whole chunks, so only those can be mapped huge.
size_t module_context::huge_chunk() const
{
	return features_ & GPUVM_FEATURE_HUGE ? huge_page : 0;
}

const char *module_context::cure() const
{
	return "free memory, or raise 'ulimit -l': the kernel module counts arrays as locked memory";
}

const write_counter *module_context::create(uint64_t offset, size_t n, const page_use &use)
{
	gpuvm_region r{};
	r.size = sizeof(r);
	r.offset = offset;
	r.length = n;
	r.chunk_shift = std::min<unsigned>(use.chunk_shift, GPUVM_CHUNK_SHIFT_MAX);
	if (use.huge && features_ & GPUVM_FEATURE_HUGE)
		r.flags |= GPUVM_REGION_HUGE;
	if (use.node >= 0 && features_ & GPUVM_FEATURE_NODE) {
		r.flags |= GPUVM_REGION_NODE;
		r.node = unsigned(use.node);
	}
	int err = call(file_.get(), GPUVM_IOC_REGION_CREATE, &r);
	if (err == -EINVAL && r.flags & GPUVM_REGION_NODE) {
		// No such node is online.
		r.flags &= ~GPUVM_REGION_NODE;
		r.node = 0;
		err = call(file_.get(), GPUVM_IOC_REGION_CREATE, &r);
	}
	return err ? nullptr : counters_ + r.id;
}

void module_context::destroy(uint64_t offset, size_t)
{
	gpuvm_region r{};
	r.size = sizeof(r);
	r.offset = offset;
	call(file_.get(), GPUVM_IOC_REGION_DESTROY, &r);
}

bool module_context::populate(uint64_t offset, size_t n) const
{
	gpuvm_range_op op{};
	return !range_call(file_.get(), GPUVM_IOC_POPULATE, offset, n, &op);
}

bool module_context::fill(uint64_t offset, const void *from, size_t n) const
{
	if (!populate(offset, n))
		return false;
	memcpy(alias(offset), from, n);
	return true;
}

bool module_context::read(uint64_t offset, void *to, size_t n) const
{
	if (!populate(offset, n))
		return false;
	memcpy(to, alias(offset), n);
	return true;
}

bool module_context::map_at(range r, uint64_t offset) const
{
	return map_file(r.ptr(), r.size(), read_write, file_.get(), GPUVM_MMAP_PRIMARY + offset);
}

// The module's own pages are never private.
bool module_context::leave_at(range r, uint64_t offset)
{
	if (!spare_.replace(r, alias(offset)))
		return false;
	destroy(offset, r.size());
	return true;
}

// The pages are huge already if the part was created so.
size_t module_context::make_huge(range r, uint64_t) const
{
	return features_ & GPUVM_FEATURE_HUGE ? r.size() : 0;
}

} // namespace het
