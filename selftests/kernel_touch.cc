// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernel touches revoked arrays on behalf of the program, in system calls. The full userfaultfd serves these
// touches; the signal traps, and a userfaultfd for user mode only, give EFAULT and lose nothing.
#include "harness/fixture.h"
#include "harness/pattern.h"
#include "harness/process.h"

#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <grp.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#if __has_include(<liburing.h>)
#include <liburing.h>
#define SELFTEST_URING 1
#endif

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr size_t size = 60 * page;
constexpr uint32_t kinds = kind::map | kind::mmapped | kind::library | kind::slice;

bool full_userfaultfd()
{
	int dev = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
	int fd = dev == -1 ? -1 : ioctl(dev, USERFAULTFD_IOC_NEW, O_CLOEXEC);
	if (fd == -1)
		fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	close(dev);
	close(fd);
	return fd != -1;
}

bool serves_the_kernel(const context &t)
{
	return t.v.trap == trap::kmod || (t.v.trap == trap::uffd && full_userfaultfd());
}

// The file is gone when it is closed.
class scratch_file
{
      public:
	explicit scratch_file(int flags = 0)
	{
		const char *folder = getenv("TMPDIR");
		fd_ = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);
		error_ = errno;
	}
	~scratch_file() { close(fd_); }

	int fd() const { return fd_; }
	bool bad() const { return fd_ == -1; }
	int error() const { return error_; }

      private:
	int fd_, error_ = 0;
};

class kernel_touches
{
      public:
	// Foresight is off, since the kernel is to meet pages that were taken away.
	explicit kernel_touches(context &t, size_t n = size)
	    : fx_(t, GPUVM_STAT | GPUVM_NO_FORESIGHT), a(fx_, t.v.kind, n)
	{
		served_ = serves_the_kernel(t);
		int told = -1;
		CHECK_OK(gpuvm_stat(GPUVM_STAT_SYSTEM_TOUCHES, &told));
		CHECK_EQ(bool(told), served_);
		a.link();
	}

	// Makes the device the only owner.
	void revoke() { a.add_everywhere(0, 1); }

	// @call reads the array in the kernel and returns bytes or -1. Returns whether the result is to be compared.
	bool outgoing(const char *name, const std::function<ssize_t(const uint8_t *)> &call)
	{
		revoke();
		errno = 0;
		ssize_t n = call(a.data());
		bool went = verdict(name, n);
		a.check(name);
		return went;
	}

	// @call writes the array in the kernel. The model is changed if it was served.
	bool incoming(const char *name, const std::function<ssize_t(uint8_t *)> &call, const uint8_t *what)
	{
		revoke();
		errno = 0;
		ssize_t n = call(a.data());
		bool came = verdict(name, n);
		if (n > 0)
			memcpy(a.model(), what, n);
		if (!came)
			accept_edge(n > 0 ? n : 0);
		a.check(name);
		if (came) {
			// The device gets it, too.
			CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
			a.check_buffer(0, name);
			CHECK_OK(gpuvm_kernel_end(a.data(), 0));
		}
		return came;
	}

      private:
	bool verdict(const char *name, ssize_t n)
	{
		if (served_) {
			if (n != ssize_t(a.size()))
				FAIL("%s of a revoked array: %zd of %zu bytes (%s)", name, n, a.size(),
				     strerror(errno));
			return true;
		}
		// An edge is always there, so a call may get as far as the first whole page.
		if (n == -1 && errno == EFAULT)
			return false;
		if (n >= 0 && n < ssize_t(a.size()))
			return false;
		FAIL("%s of a revoked array: %zd (%s), where EFAULT was due", name, n, strerror(errno));
	}

	fixture fx_;
	bool served_;

      public:
	array a;

	// A call that failed may have got as far as the first whole page, since edges are always there.
	void accept_edge(size_t from)
	{
		size_t edge = -reinterpret_cast<uintptr_t>(a.data()) % page;
		for (size_t i = from; i < edge; i++)
			a.model()[i] = a.data()[i];
	}
};

