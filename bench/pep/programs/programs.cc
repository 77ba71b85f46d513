// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "pep/programs/programs.h"

#include "model/named.h"

namespace pep
{

namespace
{

constexpr program all[] = {
	{"cutcp", {5.8, 516, 10.1, 16.5, 8}, record_cutcp},
	{"lbm", {21.8, 31.7, 20.9, 18, 14}, record_lbm},
	{"mri-q", {10.4, 865, 11.6, 18, 8}, record_mri_q},
	{"stencil", {4.5, 41.3, 4.2, 12.5, 4}, record_stencil},
	{"streamcluster", {6.7, 606, 8.3, 24, 4}, record_streamcluster},
	{"gemm", {23.4, 194, 17.9, 28, 8}, record_gemm},
	{"black-scholes", {3.4, 388, 16.7, 12.5, 16}, record_black_scholes},
	{"kmeans", {29.7, 985, 9, 10, 8}, record_kmeans},
	{"pathfinder", {11.3, 24.2, 11.6, 18, 8}, record_pathfinder},
	{"srad_v1-extract", {5.2, 1.8, 4, 12, 4}, record_extract},
	{"srad_v2", {15, 11.5, 16.4, 25, 8}, record_srad_v2},
	{"srad_v1-srad", {5.2, 7.9, 7.8, 24, 4}, record_srad_v1},
	{"hotspot", {33.3, 4.5, 7.7, 38, 3}, record_hotspot},
	{"lud", {4.4, 5.3, 10.5, 16, 8}, record_lud},
	{"backprop-forward", {16.7, 4.7, 2, 12, 1}, record_layer_forward},
	{"backprop-adjust", {16.7, 1.5, 1.2, 22, 1}, record_adjust_weights},
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

} // namespace pep
