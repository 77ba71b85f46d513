// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/spare_file.h"

#include "os/mapping.h"
#include "os/vma.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace het;

namespace
{

// Private memory takes the place of such shared memory.
class shared_memory
{
      public:
	explicit shared_memory(size_t n)
	    : p_(mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)), n_(n)
	{
	}
	shared_memory(const shared_memory &) = delete;
	shared_memory &operator=(const shared_memory &) = delete;
	~shared_memory() { munmap(p_, n_); }
	range all() const { return range_of(p_, n_); }
	char *bytes() const { return static_cast<char *>(p_); }
	bool is_all(char c) const
	{
		return std::all_of(bytes(), bytes() + n_, [c](char b) { return b == c; });
	}

      private:
	void *p_;
	size_t n_;
};

std::vector<char> some_bytes(size_t n)
{
	std::vector<char> v(n);
	for (size_t i = 0; i < n; i++)
		v[i] = char(i * 7 + i / 4096);
	return v;
}

bool has(const shared_memory &m, const std::vector<char> &bytes)
{
	return !memcmp(m.bytes(), bytes.data(), bytes.size());
}

// Runs @body in a child and returns its exit status, or -1.
template <class Body> int in_child(Body body)
{
	pid_t pid = fork();
	if (!pid)
		_exit(body());
	int status = 0;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class spare_file_test : public testing::Test
{
      protected:
	spare_file_test() { file.open(); }
	spare_file file;
};

} // namespace

TEST_F(spare_file_test, gives_private_memory_with_the_bytes)
{
	size_t n = 2 * huge_page + 3 * page_size();
	shared_memory m(n);
	auto bytes = some_bytes(n);
	memset(m.bytes(), 1, n);
	ASSERT_TRUE(file.replace(m.all(), bytes.data()));
	EXPECT_TRUE(has(m, bytes));
	EXPECT_EQ(classify(m.all(), m.all()), memory_kind::private_file);
	EXPECT_EQ(in_child([&] {
			  bool right = has(m, bytes);
			  memset(m.bytes(), 2, n);
			  return right ? 0 : 1;
		  }),
		  0);
	EXPECT_TRUE(has(m, bytes));
}

// malloc relies on this: it takes memory for zeroed that it has given back this way, as any private memory is.
TEST_F(spare_file_test, pages_that_are_given_back_are_zeroed)
{
	size_t n = huge_page + 5 * page_size();
	shared_memory first(n), second(n);
	auto bytes = some_bytes(n);
	for (auto *m : {&first, &second})
		ASSERT_TRUE(file.replace(m->all(), bytes.data()));
	ASSERT_EQ(madvise(first.bytes(), n, MADV_DONTNEED), 0);
	EXPECT_TRUE(first.is_all(0));
	EXPECT_TRUE(has(second, bytes));
}

TEST_F(spare_file_test, needs_no_address_space)
{
#ifdef __SANITIZE_THREAD__
	GTEST_SKIP() << "the sanitizer needs address space too";
#endif
	size_t n = huge_page, pages = 0;
	shared_memory m(n);
	auto bytes = some_bytes(n);
	std::ifstream("/proc/self/statm") >> pages;
	int status = in_child([&] {
		rlimit limit = {pages * page_size(), RLIM_INFINITY};
		if (setrlimit(RLIMIT_AS, &limit) || map_private(n))
			return 1;
		return file.replace(m.all(), bytes.data()) && has(m, bytes) ? 0 : 2;
	});
	EXPECT_EQ(status, 0);
}

TEST_F(spare_file_test, shows_no_gap)
{
	size_t n = huge_page;
	shared_memory m(n);
	std::vector<char> sevens(n, 7);
	memset(m.bytes(), 7, n);
	std::atomic<bool> end{false};
	std::atomic<unsigned> rounds{0};
	bool right = true, replaced = true;
	std::thread reader([&] {
		const volatile char *p = m.bytes();
		for (; !end; rounds++) {
			for (size_t at = 0; at < n; at += page_size())
				right = right && p[at] == 7;
		}
	});
	for (unsigned i = 0; i < 30 && replaced; i++) {
		replaced = file.replace(m.all(), sevens.data());
		for (unsigned seen = rounds; rounds == seen;)
			sched_yield();
	}
	end = true;
	reader.join();
	EXPECT_TRUE(replaced);
	EXPECT_TRUE(right);
}

// SIGXFSZ would end the process if the file were grown past its limit.
TEST_F(spare_file_test, leaves_all_as_it_was_where_no_file_may_be_so_large)
{
	size_t n = 4 * page_size();
	shared_memory first(n), m(n);
	auto bytes = some_bytes(n);
	ASSERT_TRUE(file.replace(first.all(), bytes.data()));
	memset(m.bytes(), 1, n);
	int status = in_child([&] {
		rlimit limit = {n + page_size(), RLIM_INFINITY};
		if (setrlimit(RLIMIT_FSIZE, &limit))
			return 1;
		return !file.replace(m.all(), bytes.data()) && m.is_all(1) ? 0 : 2;
	});
	EXPECT_EQ(status, 0);
	EXPECT_EQ(classify(m.all(), m.all()), memory_kind::shared);
}

TEST(spare_file, is_none_before_it_is_opened)
{
	spare_file none;
	shared_memory m(page_size());
	memset(m.bytes(), 1, page_size());
	EXPECT_FALSE(none.replace(m.all(), m.bytes()));
	EXPECT_TRUE(m.is_all(1));
}