std::vector<uint8_t> pattern(size_t n, uint32_t seed)
{
	std::vector<uint8_t> bytes(n);
	fill_pattern(bytes.data(), 0, n, seed);
	return bytes;
}

void expect_file(int fd, array &a, const char *what)
{
	std::vector<uint8_t> bytes(a.size());
	CHECK_EQ(pread(fd, bytes.data(), bytes.size(), 0), bytes.size());
	CHECK_BYTES(bytes.data(), a.model(), a.size(), what);
}

int file_with(scratch_file &f, const std::vector<uint8_t> &bytes)
{
	if (f.bad())
		skip("no scratch file: %s", strerror(f.error()));
	CHECK_EQ(pwrite(f.fd(), bytes.data(), bytes.size(), 0), bytes.size());
	lseek(f.fd(), 0, SEEK_SET);
	return f.fd();
}
} // namespace

TEST(write_and_pwrite, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	kernel_touches k(t);
	size_t n = k.a.size();
	scratch_file f, g;
	int fd = file_with(f, {}), gd = file_with(g, {});
	if (k.outgoing("write", [&](const uint8_t *p) { return write(fd, p, n); }))
		expect_file(fd, k.a, "what write wrote");
	if (k.outgoing("pwrite", [&](const uint8_t *p) { return pwrite(gd, p, n, 0); }))
		expect_file(gd, k.a, "what pwrite wrote");
	scratch_file h;
	int hd = file_with(h, {});
	auto scattered = [&](const uint8_t *p) {
		iovec parts[3] = {{const_cast<uint8_t *>(p), 10},
				  {const_cast<uint8_t *>(p) + 10, n / 2},
				  {const_cast<uint8_t *>(p) + 10 + n / 2, n - n / 2 - 10}};
		return writev(hd, parts, 3);
	};
	if (k.outgoing("writev", scattered))
		expect_file(hd, k.a, "what writev wrote");
}

TEST(read_and_pread, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	kernel_touches k(t);
	size_t n = k.a.size();
	auto first = pattern(n, 21), second = pattern(n, 22), third = pattern(n, 23);
	scratch_file f, g, h;
	int fd = file_with(f, first), gd = file_with(g, second), hd = file_with(h, third);
	k.incoming(
		"read", [&](uint8_t *p) { return read(fd, p, n); }, first.data());
	k.incoming(
		"pread", [&](uint8_t *p) { return pread(gd, p, n, 0); }, second.data());
	auto scattered = [&](uint8_t *p) {
		iovec parts[3] = {{p, 5000}, {p + 5000, 1}, {p + 5001, n - 5001}};
		return readv(hd, parts, 3);
	};
	k.incoming("readv", scattered, third.data());
}

TEST(direct_io, .traps = trap::all, .devices = device::single, .kinds = kind::map | kind::library)
{
	kernel_touches k(t);
	size_t n = k.a.size();
	scratch_file f(O_DIRECT);
	if (f.bad())
		skip("no O_DIRECT here: %s", strerror(f.error()));
	// This asks whether the device's block is small enough.
	void *aligned = nullptr;
	CHECK_EQ(posix_memalign(&aligned, page, n), 0);
	memset(aligned, 1, n);
	if (pwrite(f.fd(), aligned, n, 0) != ssize_t(n))
		skip("O_DIRECT does not work in the scratch folder: %s", strerror(errno));
	if (k.outgoing("O_DIRECT write", [&](const uint8_t *p) { return pwrite(f.fd(), p, n, 0); })) {
		CHECK_EQ(pread(f.fd(), aligned, n, 0), n);
		CHECK_BYTES(aligned, k.a.model(), n, "what the O_DIRECT write wrote");
	}
	auto bytes = pattern(n, 31);
	memcpy(aligned, bytes.data(), n);
	CHECK_EQ(pwrite(f.fd(), aligned, n, 0), n);
	k.incoming(
		"O_DIRECT read", [&](uint8_t *p) { return pread(f.fd(), p, n, 0); }, bytes.data());
	free(aligned);
}

