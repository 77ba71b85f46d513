// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The program must not notice the chain. So the same program runs in a child process without it and with it, for all
// kinds of handlers and of signals, and the test compares what it saw and how it ended.
#include "trap/signal_chain.h"

#include <cerrno>
#include <csetjmp>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace het;

namespace
{

enum class disposition { by_default, ignored, plain, siginfo };
enum class cause { write_fault, read_fault, raised, queued };
enum class when { before_install, after_install };

struct scenario {
	int signo;
	disposition how;
	int flags; // those of sigaction()
	cause why;
	bool alternate_stack;
	bool jumps; // the handler leaves by siglongjmp()
	when set;
};

// The program records what it sees here.
struct sight {
	int calls;
	int signo, code;
	uintptr_t address;
	int queued_value;
	uint64_t mask_in_handler, mask_after;
	bool on_alternate_stack;
	int errno_after;
	bool own_handler_read_back;
	int flags_read_back;
	bool lost_after_first; // SA_RESETHAND took effect
	bool survived;
};

struct stage {
	scenario sc;
	bool chained;
	sight seen;
	char *trapped; // the program faults on this page
	char *ours;    // the library serves this page
	int empty_file;
	sigjmp_buf back;
};
stage *st; // shared memory, so that it outlives the child

constexpr size_t page = 4096;
constexpr int one_shot = int(SA_RESETHAND);
constexpr int queued_value = 4711;
constexpr int spare_signals[] = {SIGUSR1, SIGWINCH};
alignas(16) char alternate[64 << 10];

uint64_t current_mask()
{
	uint64_t m = 0;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, nullptr, &m, sizeof(m));
	return m;
}

// Calls sigaction() as the program does, but never a sanitizer's, which would show the program another mask.
int program_sigaction(int signo, const struct sigaction *act, struct sigaction *old)
{
	return chain_holds(signo) ? chain_sigaction(signo, act, old) : real_sigaction(signo, act, old);
}

// Makes a page raise the signal at each touch: it becomes inaccessible, or a page of an empty file.
void forbid(char *p)
{
	if (st->sc.signo == SIGSEGV)
		mprotect(p, page, PROT_NONE);
	else
		mmap(p, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, st->empty_file, 0);
}

