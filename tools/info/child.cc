// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "info/child.h"

#include "base/process.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

namespace info
{

using namespace het;

namespace
{

using clock = std::chrono::steady_clock;
constexpr std::chrono::seconds patience{30};

void write_all(int fd, const std::string &text)
{
	for (size_t done = 0; done < text.size();) {
		ssize_t n = write(fd, text.data() + done, text.size() - done);
		if (n <= 0 && errno != EINTR)
			return;
		done += n > 0 ? size_t(n) : 0;
	}
}

void be_the_child(const std::function<json()> &look, int answer, int messages)
{
	rlimit none{};
	setrlimit(RLIMIT_CORE, &none);
	// Drivers' words on stdout are no part of our report either.
	dup2(messages, STDOUT_FILENO);
	dup2(messages, STDERR_FILENO);
	write_all(answer, look().dump());
}

// Appends what is there. Returns false at the end of the stream.
bool read_some(int fd, std::string &to)
{
	std::array<char, 4096> buffer;
	ssize_t n = read(fd, buffer.data(), buffer.size());
	if (n > 0)
		to.append(buffer.data(), size_t(n));
	return n > 0 || (n < 0 && errno == EINTR);
}

// Listens until the child has closed @answer, or for as long as we are willing to wait. Returns false if it has not.
bool listen(int answer, std::string &text, int messages, std::string &printed)
{
	std::array<pollfd, 2> fds{pollfd{answer, POLLIN, 0}, pollfd{messages, POLLIN, 0}};
	for (auto end = clock::now() + patience;;) {
		auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now()).count();
		if (left <= 0)
			return false;
		if (poll(fds.data(), fds.size(), int(left)) <= 0)
			continue;
		if (fds[1].revents && !read_some(messages, printed))
			fds[1].fd = -1;
		if (fds[0].revents && !read_some(answer, text))
			return true;
	}
}

std::string how_it_ended(child_process &child, bool in_time)
{
	if (!in_time) {
		child.end();
		return "it did not end within " + std::to_string(patience.count()) + " s";
	}
	child.wait();
	return "it " + text_of_status(child.status());
}

// Throws if no child can be started.
finding ask_child(const std::function<json()> &look)
{
	finding f;
	tube answer = make_tube(), messages = make_tube();
	child_process child([&] { be_the_child(look, answer.in.get(), messages.in.get()); });
	answer.in = descriptor();
	messages.in = descriptor();
	std::string text;
	const bool in_time = listen(answer.out.get(), text, messages.out.get(), f.printed);
	f.ending = how_it_ended(child, in_time);
	// A helper of a driver's may have kept the other pipe open, so what is there is taken.
	fcntl(messages.out.get(), F_SETFL, O_NONBLOCK);
	while (read_some(messages.out.get(), f.printed))
		;
	try {
		f.answer = json::parse(text);
	} catch (const json::error &) { // it ended on the way: the reason is in f.ending
	}
	return f;
}

} // namespace

finding in_child(const std::function<json()> &look)
{
	try {
		return ask_child(look);
	} catch (const std::system_error &e) {
		return {{}, {}, std::string("no child process could be started: ") + e.what()};
	}
}

std::string finding::last_message() const
{
	std::string text = printed;
	while (!text.empty() && text.back() == '\n')
		text.pop_back();
	text.erase(0, text.rfind('\n') + 1); // right where there is no newline, too: npos + 1 is 0
	const std::string prefix = "libhet: ";
	return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

} // namespace info