TEST(pipes_and_sockets, .traps = trap::all, .devices = device::plain, .kinds = kinds)
{
	kernel_touches k(t, 12 * page); // fits into a pipe
	size_t n = k.a.size();
	int pipe_ends[2];
	CHECK_SYS(pipe(pipe_ends));
	std::vector<uint8_t> got(n + page);
	auto spliced = [&](const uint8_t *p) {
		iovec all = {const_cast<uint8_t *>(p), n};
		return vmsplice(pipe_ends[1], &all, 1, 0);
	};
	bool went = k.outgoing("vmsplice", spliced);
	fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
	ssize_t drained = read(pipe_ends[0], got.data(), got.size());
	if (went) {
		CHECK_EQ(drained, n);
		CHECK_BYTES(got.data(), k.a.model(), n, "what vmsplice put into the pipe");
	}
	int ends[2];
	CHECK_SYS(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	int room = 4 * n;
	setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
	went = k.outgoing("send", [&](const uint8_t *p) { return send(ends[0], p, n, 0); });
	if (went) {
		CHECK_EQ(recv(ends[1], got.data(), n, MSG_WAITALL), n);
		CHECK_BYTES(got.data(), k.a.model(), n, "what went through the socket");
		auto bytes = pattern(n, 41);
		CHECK_EQ(send(ends[0], bytes.data(), n, 0), n);
		k.incoming(
			"recv", [&](uint8_t *p) { return recv(ends[1], p, n, MSG_WAITALL); }, bytes.data());
	}
}

TEST(process_vm, .traps = trap::all, .devices = device::plain, .kinds = kinds)
{
	kernel_touches k(t);
	size_t n = k.a.size();
	auto bytes = pattern(n, 51);
	std::vector<uint8_t> got(n);
	iovec mine = {got.data(), n}, given = {bytes.data(), n};
	bool went = k.outgoing("process_vm_readv from the array", [&](const uint8_t *p) {
		iovec its = {const_cast<uint8_t *>(p), n};
		ssize_t r = process_vm_readv(getpid(), &mine, 1, &its, 1, 0);
		if (r == -1 && errno == EPERM)
			skip("process_vm_readv is not allowed here");
		return r;
	});
	if (went)
		CHECK_BYTES(got.data(), k.a.model(), n, "what process_vm_readv read");
	auto into = [&](uint8_t *p) {
		iovec its = {p, n};
		return process_vm_readv(getpid(), &its, 1, &given, 1, 0);
	};
	k.incoming("process_vm_readv into the array", into, bytes.data());
	auto written = pattern(n, 52);
	iovec other = {written.data(), n};
	auto remote = [&](uint8_t *p) {
		iovec its = {p, n};
		return process_vm_writev(getpid(), &other, 1, &its, 1, 0);
	};
	k.incoming("process_vm_writev to the array", remote, written.data());
}

namespace
{
// A process that was there before the library reads and writes this one's memory, as ranks of MPI do with each other's
// (CMA).
class other_process
{
      public:
	explicit other_process(size_t n) : n_(n)
	{
		void *made = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		CHECK(made != MAP_FAILED);
		bytes = static_cast<uint8_t *>(made);
		CHECK_SYS(pipe(asked_));
		CHECK_SYS(pipe(answered_));
		const pid_t owner = getpid();
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); // a child may not do that everywhere
		child_ = fork();
		CHECK(child_ != -1);
		if (!child_)
			serve(owner);
		close(asked_[0]);
		close(answered_[1]);
	}
	~other_process()
	{
		close(asked_[1]); // ends it
		close(answered_[0]);
		waitpid(child_, nullptr, 0);
		munmap(bytes, n_);
	}

	// Return what the calls return, with errno.
	ssize_t read(const uint8_t *p) { return ask({const_cast<uint8_t *>(p), false}); }
	ssize_t write(uint8_t *p) { return ask({p, true}); }

	uint8_t *bytes; // come from this process's memory, or go there

      private:
	struct question {
		uint8_t *at;
		bool writes;
	};
	struct answer {
		ssize_t result;
		int error;
	};

	ssize_t ask(question q)
	{
		answer a = {};
		CHECK_EQ(::write(asked_[1], &q, sizeof q), sizeof q);
		CHECK_EQ(::read(answered_[0], &a, sizeof a), sizeof a);
		errno = a.error;
		return a.result;
	}
	[[noreturn]] void serve(pid_t owner)
	{
		close(asked_[1]);
		question q;
		while (::read(asked_[0], &q, sizeof q) == sizeof q) {
			iovec own = {bytes, n_}, its = {q.at, n_};
			const ssize_t n = q.writes ? process_vm_writev(owner, &own, 1, &its, 1, 0)
						   : process_vm_readv(owner, &own, 1, &its, 1, 0);
			const answer a = {n, errno};
			if (::write(answered_[1], &a, sizeof a) != sizeof a)
				break;
		}
		_exit(0);
	}

	const size_t n_;
	int asked_[2], answered_[2];
	pid_t child_;
};
} // namespace

