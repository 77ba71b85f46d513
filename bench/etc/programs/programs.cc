// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/programs/programs.h"

#include "model/named.h"

namespace etc
{

namespace
{

// What takes n^3 steps for n^2 numbers has fewer of these, and a smaller machine.
constexpr unsigned usual = 4, small = 16;

constexpr program all[] = {
	{"2DCONV", kind::regular, usual, record_2dconv}, {"3DCONV", kind::regular, usual, record_3dconv},
	{"SAD", kind::regular, usual, record_sad},       {"CORR", kind::regular, small, record_corr},
	{"COVAR", kind::regular, small, record_covar},   {"FDTD", kind::regular, usual, record_fdtd},
	{"LPS", kind::regular, usual, record_lps},       {"LUD", kind::shared, small, record_lud},
	{"SRAD", kind::shared, usual, record_srad},      {"CONS", kind::shared, usual, record_cons},
	{"SCAN", kind::shared, usual, record_scan},      {"ATAX", kind::irregular, usual, record_atax},
	{"BICG", kind::irregular, usual, record_bicg},   {"GESUMMV", kind::irregular, usual, record_gesummv},
	{"MVT", kind::irregular, usual, record_mvt},     {"RED", kind::other, usual, record_red},
};

} // namespace

std::span<const program> all_programs()
{
	return all;
}

const program &program_named(const std::string &name)
{
	return model::program_named(all_programs(), name);
}

} // namespace etc
