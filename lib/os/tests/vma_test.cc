// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/vma.h"

#include "os/mapping.h"
#include "os/tests/again.h"

#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace het;

namespace het
{

static void PrintTo(memory_kind kind, std::ostream *out)
{
	*out << describe(kind);
}

} // namespace het

namespace
{

size_t page()
{
	return page_size();
}

class mapping
{
      public:
	mapping(size_t pages, int prot, int flags, int fd = -1)
	{
		void *p = mmap(nullptr, pages * page(), prot, flags, fd, 0);
		r_ = p == MAP_FAILED ? range{} : range_of(p, pages * page());
	}
	mapping(const mapping &) = delete;
	mapping &operator=(const mapping &) = delete;
	~mapping()
	{
		if (!r_.empty())
			munmap(r_.ptr(), r_.size());
	}
	range all() const { return r_; }
	// Returns pages [first, last).
	range pages(size_t first, size_t last) const { return {r_.begin + first * page(), r_.begin + last * page()}; }
	char *at(size_t i) const { return static_cast<char *>(pages(i, i + 1).ptr()); }

      private:
	range r_;
};

constexpr int read_write = PROT_READ | PROT_WRITE;
constexpr int private_anonymous = MAP_PRIVATE | MAP_ANONYMOUS, shared_anonymous = MAP_SHARED | MAP_ANONYMOUS;

class file
{
      public:
	explicit file(const char *name) : fd_(memfd_create(name, MFD_CLOEXEC))
	{
		EXPECT_EQ(ftruncate(fd_, off_t(4 * page())), 0);
	}
	file(const file &) = delete;
	file &operator=(const file &) = delete;
	~file() { close(fd_); }
	int fd() const { return fd_; }