// Whose pages they are makes the difference, and not who calls.
TEST(process_vm_of_another, .traps = trap::all, .devices = device::plain, .kinds = kind::map | kind::library)
{
	other_process other(size);
	kernel_touches k(t);
	CHECK_EQ(k.a.size(), size);
	const bool went = k.outgoing("process_vm_readv by another process", [&](const uint8_t *p) {
		const ssize_t r = other.read(p);
		if (r == -1 && errno == EPERM)
			skip("another process may not read this one's memory here");
		return r;
	});
	if (went)
		CHECK_BYTES(other.bytes, k.a.model(), size, "what another process read");
	fill_pattern(other.bytes, 0, size, 53);
	k.incoming(
		"process_vm_writev by another process", [&](uint8_t *p) { return other.write(p); }, other.bytes);
}

TEST(random_bytes, .traps = trap::all, .devices = device::plain, .kinds = kinds)
{
	kernel_touches k(t);
	size_t n = k.a.size();
	k.revoke();
	bool served = serves_the_kernel(t);
	errno = 0;
	ssize_t got = getrandom(k.a.data(), n, 0);
	if (got == ssize_t(n)) {
		// Nobody knows what came, but the device must get the same.
		memcpy(k.a.model(), k.a.data(), n);
		CHECK(memchr(k.a.model(), 0, n) != nullptr); // 245,760 random bytes surely have a zero
		CHECK_OK(gpuvm_kernel_begin(k.a.data(), 0, GPUVM_READ_ONLY));
		k.a.check_buffer(0, "random bytes");
		CHECK_OK(gpuvm_kernel_end(k.a.data(), 0));
		return;
	}
	if (served || (got == -1 && errno != EFAULT))
		FAIL("getrandom into a revoked array: %zd (%s)", got, strerror(errno));
	size_t came = got > 0 ? got : 0;
	CHECK(came < page);
	k.accept_edge(0);
	k.a.check("array that getrandom could not fill");
}

// Both sides of one copy are revoked.
TEST(array_to_array, .traps = trap::uffd | trap::kmod, .devices = device::single, .kinds = kinds)
{
	fixture fx(t);
	if (!serves_the_kernel(t))
		skip("no full userfaultfd for this user");
	array from(fx, t.v.kind, size, 1), to(fx, t.v.kind, size, 2);
	from.link();
	to.link();
	from.add_everywhere(0, 1);
	to.add_everywhere(0, 1);
	iovec in = {from.data(), size}, out = {to.data(), size};
	CHECK_EQ(process_vm_readv(getpid(), &out, 1, &in, 1, 0), size);
	memcpy(to.model(), from.model(), size);
	to.check();
	from.check();
}

