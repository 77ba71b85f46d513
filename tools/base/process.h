// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Starts child processes: copies of this one, and other programs.
#pragma once

#include "os/descriptor.h"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace het
{

// A tube is a pipe; programs that are started don't have its ends.
struct tube {
	descriptor out, in;
};

// Throws std::system_error if no pipe can be had.
tube make_tube();

// Owns a process that this one has started: if it still runs when its owner ends, it is killed.
class child_process
{
      public:
	// Takes over one that was started in another way.
	explicit child_process(pid_t id) : id_(id) {}
	// Runs @body in a copy of this process, which then ends with status 0 by _exit(): what is done at exit belongs
	// to the parent. It is killed when the thread that started it ends. Throws std::system_error.
	explicit child_process(const std::function<void()> &body);
	child_process(const child_process &) = delete;
	child_process &operator=(const child_process &) = delete;
	~child_process();

	pid_t id() const { return id_; }
	// Tells whether the process has ended, without waiting.
	bool has_ended();
	void wait();
	// Kills the process with SIGKILL, and waits.
	void end();
	// Returns the status as waitpid() gives it, once it has ended.
	int status() const { return status_; }

      private:
	void wait_with(int options);

	const pid_t id_;
	bool ended_ = false;
	int status_ = 0;
};

// Returns "ended with status 3", "was killed by signal 11 (Segmentation fault)" and the like.
std::string text_of_status(int status);

// Tells how a program ended.
struct program_end {
	int error = 0;       // errno if it could not be started
	int status = 0;      // as waitpid() gives it
	std::string printed; // what it wrote to stdout, and to stderr if that was joined

	bool well() const { return !error && !status; }
};

// stderr goes where stdout does, where ours does, or nowhere.
enum class errors { joined, shown, dropped };

// Runs a program, which is looked for in PATH, and waits for it. Throws std::system_error where there is no pipe.
program_end run_program(const std::vector<std::string> &words, errors e = errors::joined);

} // namespace het
