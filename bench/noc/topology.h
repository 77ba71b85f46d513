// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Networks are data: routers with numbered ports, links between them, and terminals (cores, memory controllers) on
// ports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace noc
{

// These are the ports of a mesh's router; terminals and links to another layer follow.
enum mesh_port : uint8_t { east, west, south, north, first_local };
// A double butterfly has, instead of the ports to south and north, a second one each to the next column and to the one
// before: they lead to another row.
constexpr uint8_t across_east = south, across_west = north;

struct router {
	uint8_t ports = 0;
	uint8_t layer = 0;
	uint8_t x = 0, y = 0; // in its layer
};

// A link has one direction.
struct link {
	uint16_t from = 0, to = 0;
	uint8_t from_port = 0, to_port = 0;
	uint8_t cycles = 1;
};

// A terminal injects through @port and receives through it, and through the ports that follow if @ejections is more
// than 1.
struct terminal {
	uint16_t router = 0;
	uint8_t port = 0;
	uint8_t ejections = 1;
	uint8_t cycles = 1;
	bool memory = false;
};

enum class interposer : uint8_t { mesh, double_butterfly };

struct topology {
	std::string name;
	interposer below = interposer::mesh; // of two layers, the lower one
	std::vector<router> routers;
	std::vector<link> links;
	std::vector<terminal> terminals;
};

// Terminals are numbered row by row.
topology mesh(unsigned width, unsigned height);
// It has @cx times @cy terminals a router; terminals are numbered row by row of the whole.
topology concentrated_mesh(unsigned width, unsigned height, unsigned cx, unsigned cy);

// It is a mesh of cores above a mesh with one router for each grid of 2 × 2 cores, and a link down and up for every
// core's router. A memory controller stands beside every router of the lower mesh's left and right column.
struct two_layer_options {
	unsigned width = 8, height = 8;
	unsigned controller_ejections = 2;
	unsigned z_cycles = 1;
	interposer below = interposer::mesh;
};
// It throws std::invalid_argument where a double butterfly would not have twice as many columns as its rows' numbers
// have bits.
topology two_layers(const two_layer_options &o);

// Where a link leads from a column of a double butterfly to the next one, this bit tells the rows at both ends of that
// across apart. The first half is a butterfly, and the second one its mirror image.
constexpr unsigned row_bit_behind(unsigned column, unsigned columns)
{
	return column < columns - 2 - column ? column : columns - 2 - column;
}

// These number the port that leads from a core's router down, and the first that leads up to the cores of a grid.
constexpr uint8_t port_down = first_local + 1;
constexpr uint8_t port_up = first_local;

} // namespace noc