// Many threads are in the kernel at once, on chunks that they share.
TEST(many_threads_in_the_kernel, .traps = trap::uffd | trap::kmod, .devices = device::plain, .kinds = kinds)
{
	fixture fx(t);
	if (!serves_the_kernel(t))
		skip("no full userfaultfd for this user");
	array a(fx, t.v.kind, size);
	a.link();
	for (uint64_t round = 0; round < t.rounds(10, 500); round++) {
		a.add_everywhere(0, 1);
		std::vector<std::thread> threads;
		for (int i = 0; i < 8; i++)
			threads.emplace_back([&] {
				scratch_file f;
				CHECK_EQ(write(f.fd(), a.data(), size), size);
				expect_file(f.fd(), a, "what one of many threads wrote");
			});
		for (auto &th : threads)
			th.join();
	}
}

#ifdef SELFTEST_URING
namespace
{
ssize_t submit_one(io_uring &ring)
{
	io_uring_cqe *done;
	if (io_uring_submit(&ring) != 1)
		FAIL("io_uring_submit");
	int err = io_uring_wait_cqe(&ring, &done);
	if (err)
		FAIL("io_uring_wait_cqe: %s", strerror(-err));
	ssize_t n = done->res;
	io_uring_cqe_seen(&ring, done);
	if (n >= 0)
		return n;
	errno = -n;
	return -1;
}
} // namespace

TEST(uring, .traps = trap::all, .devices = device::single, .kinds = kinds)
{
	io_uring ring;
	if (int err = io_uring_queue_init(8, &ring, 0))
		skip("no io_uring: %s", strerror(-err));
	kernel_touches k(t);
	size_t n = k.a.size();
	scratch_file f, g;
	auto bytes = pattern(n, 61);
	int fd = file_with(f, {}), gd = file_with(g, bytes);
	for (unsigned flags : {0u, unsigned(IOSQE_ASYNC)}) {
		auto out = [&](const uint8_t *p) {
			io_uring_sqe *e = io_uring_get_sqe(&ring);
			io_uring_prep_write(e, fd, p, n, 0);
			io_uring_sqe_set_flags(e, flags);
			return submit_one(ring);
		};
		if (k.outgoing("io_uring write", out))
			expect_file(fd, k.a, "what io_uring wrote");
		auto in = [&](uint8_t *p) {
			io_uring_sqe *e = io_uring_get_sqe(&ring);
			io_uring_prep_read(e, gd, p, n, 0);
			io_uring_sqe_set_flags(e, flags);
			return submit_one(ring);
		};
		k.incoming("io_uring read", in, bytes.data());
	}
	io_uring_queue_exit(&ring);
}
#else
TEST(uring)
{
	skip("built without liburing.h");
}
#endif

// Where /dev/userfaultfd is root's, an ordinary user is told so by the library, and EFAULT does no harm.
TEST(without_privileges, .traps = trap::uffd, .devices = device::host, .kinds = kinds)
{
	if (geteuid() == 0) {
		CHECK_SYS(setgroups(0, nullptr));
		CHECK_SYS(setresgid(65534, 65534, 65534));
		CHECK_SYS(setresuid(65534, 65534, 65534));
		CHECK_SYS(prctl(PR_SET_DUMPABLE, 1)); // makes it like a process that never had privileges
	}
	kernel_touches k(t);
	size_t n = k.a.size();
	const char *reason = "";
	CHECK_OK(gpuvm_stat(GPUVM_STAT_TRAP_REASON, &reason));
	note("reason given: %s", reason);
	CHECK(strlen(reason) > 0);
	int zero = open("/dev/zero", O_RDONLY);
	int pipe_ends[2];
	CHECK_SYS(pipe(pipe_ends));
	auto few = std::min(n, size_t(8 * page));
	k.revoke();
	ssize_t went = write(pipe_ends[1], k.a.data() + page, few);
	if (full_userfaultfd())
		CHECK_EQ(went, few);
	else
		CHECK(went < ssize_t(few));
	k.a.check("after a write in the kernel");
	std::vector<uint8_t> zeros(n, 0);
	k.incoming(
		"read from /dev/zero", [&](uint8_t *p) { return read(zero, p, n); }, zeros.data());
}
