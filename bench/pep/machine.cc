// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "pep/machine.h"

#include <fstream>

namespace pep
{

namespace
{

constexpr model::named_parameter<machine> all[] = {
	{"clock_mhz", &machine::clock_mhz},
	{"processors", &machine::processors},
	{"register_kb", &machine::register_kb},
	{"shared_kb", &machine::shared_kb},
	{"schedulers", &machine::schedulers},
	{"controllers", &machine::controllers},
	{"memory_mhz", &machine::memory_mhz},
	{"blocks_of_processor", &machine::blocks_of_processor},
	{"trap_us", &machine::trap_us, true},
	{"look_instructions", &machine::look_instructions, true},
	{"threads_of_processor", &machine::threads_of_processor},
	{"controller_bytes", &machine::controller_bytes},
	{"l2_kb", &machine::l2_kb},
	{"l2_ways", &machine::l2_ways},
	{"arithmetic_cycles", &machine::arithmetic_cycles},
	{"special_cycles", &machine::special_cycles},
	{"shared_cycles", &machine::shared_cycles},
	{"l2_cycles", &machine::l2_cycles},
	{"memory_cycles", &machine::memory_cycles, true},
	{"special_slots", &machine::special_slots},
	{"wide_slots", &machine::wide_slots},
	{"subroutine_slots", &machine::subroutine_slots},
	{"product_slots", &machine::product_slots},
	{"branch_slots", &machine::branch_slots, true},
	{"warm_us", &machine::warm_us, true},
	{"lines_in_flight", &machine::lines_in_flight},
	{"save_line_cycles", &machine::save_line_cycles},
};

} // namespace

machine scaled(const machine &m, unsigned factor)
{
	if (factor == 0)
		throw std::invalid_argument("the machine can't be made 0 times smaller");
	machine s = m;
	s.processors = std::max(1u, m.processors / factor);
	const double part = double(s.processors) / m.processors;
	s.controllers = std::max(1u, unsigned(m.controllers * part + 0.5));
	s.memory_mhz = m.memory_mhz * part * m.controllers / s.controllers;
	s.l2_kb = std::max(1u, unsigned(m.l2_kb * part));
	return s;
}

void set(machine &m, const std::string &text)
{
	model::set_parameter<machine>(m, all, text);
}

void set_from_file(machine &m, const std::string &path)
{
	std::ifstream file(path);
	if (!file)
		throw std::runtime_error("can't read " + path);
	for (std::string line; std::getline(file, line);) {
		line = line.substr(0, line.find('#'));
		line.erase(std::remove_if(line.begin(), line.end(), [](char c) { return c == ' ' || c == '\t'; }),
			   line.end());
		if (!line.empty())
			set(m, line);
	}
}

std::vector<model::parameter> parameters_of(const machine &m)
{
	return model::parameters_of<machine>(m, all);
}

} // namespace pep
