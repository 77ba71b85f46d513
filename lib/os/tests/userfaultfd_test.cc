// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The library relies on this behaviour of userfaultfd. These tests look whether the running kernel shows it.
#include "os/userfaultfd.h"

#include "os/mapping.h"
#include "os/settings.h"
#include "os/tests/again.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <thread>

using namespace het;

namespace
{

size_t page()
{
	return page_size();
}

// Maps the pages of a file twice: @primary is watched, and @alias stays as it is.
class twice_mapped
{
      public:
	explicit twice_mapped(size_t pages) : fd_(memfd_create("test", MFD_CLOEXEC))
	{
		size_t n = pages * page();
		EXPECT_EQ(ftruncate(fd_, off_t(n)), 0);
		populate(0, pages);
		primary_ = range_of(mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0), n);
		alias_ = range_of(mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0), n);
		for (size_t i = 0; i < pages; i++)
			*alias(i) = char('a' + i);
	}
	twice_mapped(const twice_mapped &) = delete;
	twice_mapped &operator=(const twice_mapped &) = delete;
	~twice_mapped()
	{
		unmap(primary_);
		unmap(alias_);
		close(fd_);
	}
	range all() const { return primary_; }
	// Returns pages [first, last) of the primary.
	range pages(size_t first, size_t last) const
	{
		return {primary_.begin + first * page(), primary_.begin + last * page()};
	}
	char *primary(size_t i) const { return static_cast<char *>(pages(i, i).ptr()); }
	char *alias(size_t i) const { return static_cast<char *>(alias_.ptr()) + i * page(); }
	void populate(size_t first, size_t last) const
	{
		EXPECT_EQ(fallocate(fd_, 0, off_t(first * page()), off_t((last - first) * page())), 0);
	}
	void punch(size_t i) const
	{
		int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
		EXPECT_EQ(fallocate(fd_, mode, off_t(i * page()), off_t(page())), 0);
	}

      private:
	int fd_;
	range primary_, alias_;
};

bool page_map_bit(const void *p, unsigned bit)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t entry = 0;
	off_t at = off_t(reinterpret_cast<uintptr_t>(p) / page() * sizeof(entry));
	EXPECT_EQ(pread(fd, &entry, sizeof(entry), at), ssize_t(sizeof(entry)));
	close(fd);
	return entry >> bit & 1;
}
bool present(const void *p)
{
	return page_map_bit(p, 63);
}
bool write_protected(const void *p)
{
	return page_map_bit(p, 57);
}

// Tells which of the pages are mapped, as "m.m".
std::string mapped_pages(const twice_mapped &m)
{
	std::string out;
	for (size_t i = 0; i < m.all().size() / page(); i++)
		out += present(m.primary(i)) ? 'm' : '.';
	return out;
}

struct fault {
	uintptr_t page;
	uint64_t flags;
};

// peek() and poke() race by intention.
char peek(const char *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}
void poke(char *p, char value)
{
	__atomic_store_n(p, value, __ATOMIC_RELAXED);
}

class uffd : public testing::Test
{
      protected:
	void SetUp() override
	{
		const char *why = nullptr;
		if (std::optional<userfaultfd> opened = userfaultfd::open(0, &why))
			u_.emplace(std::move(*opened));
		else
			GTEST_SKIP() << why;
		EXPECT_EQ(why, nullptr);
	}

	// Watches the primary and takes all its pages away.
	void watch_and_revoke(const twice_mapped &m)
	{
		ASSERT_EQ(u_->register_shared(m.all()), 0);
		ASSERT_EQ(drop_pages(m.all()), 0);
	}

	fault next_fault(int timeout_ms = -1)
	{
		pollfd p{u_->file().number(), POLLIN, 0};
		uffd_msg msg{};
		if (poll(&p, 1, timeout_ms) != 1 || read(u_->file().number(), &msg, sizeof(msg)) != sizeof(msg))
			return {};
		EXPECT_EQ(msg.event, UFFD_EVENT_PAGEFAULT);
		return {round_down(msg.arg.pagefault.address, page()), msg.arg.pagefault.flags};
	}
	bool no_fault() { return !next_fault(20).page; }

