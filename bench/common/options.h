// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads the command lines of the benchmarks with CLI11, which only options.cc sees: its header takes two seconds to
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

// Holds the options of a program. Each has a variable, which holds the default until the command line is read.
class command_line
{
      public:
	explicit command_line(const std::string &what_the_program_does);
	~command_line();
	command_line(const command_line &) = delete;
	command_line &operator=(const command_line &) = delete;

	void flag(const std::string &name, bool &value, const std::string &help);
	// The value must be greater than 0. A default of 0 is not shown.
	void number(const std::string &name, unsigned &value, const std::string &help);
	void number(const std::string &name, size_t &value, const std::string &help);
	void number(const std::string &name, float &value, const std::string &help);
	// @choices tells what may be given, which is anything if it is empty.
	void text(const std::string &name, std::string &value, const std::string &help,
		  const std::vector<std::string> &choices = {});
	void list(const std::string &name, std::vector<std::string> &value, const std::string &help,
		  const std::vector<std::string> &choices = {});
	// An operand must be given, without a name before it.
	void operand(const std::string &name, std::string &value, const std::string &help);

	// Reads the command line, runs the program and turns exceptions into one line on stderr and exit code 2. @body
	// returns 0 if all is fine, and 1 if results are wrong.
	int run(int argc, char **argv, const std::function<int()> &body);

      private:
	std::unique_ptr<CLI::App> app_;
};

struct common_options {
	bool quick = false;
	std::string json; // path of the result, or "" for none
};

void add_common_options(command_line &line, common_options &options);

} // namespace bench
