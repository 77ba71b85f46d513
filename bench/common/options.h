// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The command lines of the benchmarks. CLI11 reads them, but only options.cc sees it: its header takes two seconds to
// compile.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI
{
class App;
}

namespace bench
{

// The options of a program. Each has a variable, which holds the default until the command line is read.
class command_line
{
      public:
	explicit command_line(const std::string &what_the_program_does);
	~command_line();
	command_line(const command_line &) = delete;
	command_line &operator=(const command_line &) = delete;

	void flag(const std::string &name, bool &value, const std::string &help);
	// Greater than 0. A default of 0 is not shown.
	void number(const std::string &name, unsigned &value, const std::string &help);
	void number(const std::string &name, size_t &value, const std::string &help);
	void number(const std::string &name, float &value, const std::string &help);
	// @choices: what may be given; empty: anything.
	void text(const std::string &name, std::string &value, const std::string &help,
		  const std::vector<std::string> &choices = {});
	void list(const std::string &name, std::vector<std::string> &value, const std::string &help,
		  const std::vector<std::string> &choices = {});
	// Must be given, without a name before it.
	void operand(const std::string &name, std::string &value, const std::string &help);

	// Reads the command line, runs the program and turns exceptions into one line on stderr and exit code 2.
	// Exit codes of @body: 0 fine, 1 the results are wrong.
	int run(int argc, char **argv, const std::function<int()> &body);

      private:
	std::unique_ptr<CLI::App> app_;
};

struct common_options {
	bool quick = false;
	std::string json; // path of the result, "" for none
};

void add_common_options(command_line &line, common_options &options);

} // namespace bench