	std::optional<userfaultfd> u_;
};

TEST_F(uffd, knows_what_it_can_catch)
{
	const char *way = settings().uffd_open;
	if (way) {
		EXPECT_EQ(u_->kernel_mode(), strcmp(way, "user") != 0);
	}
	utsname name;
	int major, minor;
	ASSERT_EQ(uname(&name), 0);
	ASSERT_EQ(sscanf(name.release, "%d.%d", &major, &minor), 2);
	bool has_continue_wp = major > 6 || (major == 6 && minor >= 4);
	EXPECT_EQ(u_->continue_wp(), has_continue_wp && !settings().kernel_6_1);
}

TEST_F(uffd, refuses_features_that_nobody_has)
{
	const char *why = nullptr;
	EXPECT_FALSE(userfaultfd::open(uint64_t{1} << 62, &why));
	ASSERT_NE(why, nullptr);
	EXPECT_NE(strstr(why, "lacks"), nullptr) << why;
}

TEST_F(uffd, belongs_to_the_last_it_was_moved_to)
{
	int fd = u_->file().number();
	{
		userfaultfd moved(std::move(*u_));
		EXPECT_EQ(moved.file().number(), fd);
		EXPECT_NE(fcntl(fd, F_GETFD), -1);
		EXPECT_TRUE(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	}
	EXPECT_EQ(fcntl(fd, F_GETFD), -1);
	u_.reset();
}

TEST_F(uffd, a_touch_waits_for_its_page)
{
	twice_mapped m(4);
	watch_and_revoke(m);
	char seen = 0;
	std::thread toucher([&] { seen = peek(m.primary(2) + 5); });
	fault f = next_fault();
	EXPECT_EQ(f.page, m.pages(2, 3).begin);
	EXPECT_FALSE(f.flags & UFFD_PAGEFAULT_FLAG_WRITE);
	EXPECT_TRUE(f.flags & UFFD_PAGEFAULT_FLAG_MINOR);
	poke(m.alias(2) + 5, 'X'); // a fetch does this
	EXPECT_EQ(u_->continue_from(m.pages(2, 3), false), 0);
	toucher.join();
	EXPECT_EQ(seen, 'X');
	EXPECT_EQ(mapped_pages(m), "..m.");
}

TEST_F(uffd, a_write_is_told_from_a_read)
{
	twice_mapped m(2);
	watch_and_revoke(m);
	std::thread toucher([&] { poke(m.primary(1), 'w'); });
	fault f = next_fault();
	EXPECT_EQ(f.page, m.pages(1, 2).begin);
	EXPECT_TRUE(f.flags & UFFD_PAGEFAULT_FLAG_WRITE);
	EXPECT_EQ(u_->continue_from(m.pages(1, 2), false), 0);
	toucher.join();
	EXPECT_EQ(peek(m.alias(1)), 'w');
	EXPECT_TRUE(no_fault());
}

TEST_F(uffd, holes_of_the_file_are_caught_but_can_not_be_shown)
{
	twice_mapped m(2);
	watch_and_revoke(m);
	m.punch(0);
	char seen = 'x';
	std::thread toucher([&] { seen = peek(m.primary(0)); });
	fault f = next_fault();
	EXPECT_EQ(f.page, m.pages(0, 1).begin);
	EXPECT_FALSE(f.flags & UFFD_PAGEFAULT_FLAG_MINOR);
	EXPECT_EQ(u_->continue_from(m.pages(0, 2), false), -EFAULT);
	m.populate(0, 1);
	EXPECT_EQ(u_->continue_from(m.pages(0, 2), false), 0);
	toucher.join();
	EXPECT_EQ(seen, 0);
}

TEST_F(uffd, system_calls_are_caught_or_fail)
{
	twice_mapped m(2);
	watch_and_revoke(m);
	int sink[2];
	ASSERT_EQ(pipe2(sink, O_CLOEXEC), 0);
	ssize_t written = 0;
	int err = 0;
	std::thread toucher([&] {
		written = write(sink[1], m.primary(1), 8);
		err = errno;
	});
	if (u_->kernel_mode()) {
		EXPECT_EQ(next_fault().page, m.pages(1, 2).begin);
		EXPECT_EQ(u_->continue_from(m.pages(1, 2), false), 0);
	}
	toucher.join();
	if (u_->kernel_mode()) {
		EXPECT_EQ(written, 8);
	} else {
		EXPECT_EQ(written, -1);
		EXPECT_EQ(err, EFAULT);
	}
	close(sink[0]);
	close(sink[1]);
}

// ---- continue_from -------------------------------------------------------------------------------------

TEST_F(uffd, continue_maps_all)
{
	twice_mapped m(8);
	watch_and_revoke(m);
	EXPECT_EQ(mapped_pages(m), "........");
	EXPECT_EQ(u_->continue_from(m.pages(2, 6), false), 0);
	EXPECT_EQ(mapped_pages(m), "..mmmm..");
	for (size_t i = 2; i < 6; i++) {
		EXPECT_EQ(*m.primary(i), char('a' + i));
		*m.primary(i) = 'w'; // the page is not protected
	}
	EXPECT_TRUE(no_fault());
}

TEST_F(uffd, continue_stops_at_a_mapped_page)
{
	twice_mapped m(8);
	watch_and_revoke(m);
	ASSERT_EQ(u_->continue_from(m.pages(3, 4), false), 0);
	EXPECT_EQ(u_->continue_from(m.pages(1, 7), false), 0);
	EXPECT_EQ(mapped_pages(m), ".mmm....");
}

TEST_F(uffd, continue_does_nothing_where_the_first_page_is_mapped)
{
	twice_mapped m(8);
	watch_and_revoke(m);
	ASSERT_EQ(u_->continue_from(m.pages(1, 2), false), 0);
	EXPECT_EQ(u_->continue_from(m.pages(1, 2), false), -EEXIST);
	EXPECT_EQ(u_->continue_from(m.pages(1, 6), false), -EEXIST);
	EXPECT_EQ(u_->continue_from(m.pages(1, 6), true), -EEXIST);
	EXPECT_EQ(mapped_pages(m), ".m......");
	EXPECT_FALSE(write_protected(m.primary(1)));
}

// mlock(), mprotect() and madvise() of a part split mappings. This takes the last.
void split(const twice_mapped &m, size_t first, size_t last)
{
	ASSERT_EQ(madvise(m.primary(first), (last - first) * page(), MADV_RANDOM), 0);
}

TEST_F(uffd, continue_spans_split_mappings)
{
	for (auto [first, last] : {std::pair<size_t, size_t>{3, 5}, {1, 2}, {0, 7}, {6, 8}, {7, 8}}) {
		twice_mapped m(8);
		watch_and_revoke(m);
		split(m, first, last);
		EXPECT_EQ(u_->continue_from(m.all(), false), 0);
		EXPECT_EQ(mapped_pages(m), "mmmmmmmm");
	}
}

TEST_F(uffd, continue_answers_for_the_first_page_of_split_mappings)
{
	twice_mapped m(8);
	watch_and_revoke(m);
	split(m, 3, 5);
	ASSERT_EQ(u_->continue_from(m.pages(6, 7), false), 0);
	EXPECT_EQ(u_->continue_from(m.all(), false), 0);
	EXPECT_EQ(mapped_pages(m), "mmmmmmm.") << "each mapping up to its first mapped page";
	EXPECT_EQ(u_->continue_from(m.all(), false), -EEXIST);
}

TEST_F(uffd, continue_maps_what_is_left_of_a_mapping)
{
	twice_mapped m(8);
	watch_and_revoke(m);
	unmap(m.pages(5, 6));
	EXPECT_EQ(u_->continue_from(m.all(), false), -ENOENT);
	EXPECT_EQ(mapped_pages(m), "mmmmm.mm");
	EXPECT_EQ(u_->continue_from(m.pages(5, 6), false), -ENOENT);
}

TEST_F(uffd, continue_can_show_pages_read_only)
{
	if (!u_->continue_wp())
		GTEST_SKIP() << "not with this kernel's features";
	twice_mapped m(4);
	watch_and_revoke(m);
	split(m, 2, 3);
	EXPECT_EQ(u_->continue_from(m.all(), true), 0);
	for (size_t i = 0; i < 4; i++) {
		EXPECT_TRUE(write_protected(m.primary(i)));
		EXPECT_EQ(*m.primary(i), char('a' + i));
	}
	EXPECT_TRUE(no_fault());
	std::thread toucher([&] { poke(m.primary(2), 'w'); });
	fault f = next_fault();
	EXPECT_EQ(f.page, m.pages(2, 3).begin);
	EXPECT_TRUE(f.flags & UFFD_PAGEFAULT_FLAG_WP);
	EXPECT_EQ(u_->continue_from(m.pages(2, 3), false), -EEXIST);
	EXPECT_EQ(u_->write_protect(m.pages(2, 3), false), 0);
	toucher.join();
	EXPECT_EQ(peek(m.alias(2)), 'w');
}

// ---- write_protect, drop_pages, wake -------------------------------------------------------------------

TEST_F(uffd, protected_pages_are_read_freely_and_written_with_notice)
{
	twice_mapped m(8);
	watch_and_revoke(m);
	split(m, 3, 5);
	ASSERT_EQ(u_->continue_from(m.all(), false), 0);
	EXPECT_EQ(u_->write_protect(m.pages(1, 7), true), 0);
	for (size_t i = 0; i < 8; i++) {
		EXPECT_EQ(write_protected(m.primary(i)), i >= 1 && i < 7);
		EXPECT_EQ(*m.primary(i), char('a' + i));
	}
	*m.primary(0) = *m.primary(7) = 'w';
	EXPECT_TRUE(no_fault());
	std::thread toucher([&] { poke(m.primary(4), 'w'); });
	EXPECT_EQ(next_fault().page, m.pages(4, 5).begin);
	EXPECT_EQ(peek(m.alias(4)), 'e');
	EXPECT_EQ(u_->write_protect(m.pages(1, 7), false), 0);
	toucher.join();
	EXPECT_EQ(peek(m.alias(4)), 'w');
	*m.primary(3) = 'w';
	EXPECT_TRUE(no_fault());
}

TEST_F(uffd, protection_of_absent_pages_is_remembered)
{
	twice_mapped m(4);
	watch_and_revoke(m);
	EXPECT_EQ(u_->write_protect(m.pages(1, 3), true), 0);
	EXPECT_EQ(mapped_pages(m), "....");
	for (size_t i = 0; i < 4; i++)
		EXPECT_EQ(write_protected(m.primary(i)), i >= 1 && i < 3);
	EXPECT_EQ(u_->continue_from(m.all(), false), 0);
	EXPECT_FALSE(write_protected(m.primary(1))) << "a plain continue drops it";
}

TEST_F(uffd, locked_pages_can_be_dropped)
{
	twice_mapped m(4);
	// The sanitizers turn mlock() into a no-op.
	if (syscall(SYS_mlock, m.primary(1), 2 * page()))
		GTEST_SKIP() << "no memory may be locked (ulimit -l)";
	EXPECT_EQ(madvise(m.primary(0), 4 * page(), MADV_DONTNEED), -1);
	watch_and_revoke(m);
	EXPECT_EQ(mapped_pages(m), "....");
	EXPECT_EQ(u_->continue_from(m.all(), false), 0);
	EXPECT_EQ(mapped_pages(m), "mmmm");
	EXPECT_EQ(*m.primary(1), 'b');
}

TEST_F(uffd, dropping_what_is_not_mapped_fails)
{
	twice_mapped m(4);
	unmap(m.pages(2, 3));
	EXPECT_EQ(drop_pages(m.all()), -ENOMEM);
	EXPECT_EQ(drop_pages(m.pages(0, 2)), 0);
}

TEST_F(uffd, wake_frees_those_who_sleep_on_a_mapping_that_was_replaced)
{
	twice_mapped m(2);
	watch_and_revoke(m);
	std::atomic<char> seen{'x'};
	std::thread toucher([&] { seen.store(peek(m.primary(1))); });
	EXPECT_EQ(next_fault().page, m.pages(1, 2).begin);
	constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	ASSERT_NE(mmap(m.primary(0), 2 * page(), PROT_READ | PROT_WRITE, flags, -1, 0), MAP_FAILED);
	EXPECT_EQ(seen.load(), 'x');
	u_->wake(m.pages(1, 2));
	toucher.join();
	EXPECT_EQ(seen.load(), 0);
}

TEST_F(uffd, unregistered_memory_is_ordinary_again)
{
	twice_mapped m(4);
	watch_and_revoke(m);
	split(m, 1, 2);
	EXPECT_EQ(u_->unregister(m.all()), 0);
	for (size_t i = 0; i < 4; i++)
		EXPECT_EQ(*m.primary(i), char('a' + i));
	EXPECT_TRUE(no_fault());
}

// ---- private memory ------------------------------------------------------------------------------------

TEST_F(uffd, private_memory_holds_its_writers)
{
	size_t n = 4 * page();
	void *p = map_private(n);
	ASSERT_NE(p, nullptr);
	memset(p, 'a', n);
	range r = range_of(p, n);
	auto *bytes = static_cast<char *>(p);
	ASSERT_EQ(u_->register_private(r), 0);
	ASSERT_EQ(u_->write_protect(r, true), 0);
	EXPECT_EQ(bytes[0], 'a');
	std::thread writer([&] { poke(bytes, 'w'); });
	fault f = next_fault();
	EXPECT_EQ(f.page, r.begin);
	EXPECT_TRUE(f.flags & UFFD_PAGEFAULT_FLAG_WP);
	EXPECT_EQ(peek(bytes), 'a');
	EXPECT_EQ(u_->write_protect(r, false), 0);
	writer.join();
	EXPECT_EQ(bytes[0], 'w');
	EXPECT_EQ(u_->unregister(r), 0);
	unmap(r);
}

TEST_F(uffd, private_memory_without_contents_is_caught)
{
	size_t n = 2 * page();
	void *p = map_private(n);
	ASSERT_NE(p, nullptr);
	range r = range_of(p, n);
	ASSERT_EQ(u_->register_private(r), 0);
	std::atomic<char> seen{'x'};
	std::thread reader([&] { seen.store(peek(static_cast<char *>(p))); });
	EXPECT_EQ(next_fault().page, r.begin);
	EXPECT_EQ(seen.load(), 'x');
	EXPECT_EQ(u_->unregister(r), 0);
	u_->wake(r);
	reader.join();
	EXPECT_EQ(seen.load(), 0);
	unmap(r);
}

TEST_F(uffd, memory_that_is_not_mapped_is_refused)
{
	twice_mapped m(2);
	unmap(m.all());
	EXPECT_LT(u_->register_shared(m.all()), 0);
	EXPECT_LT(u_->register_private(m.all()), 0);
	EXPECT_EQ(u_->write_protect(m.all(), true), -ENOENT);
}

// ---- the same under other settings ---------------------------------------------------------------------

TEST(uffd_again, opened_in_each_way)
{
	for (const char *way : {"dev", "syscall", "user"})
		expect_to_pass_again(std::string("GPUVM_UFFD_OPEN=") + way, "uffd.*");
}

TEST(uffd_again, with_the_features_of_linux_6_1)
{
	expect_to_pass_again("GPUVM_UFFD_FEATURES=6.1", "uffd.*");
}

TEST(uffd_way, unknown)
{
	if (!settings().uffd_open || strcmp(settings().uffd_open, "nonsense") != 0) {
		expect_to_pass_again("GPUVM_UFFD_OPEN=nonsense", "uffd_way.*");
		return;
	}
	const char *why = nullptr;
	EXPECT_FALSE(userfaultfd::open(0, &why));
	EXPECT_NE(why, nullptr);
}

} // namespace
