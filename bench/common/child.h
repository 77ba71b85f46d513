// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A child process that answers questions. gpuvm_init() works once a process, so each trap lives in a
// child of its own, and variants in several children can still be measured in turns. A child is stopped (SIGSTOP)
// while it has no question to answer, so that its threads, which may spin, do not disturb the others.
#pragma once

#include "base/process.h"
#include "json/json.h"

#include <functional>
#include <optional>
#include <string>

namespace bench
{

using het::json;

// Answers one question; what it throws becomes the answer's error.
using answer_fn = std::function<json(const json &question)>;

class child
{
      public:
	// @start runs in the child and returns its answer function. The parent must have one thread and must not
	// have started a device runtime. If start throws, every ask() throws the same text.
	explicit child(const std::function<answer_fn()> &start);
	~child();
	child(const child &) = delete;
	child &operator=(const child &) = delete;

	// Throws with the reason if the child threw, died, or did not answer in time, after which it is killed.
	json ask(const json &question, double timeout_s);

      private:
	void tell(const json &message);
	void stop(double patience_s);

	std::optional<het::child_process> process_; // there until the child has ended
	het::descriptor to_, from_;
	std::string dead_; // why ask() can't work any more
};

// Asks one question to a child that ends then.
json in_child(const std::function<json()> &work, double timeout_s);

} // namespace bench
