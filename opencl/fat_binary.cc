// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fat_binary.h"

#include "kept_binaries.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hetcl
{

namespace
{

constexpr char tool[] = "het-fatbin";

// The tool is installed beside the library, or stands in the folder where both are built; else PATH has it.
std::string find_tool()
{
	Dl_info here = {};
	if (!dladdr(reinterpret_cast<const void *>(make_fat_binary), &here) || !here.dli_fname)
		return tool;
	std::string folder = here.dli_fname;
	folder.resize(folder.find_last_of('/') + 1);
	for (const char *bin : {"bin/", "../bin/"}) {
		std::string path = folder + bin + tool;
		if (!access(path.c_str(), X_OK))
			return path;
	}
	return tool;
}

// The tool is to find the drivers, and not this platform.
std::vector<std::string> environment_of_tool()
{
	std::vector<std::string> e;
	for (char **v = environ; *v; v++) {
		if (strncmp(*v, "OCL_ICD_VENDORS=", 16) != 0 && strncmp(*v, "LD_PRELOAD=", 11) != 0)
			e.emplace_back(*v);
	}
	return e;
}

std::vector<char *> pointers_to(std::vector<std::string> &texts)
{
	std::vector<char *> p;
	for (std::string &t : texts)
		p.push_back(t.data());
	p.push_back(nullptr);
	return p;
}

int text_as_file(const std::string &text)
{
	const int fd = memfd_create("source", MFD_CLOEXEC);
	if (fd >= 0 && (write(fd, text.data(), text.size()) != ssize_t(text.size()) || lseek(fd, 0, SEEK_SET))) {
		close(fd);
		return -1;
	}
	return fd;
}

bool run(std::vector<std::string> command, int input)
{
	std::vector<std::string> environment = environment_of_tool();
	posix_spawn_file_actions_t files;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	pid_t id = 0;
	const int err = posix_spawnp(&id, command[0].c_str(), &files, nullptr, pointers_to(command).data(),
				     pointers_to(environment).data());
	posix_spawn_file_actions_destroy(&files);
	int status = 0;
	return !err && waitpid(id, &status, 0) == id && WIFEXITED(status) && !WEXITSTATUS(status);
}

std::vector<char> read_file(const std::string &path)
{
	std::vector<char> bytes;
	FILE *f = fopen(path.c_str(), "re");
	char part[1 << 14];
	for (size_t n; f && (n = fread(part, 1, sizeof(part), f));)
		bytes.insert(bytes.end(), part, part + n);
	if (f)
		fclose(f);
	return bytes;
}

// The last ones that were made are kept, as many programs build the same source again and again: the tool takes a
// tenth of a second and more.
class made_before
{
      public:
	const std::vector<char> *find(const std::string &key) const
	{
		const auto at = std::find_if(all_.begin(), all_.end(), [&](const entry &e) { return e.key == key; });
		return at == all_.end() ? nullptr : &at->made;
	}
	void add(std::string key, std::vector<char> made)
	{
		nbytes_ += key.size() + made.size();
		all_.push_back({std::move(key), std::move(made)});
		for (; nbytes_ > most_bytes && !all_.empty(); all_.pop_front())
			nbytes_ -= all_.front().key.size() + all_.front().made.size();
	}
	std::mutex lock;

      private:
	static constexpr size_t most_bytes = 16 << 20;
	struct entry {
		std::string key;
		std::vector<char> made;
	};
	std::deque<entry> all_;
	size_t nbytes_ = 0;
};

std::vector<char> make(const std::string &source, const std::string &options, const std::string &by)
{
	const char *temporary = getenv("TMPDIR");
	std::string folder = std::string(temporary && *temporary ? temporary : "/tmp") + "/het-XXXXXX";
	const int input = text_as_file(source);
	std::vector<char> bytes;
	if (input >= 0 && mkdtemp(folder.data())) {
		const std::string made = folder + "/program.het";
		std::vector<std::string> command = {by, "build", "-", "-o", made, "--targets", "opencl"};
		if (!options.empty())
			command.insert(command.end(), {"--options", options});
		if (run(command, input))
			bytes = read_file(made);
		unlink(made.c_str());
		rmdir(folder.c_str());
	}
	if (input >= 0)
		close(input);
	return bytes;
}

} // namespace

// What could not be made is tried again.
std::vector<char> make_fat_binary(const std::string &source, const std::string &options, const _cl_device_id &d)
{
	static auto *before = new made_before;
	const std::string key = options + '\0' + source;
	{
		const std::lock_guard g(before->lock);
		if (const std::vector<char> *made = before->find(key))
			return *made;
	}
	const std::string by = find_tool();
	const binary_request r = {source, options, d, by};
	std::vector<char> made = find_kept(r);
	if (made.empty()) {
		made = make(source, options, by);
		if (!made.empty())
			keep(r, made);
	}
	const std::lock_guard g(before->lock);
	if (!made.empty() && !before->find(key))
		before->add(key, made);
	return made;
}

} // namespace hetcl
