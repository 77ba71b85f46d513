// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

namespace bench
{

namespace
{

template <typename T> void add_number(CLI::App &app, const std::string &name, T &value, const std::string &help)
{
	auto option = app.add_option(name, value, help)->check(CLI::PositiveNumber);
	if (value > 0)
		option->capture_default_str();
}

template <typename T>
void add_text(CLI::App &app, const std::string &name, T &value, const std::string &help,
	      const std::vector<std::string> &choices)
{
	auto option = app.add_option(name, value, help);
	if (!value.empty())
		option->capture_default_str();
	if (!choices.empty())
		option->check(CLI::IsMember(choices));
}

} // namespace

command_line::command_line(const std::string &what_the_program_does)
    : app_(std::make_unique<CLI::App>(what_the_program_does))
{
	app_->get_formatter()->column_width(34);
}

command_line::~command_line() = default;

void command_line::flag(const std::string &name, bool &value, const std::string &help)
{
	app_->add_flag(name, value, help);
}

void command_line::number(const std::string &name, unsigned &value, const std::string &help)
{
	add_number(*app_, name, value, help);
}

void command_line::number(const std::string &name, size_t &value, const std::string &help)
{
	add_number(*app_, name, value, help);
}

void command_line::number(const std::string &name, float &value, const std::string &help)
{
	add_number(*app_, name, value, help);
}

void command_line::text(const std::string &name, std::string &value, const std::string &help,
			const std::vector<std::string> &choices)
{
	add_text(*app_, name, value, help, choices);
}

void command_line::list(const std::string &name, std::vector<std::string> &value, const std::string &help,
			const std::vector<std::string> &choices)
{
	add_text(*app_, name, value, help, choices);
}

void command_line::operand(const std::string &name, std::string &value, const std::string &help)
{
	app_->add_option(name, value, help)->required();
}

int command_line::run(int argc, char **argv, const std::function<int()> &body)
{
	CLI11_PARSE(*app_, argc, argv);
	try {
		return body();
	} catch (const std::exception &e) {
		fflush(stdout);
		fprintf(stderr, "%s: %s\n", argv[0], e.what());
		return 2;
	}
}

void add_common_options(command_line &line, common_options &options)
{
	line.flag("--quick", options.quick, "fewer samples: a first impression");
	line.text("--json", options.json, "write the results to this file");
}

} // namespace bench
