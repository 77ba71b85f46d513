// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/child.h"

#include "common/clock.h"
#include "common/format.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <stdexcept>
#include <unistd.h>

namespace bench
{

namespace
{

// This takes the place of a question: the child ends. Closing the pipe would not do, since younger children have it
// open too.
const char *const the_end = "the end";

// A message is its length in bytes, then that many bytes of JSON.
bool send_all(int fd, const void *data, size_t n)
{
	auto p = static_cast<const char *>(data);
	while (n) {
		ssize_t done = write(fd, p, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		p += done;
		n -= size_t(done);
	}
	return true;
}

bool send_message(int fd, const json &message)
{
	std::string text = message.dump();
	size_t n = text.size();
	return send_all(fd, &n, sizeof(n)) && send_all(fd, text.data(), n);
}

enum class outcome { fine, closed, late };

// @deadline is in now_us() time; if it is 0, this waits for ever.
outcome receive_all(int fd, void *data, size_t n, double deadline)
{
	auto p = static_cast<char *>(data);
	while (n) {
		double left_ms = deadline > 0 ? (deadline - now_us()) * 1e-3 : -1;
		if (deadline > 0 && left_ms <= 0)
			return outcome::late;
		pollfd pf = {fd, POLLIN, 0};
		int ready = poll(&pf, 1, deadline > 0 ? int(left_ms) + 1 : -1);
		if (ready < 0 && errno != EINTR)
			return outcome::closed;
		if (ready <= 0)
			continue;
		ssize_t done = read(fd, p, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return outcome::closed;
		p += done;
		n -= size_t(done);
	}
	return outcome::fine;
}

outcome receive_message(int fd, json &message, double deadline)
{
	size_t n;
	outcome o = receive_all(fd, &n, sizeof(n), deadline);
	if (o != outcome::fine)
		return o;
	std::string text(n, '\0');
	o = receive_all(fd, text.data(), n, deadline);
	if (o == outcome::fine)
		message = json::parse(text);
	return o;
}

json answer_to(const answer_fn &answer, const json &question)
{
	try {
		return {{"answer", answer(question)}};
	} catch (const std::exception &e) {
		return {{"error", e.what()}};
	}
}

void serve(const std::function<answer_fn()> &start, int from, int to)
{
	answer_fn answer;
	try {
		answer = start();
	} catch (const std::exception &e) {
		std::string why = e.what();
		answer = [why](const json &) -> json { throw std::runtime_error(why); };
	}
	json question;
	while (receive_message(from, question, 0) == outcome::fine && question != the_end)
		if (!send_message(to, answer_to(answer, question)))
			break;
	fflush(stdout);
}

} // namespace

child::child(const std::function<answer_fn()> &start)
{
	het::tube down = het::make_tube(), up = het::make_tube();
	fflush(nullptr);
	process_.emplace([&] {
		down.in = het::descriptor();
		up.out = het::descriptor();
		signal(SIGPIPE, SIG_IGN);
		serve(start, down.out.get(), up.in.get());
	});
	to_ = std::move(down.in);
	from_ = std::move(up.out);
}

child::~child()
{
	if (process_)
		tell(the_end);
	stop(2);
}

void child::stop(double patience_s)
{
	if (!process_)
		return;
	for (const double deadline = now_us() + patience_s * 1e6; !process_->has_ended() && now_us() < deadline;)
		usleep(1000);
	process_->end();
	if (dead_.empty())
		dead_ = "the child process " + het::text_of_status(process_->status());
	process_.reset();
}

// The next read will show it if the child has died already.
void child::tell(const json &message)
{
	kill(process_->id(), SIGCONT);
	auto old = signal(SIGPIPE, SIG_IGN);
	send_message(to_.get(), message);
	signal(SIGPIPE, old);
}

json child::ask(const json &question, double timeout_s)
{
	if (!dead_.empty())
		throw std::runtime_error(dead_);
	json reply;
	tell(question);
	switch (receive_message(from_.get(), reply, now_us() + timeout_s * 1e6)) {
	case outcome::fine:
		break;
	case outcome::late:
		dead_ = format("no answer within %.0f s", timeout_s);
		stop(0);
		throw std::runtime_error(dead_);
	case outcome::closed:
		stop(2);
		throw std::runtime_error(dead_);
	}
	kill(process_->id(), SIGSTOP);
	if (reply.contains("error"))
		throw std::runtime_error(reply["error"].get<std::string>());
	return reply["answer"];
}

json in_child(const std::function<json()> &work, double timeout_s)
{
	child c([&work]() -> answer_fn { return [&work](const json &) { return work(); }; });
	return c.ask({}, timeout_s);
}

} // namespace bench
