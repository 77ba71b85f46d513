// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// nbody.cc launches these kernels.

#define NEAR 64

kernel void move_bodies(global const float4 *from, global float4 *to, global float4 *velocity, uint n, float softening,
			float dt)
{
	local float4 near[NEAR];
	uint i = get_global_id(0), l = get_local_id(0);
	float4 here = from[i], v = velocity[i];
	float ax = 0, ay = 0, az = 0;
	for (uint first = 0; first < n; first += NEAR) {
		near[l] = from[first + l];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint k = 0; k < NEAR; k++) {
			float dx = near[k].x - here.x, dy = near[k].y - here.y, dz = near[k].z - here.z;
			float r2 = dx * dx + dy * dy + dz * dz + softening;
			float pull = near[k].w / (r2 * sqrt(r2));
			ax += dx * pull;
			ay += dy * pull;
			az += dz * pull;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	v.x += ax * dt;
	v.y += ay * dt;
	v.z += az * dt;
	velocity[i] = v;
	here.x += v.x * dt;
	here.y += v.y * dt;
	here.z += v.z * dt;
	to[i] = here;
}