bool allow(char *p)
{
	return mmap(p, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p;
}

void record(int signo)
{
	char here;
	st->seen.calls++;
	st->seen.signo = signo;
	st->seen.mask_in_handler = current_mask();
	st->seen.on_alternate_stack = &here >= alternate && &here < alternate + sizeof(alternate);
	struct sigaction now;
	program_sigaction(signo, nullptr, &now);
	st->seen.lost_after_first = now.sa_handler == SIG_DFL;
	allow(st->trapped);
	errno = 99;
	if (st->sc.jumps && st->seen.calls == 1)
		siglongjmp(st->back, 1);
}

void plain_handler(int signo)
{
	record(signo);
}

void siginfo_handler(int signo, siginfo_t *info, void *)
{
	st->seen.code = info->si_code;
	st->seen.address = info->si_code > 0 ? reinterpret_cast<uintptr_t>(info->si_addr) : 0;
	st->seen.queued_value = info->si_code == SI_QUEUE ? info->si_value.sival_int : 0;
	record(signo);
}

// Does the library's part, which knows one page.
bool ours(const siginfo_t &info, const ucontext_t &)
{
	auto *at = static_cast<char *>(info.si_addr);
	if (at < st->ours || at >= st->ours + page)
		return false;
	errno = 77; // the program must not see this
	return allow(st->ours);
}

void set_disposition()
{
	struct sigaction a = {};
	switch (st->sc.how) {
	case disposition::by_default:
		a.sa_handler = SIG_DFL;
		break;
	case disposition::ignored:
		a.sa_handler = SIG_IGN;
		break;
	case disposition::plain:
		a.sa_handler = plain_handler;
		break;
	case disposition::siginfo:
		a.sa_sigaction = siginfo_handler;
		break;
	}
	a.sa_flags = st->sc.flags | (st->sc.how == disposition::siginfo ? SA_SIGINFO : 0);
	for (int s : spare_signals)
		sigaddset(&a.sa_mask, s);
	program_sigaction(st->sc.signo, &a, nullptr);
	struct sigaction back;
	program_sigaction(st->sc.signo, nullptr, &back);
	st->seen.own_handler_read_back = back.sa_handler == a.sa_handler && sigismember(&back.sa_mask, SIGWINCH);
	st->seen.flags_read_back = back.sa_flags & ~0x04000000; // hides SA_RESTORER, which the C library adds
}

void cause_signal()
{
	forbid(st->trapped);
	switch (st->sc.why) {
	case cause::write_fault:
		*const_cast<volatile char *>(st->trapped + 5) = 1;
		break;
	case cause::read_fault:
		(void)*const_cast<volatile char *>(st->trapped + 9);
		break;
	case cause::raised:
		raise(st->sc.signo);
		break;
	case cause::queued:
		sigqueue(getpid(), st->sc.signo, {.sival_int = queued_value});
		break;
	}
}

// Makes a touch that the library serves.
void touch_ours()
{
	forbid(st->ours);
	*const_cast<volatile char *>(st->ours) = 1;
}

[[noreturn]] void program()
{
	rlimit no_core = {};
	setrlimit(RLIMIT_CORE, &no_core);
	if (st->sc.alternate_stack) {
		stack_t s = {.ss_sp = alternate, .ss_flags = 0, .ss_size = sizeof(alternate)};
		sigaltstack(&s, nullptr);
	}
	struct sigaction dfl = {};
	real_sigaction(SIGSEGV, &dfl, nullptr); // a sanitizer may have installed its own
	real_sigaction(SIGBUS, &dfl, nullptr);
	if (st->sc.set == when::before_install)
		set_disposition();
	if (st->chained && chain_install(st->sc.signo, ours))
		_exit(111);
	if (st->sc.set == when::after_install)
		set_disposition();
	errno = 11;
	if (st->chained)
		touch_ours();
	if (!sigsetjmp(st->back, 1))
		cause_signal();
	st->seen.errno_after = errno;
	st->seen.mask_after = current_mask();
	if (st->chained)
		touch_ours();
	if (st->seen.calls)
		cause_signal(); // shows whether the handler is still there
	st->seen.survived = true;
	_exit(0);
}

int run(const scenario &sc, bool chained)
{
	st->sc = sc;
	st->chained = chained;
	st->seen = {};
	pid_t child = fork();
	if (!child)
		program();
	int status = -1;
	waitpid(child, &status, 0);
	return status;
}

std::string describe(const scenario &sc)
{
	constexpr const char *how[] = {"default", "ignored", "plain", "siginfo"};
	constexpr const char *why[] = {"write", "read", "raised", "queued"};
	std::string s = sc.signo == SIGSEGV ? "SIGSEGV " : "SIGBUS ";
	s += std::string(how[int(sc.how)]) + ", " + why[int(sc.why)];
	s += sc.flags & SA_NODEFER ? ", SA_NODEFER" : "";
	s += sc.flags & one_shot ? ", SA_RESETHAND" : "";
	s += sc.flags & SA_ONSTACK ? ", SA_ONSTACK" : "";
	s += sc.alternate_stack ? ", alternate stack" : "";
	s += sc.jumps ? ", siglongjmp" : "";
	s += sc.set == when::before_install ? ", set before" : ", set after";
	return s;
}

bool is_handler(disposition d)
{
	return d == disposition::plain || d == disposition::siginfo;
}

std::vector<scenario> all_scenarios()
{
	std::vector<scenario> all;
	for (int signo : {SIGSEGV, SIGBUS})
		for (auto how :
		     {disposition::by_default, disposition::ignored, disposition::plain, disposition::siginfo})
			for (auto why : {cause::write_fault, cause::read_fault, cause::raised, cause::queued})
				for (int flags : {0, SA_NODEFER, one_shot, SA_ONSTACK, one_shot | SA_NODEFER})
					for (bool stack : {false, true})
						for (bool jumps : {false, true})
							for (auto set : {when::before_install, when::after_install})
								if (is_handler(how) || (!flags && !jumps))
									all.push_back({signo, how, flags, why, stack,
										       jumps, set});
	return all;
}

class signal_chain : public testing::Test
{
      public:
	static void SetUpTestSuite()
	{
		void *shared = mmap(nullptr, sizeof(stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		ASSERT_NE(shared, MAP_FAILED);
		st = new (shared) stage{};
		auto *pages = static_cast<char *>(
			mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
		ASSERT_NE(pages, MAP_FAILED);
		st->empty_file = memfd_create("empty", MFD_CLOEXEC);
		st->trapped = pages;
		st->ours = pages + page;
	}
};

TEST_F(signal_chain, is_not_seen_by_the_program)
{
	for (const scenario &sc : all_scenarios()) {
		SCOPED_TRACE(describe(sc));
		int status = run(sc, false);
		sight alone = st->seen;
		ASSERT_EQ(run(sc, true), status);
		EXPECT_EQ(st->seen.calls, alone.calls);
		EXPECT_EQ(st->seen.signo, alone.signo);
		EXPECT_EQ(st->seen.code, alone.code);
		EXPECT_EQ(st->seen.address, alone.address);
		EXPECT_EQ(st->seen.queued_value, alone.queued_value);
		EXPECT_EQ(st->seen.mask_in_handler, alone.mask_in_handler);
		EXPECT_EQ(st->seen.mask_after, alone.mask_after);
		EXPECT_EQ(st->seen.on_alternate_stack, alone.on_alternate_stack);
		EXPECT_EQ(st->seen.errno_after, alone.errno_after);
		EXPECT_EQ(st->seen.own_handler_read_back, alone.own_handler_read_back);
		EXPECT_EQ(st->seen.flags_read_back, alone.flags_read_back);
		EXPECT_EQ(st->seen.lost_after_first, alone.lost_after_first);
		EXPECT_EQ(st->seen.survived, alone.survived);
	}
}

// The comparison above would also hold if nothing happened in either run, so this looks at what did.
TEST_F(signal_chain, and_the_comparison_means_something)
{
	int status = run(
		{SIGSEGV, disposition::siginfo, one_shot, cause::write_fault, false, false, when::after_install}, true);
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << "the second fault ends the program";
	EXPECT_EQ(st->seen.calls, 1);
	EXPECT_EQ(st->seen.address, reinterpret_cast<uintptr_t>(st->trapped + 5));
	EXPECT_EQ(st->seen.code, SEGV_ACCERR);
	EXPECT_EQ(st->seen.errno_after, 99);
	EXPECT_TRUE(st->seen.own_handler_read_back && st->seen.lost_after_first);

	status = run({SIGBUS, disposition::by_default, 0, cause::queued, false, false, when::before_install}, true);
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	status = run({SIGSEGV, disposition::ignored, 0, cause::read_fault, false, false, when::before_install}, true);
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	status = run({SIGSEGV, disposition::ignored, 0, cause::raised, false, false, when::before_install}, true);
	EXPECT_TRUE(WIFEXITED(status) && st->seen.survived);
}

// Runs @body in a child process that ends with its result.
template <class F> int in_child(F body)
{
	pid_t child = fork();
	if (!child)
		_exit(body());
	int status = -1;
	waitpid(child, &status, 0);
	return status;
}

TEST_F(signal_chain, gives_the_signal_back)
{
	st->sc = {};
	EXPECT_EQ(in_child([] {
			  struct sigaction a = {}, now;
			  a.sa_handler = plain_handler;
			  real_sigaction(SIGBUS, &a, nullptr);
			  if (chain_install(SIGBUS, ours) || chain_install(SIGBUS, ours) != -EBUSY)
				  return 1;
			  if (!chain_holds(SIGBUS) || chain_holds(SIGSEGV) || chain_holds(SIGUSR1))
				  return 2;
			  chain_remove(SIGBUS);
			  if (chain_holds(SIGBUS))
				  return 3;
			  real_sigaction(SIGBUS, nullptr, &now);
			  return now.sa_handler == plain_handler ? 0 : 4;
		  }),
		  0);
}

TEST_F(signal_chain, leaves_a_forked_child_alone)
{
	EXPECT_EQ(in_child([] {
			  struct sigaction a = {};
			  a.sa_handler = plain_handler;
			  real_sigaction(SIGSEGV, &a, nullptr);
			  if (chain_install(SIGSEGV, ours))
				  return 1;
			  return in_child([] {
				  chain_forked_child(SIGSEGV);
				  struct sigaction now;
				  real_sigaction(SIGSEGV, nullptr, &now);
				  return now.sa_handler == plain_handler && !chain_holds(SIGSEGV) ? 0 : 1;
			  });
		  }),
		  0);
}

TEST_F(signal_chain, takes_no_orders_from_a_vforked_child)
{
	EXPECT_EQ(in_child([] {
			  if (chain_install(SIGSEGV, ours))
				  return 1;
			  pid_t child = vfork();
			  if (!child)
				  _exit(chain_holds(SIGSEGV));
			  int status;
			  waitpid(child, &status, 0);
			  return int(status || !chain_holds(SIGSEGV));
		  }),
		  0);
}

} // namespace