      private:
	int fd_;
};

char large_bss[1 << 20];
char initialised[4] = {1, 2, 3, 4};

// ---- classify: runs twice, see below -------------------------------------------------------------------

TEST(classify, private_anonymous_memory)
{
	mapping m(8, read_write, private_anonymous);
	EXPECT_EQ(classify(m.all()), memory_kind::private_anonymous);
	EXPECT_EQ(classify({m.all().begin + 1, m.all().begin + 2}), memory_kind::private_anonymous);
	EXPECT_EQ(classify({m.all().end - 1, m.all().end}), memory_kind::private_anonymous);
	EXPECT_EQ(classify({m.all().begin + 5, m.all().end - 5}), memory_kind::private_anonymous);
	auto heap = std::make_unique<char[]>(100);
	EXPECT_EQ(classify(range_of(heap.get(), 100)), memory_kind::private_anonymous);
	auto large = std::make_unique<char[]>(1 << 20);
	EXPECT_EQ(classify(range_of(large.get(), 1 << 20)), memory_kind::private_anonymous);
	range bss = range_of(large_bss, sizeof(large_bss));
	EXPECT_EQ(classify({round_up(bss.begin, page()), round_down(bss.end, page())}), memory_kind::private_anonymous);
}

TEST(classify, several_mappings_in_a_row)
{
	mapping m(8, read_write, private_anonymous);
	ASSERT_EQ(madvise(m.at(2), page(), MADV_RANDOM), 0);
	ASSERT_EQ(mprotect(m.at(5), page(), read_write | PROT_EXEC), 0);
	EXPECT_EQ(classify(m.all()), memory_kind::private_anonymous);
}

TEST(classify, files)
{
	file f("classify");
	mapping written(4, read_write, MAP_PRIVATE, f.fd()), shared(4, read_write, MAP_SHARED, f.fd());
	EXPECT_EQ(classify(written.all()), memory_kind::private_file);
	EXPECT_EQ(classify(shared.all()), memory_kind::shared);
	*written.at(1) = 1; // the page is a private copy now, but still can't be adopted alone
	EXPECT_EQ(classify(written.pages(1, 2)), memory_kind::private_file);
	EXPECT_EQ(classify(range_of(initialised, sizeof(initialised))), memory_kind::private_file);
}

TEST(classify, files_with_names_that_mislead)
{
	std::string long_name(200, 'n');
	for (const char *name : {"[stack]", "a [stack]", long_name.c_str()}) {
		file f(name);
		mapping m(4, read_write, MAP_PRIVATE, f.fd()), shared(4, read_write, MAP_SHARED, f.fd());
		EXPECT_EQ(classify(m.all()), memory_kind::private_file) << name;
		EXPECT_EQ(classify(shared.all()), memory_kind::shared) << name;
	}
}

TEST(classify, shared_memory)
{
	mapping m(4, read_write, shared_anonymous), read_only(4, PROT_READ, shared_anonymous);
	EXPECT_EQ(classify(m.all()), memory_kind::shared);
	EXPECT_EQ(classify(read_only.all()), memory_kind::read_only) << "which no flag can help";
}

TEST(classify, huge_pages_of_hugetlb)
{
	// Nothing is touched, so the system need not have any huge pages.
	mapping m((2 << 20) / page(), read_write, private_anonymous | MAP_HUGETLB | MAP_NORESERVE);
	if (m.all().empty())
		GTEST_SKIP() << "no hugetlb here";
	EXPECT_EQ(classify(m.all()), memory_kind::private_file);
}

TEST(classify, memory_that_can_not_be_written)
{
	mapping m(4, PROT_READ, private_anonymous), none(4, PROT_NONE, private_anonymous);
	EXPECT_EQ(classify(m.all()), memory_kind::read_only);
	EXPECT_EQ(classify(none.all()), memory_kind::read_only);
	ASSERT_EQ(mprotect(m.at(0), 3 * page(), read_write), 0);
	EXPECT_EQ(classify(m.pages(0, 3)), memory_kind::private_anonymous);
	EXPECT_EQ(classify(m.all()), memory_kind::read_only) << "one page is enough";
}

TEST(classify, holes)
{
	mapping m(9, read_write, private_anonymous);
	munmap(m.at(4), page());
	EXPECT_EQ(classify(m.pages(0, 4)), memory_kind::private_anonymous);
	EXPECT_EQ(classify(m.pages(5, 9)), memory_kind::private_anonymous);
	EXPECT_EQ(classify(m.pages(4, 5)), memory_kind::unmapped);
	EXPECT_EQ(classify(m.all()), memory_kind::unmapped);
	EXPECT_EQ(classify({m.all().begin, m.pages(4, 5).begin + 1}), memory_kind::unmapped);
	EXPECT_EQ(classify({m.pages(4, 5).end - 1, m.all().end}), memory_kind::unmapped);
}

TEST(classify, addresses_outside)
{
	EXPECT_EQ(classify({0, page()}), memory_kind::unmapped);
	// This lies above all that is mapped.
	EXPECT_EQ(classify({~uintptr_t{0} - 2 * page(), ~uintptr_t{0} - page()}), memory_kind::unmapped);
}

TEST(classify, the_first_reason_counts)
{
	mapping m(8, read_write, private_anonymous);
	range shared = m.pages(2, 3);
	ASSERT_NE(mmap(shared.ptr(), page(), read_write, shared_anonymous | MAP_FIXED, -1, 0), MAP_FAILED);
	ASSERT_EQ(mprotect(m.at(4), page(), PROT_READ), 0);
	munmap(m.at(6), page());
	EXPECT_EQ(classify(m.all()), memory_kind::shared);
	EXPECT_EQ(classify(m.pages(3, 8)), memory_kind::read_only);
	EXPECT_EQ(classify(m.pages(5, 8)), memory_kind::unmapped);
}

TEST(classify, around_the_body_memory_need_only_be_writable)
{
	mapping m(8, read_write, private_anonymous);
	range body = m.pages(3, 5);
	ASSERT_NE(mmap(m.at(6), page(), read_write, shared_anonymous | MAP_FIXED, -1, 0), MAP_FAILED);
	EXPECT_EQ(classify(m.all(), body), memory_kind::private_anonymous);
	EXPECT_EQ(classify(m.all(), m.pages(3, 7)), memory_kind::shared);
	ASSERT_EQ(mprotect(m.at(7), page(), PROT_READ), 0);
	EXPECT_EQ(classify(m.all(), body), memory_kind::read_only);
	EXPECT_EQ(classify(m.pages(0, 7), body), memory_kind::private_anonymous);
	munmap(m.at(1), page());
	EXPECT_EQ(classify(m.pages(0, 7), body), memory_kind::unmapped);
	EXPECT_EQ(classify(m.pages(2, 7), body), memory_kind::private_anonymous);
}

TEST(classify, stacks)
{
	char here[100] = {};
	range mine = range_of(here, sizeof(here));
	EXPECT_EQ(classify(mine), memory_kind::stack);
	std::thread([&] {
		char there[100] = {};
		EXPECT_EQ(classify(range_of(there, sizeof(there))), memory_kind::stack);
		EXPECT_EQ(classify(mine), memory_kind::stack) << "the main thread's";
		mapping m(2, read_write, private_anonymous);
		EXPECT_EQ(classify(m.all()), memory_kind::private_anonymous);
	}).join();
}

// Before Linux 6.11, and under GPUVM_UFFD_FEATURES=6.1, the mappings are read as text.
TEST(classification_by_text, is_the_same)
{
	expect_to_pass_again("GPUVM_UFFD_FEATURES=6.1", "classify.*");
}

TEST(describe, names_every_kind)
{
	std::set<std::string> names;
	for (memory_kind k : {memory_kind::private_anonymous, memory_kind::unmapped, memory_kind::read_only,
			      memory_kind::private_file, memory_kind::shared, memory_kind::stack})
		names.insert(describe(k));
	EXPECT_EQ(names.size(), 6u);
}

// ---- pages ---------------------------------------------------------------------------------------------

TEST(populated_pages, tells_those_with_contents)
{
	// One call does not ask for so many at once.
	constexpr size_t pages = 1000;
	mapping m(pages, read_write, private_anonymous);
	madvise(m.at(0), m.all().size(), MADV_NOHUGEPAGE);
	std::mt19937 random(1);
	std::vector<bool> touched(pages);
	for (size_t i = 0; i < pages; i++) {
		touched[i] = random() % 3 == 0;
		if (touched[i])
			*m.at(i) = 1;
	}
	std::vector<uint64_t> words((pages + 63) / 64, ~uint64_t{0});
	ASSERT_TRUE(populated_pages(m.all(), words));
	for (size_t i = 0; i < words.size() * 64; i++)
		ASSERT_EQ(words[i / 64] >> (i % 64) & 1, i < pages && touched[i]) << i;
}

TEST(populated_pages, follows_what_happens_to_a_page)
{
	mapping m(4, read_write, private_anonymous);
	auto populated = [&] {
		uint64_t word;
		return populated_pages(m.pages(0, 4), {&word, 1}) ? word : ~uint64_t{0};
	};
	EXPECT_EQ(populated(), 0u);
	EXPECT_EQ(*static_cast<volatile char *>(m.at(1)), 0); // reading maps the zero page
	EXPECT_EQ(populated(), 2u);
	*m.at(3) = 1;
	EXPECT_EQ(populated(), 10u);
	ASSERT_EQ(mprotect(m.at(3), page(), PROT_NONE), 0);
	EXPECT_EQ(populated(), 10u);
	ASSERT_EQ(madvise(m.at(1), page(), MADV_DONTNEED), 0);
	EXPECT_EQ(populated(), 8u);
}

TEST(locked_memory, is_recognised)
{
	mapping m(4, read_write, private_anonymous);
	for (size_t i = 0; i < 4; i++)
		EXPECT_FALSE(is_locked(m.pages(i, i + 1).begin));
	// The sanitizers turn mlock() into a no-op.
	if (syscall(SYS_mlock, m.at(1), 2 * page()))
		GTEST_SKIP() << "no memory may be locked (ulimit -l)";
	EXPECT_FALSE(is_locked(m.all().begin));
	EXPECT_TRUE(is_locked(m.pages(1, 2).begin));
	EXPECT_TRUE(is_locked(m.pages(2, 3).begin));
	EXPECT_FALSE(is_locked(m.pages(3, 4).begin));
	syscall(SYS_munlock, m.at(0), 4 * page());
	EXPECT_FALSE(is_locked(m.pages(1, 2).begin));
}

TEST(locked_memory, asking_changes_nothing)
{
	mapping m(1, read_write, private_anonymous);
	*m.at(0) = 42;
	EXPECT_FALSE(is_locked(m.all().begin));
	EXPECT_EQ(*m.at(0), 42);
}

TEST(locked_memory, is_filled_by_touches)
{
	mapping m(4, read_write, private_anonymous);
	lock_pages(m.all());
	if (!is_locked(m.all().begin))
		GTEST_SKIP() << "no memory may be locked (ulimit -l)";
	uint64_t word;
	ASSERT_TRUE(populated_pages(m.all(), {&word, 1}));
	EXPECT_EQ(word, 0u);
}

} // namespace
