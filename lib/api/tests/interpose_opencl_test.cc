// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests the OpenCL interposers over a memory core that only takes notes. They are included here because unit tests are
// linked without interposers.
#include "api/interpose_opencl.cc" // NOLINT(bugprone-suspicious-include)

#include "dev/tests/opencl_program.h"

#include <algorithm>
#include <numeric>
#include <ostream>

namespace het
{

namespace
{

struct note {
	const void *p;
	size_t n;
	access to;
	bool operator==(const note &) const = default;
	friend std::ostream &operator<<(std::ostream &out, const note &m)
	{
		return out << m.p << "+" << m.n << (m.to == access::write ? " write" : " read");
	}
};

unsigned char linked[4096];
std::vector<note> notes;

} // namespace

bool is_linked(const void *p, size_t n)
{
	return range_of(p, n).overlaps(range_of(linked, sizeof(linked)));
}

void bring_home(const void *p, size_t n, access to)
{
	notes.push_back({p, n, to});
}

void forget_memory(const void *, size_t, bool, const char *) {}

namespace test
{

namespace
{

class interpose_opencl : public opencl_test
{
      protected:
	void SetUp() override
	{
		opencl_test::SetUp();
		if (IsSkipped())
			return;
		queue = queues[0];
		buffer = program.buffer(context, sizeof(linked));
		std::iota(std::begin(linked), std::end(linked), 0);
		notes.clear();
	}
	void TearDown() override
	{
		if (buffer)
			program.release_mem_object(buffer);
		opencl_test::TearDown();
	}

	// Checks that the memory core was told of this range once, and of nothing else.
	void expect_note(const void *p, size_t n, access to)
	{
		EXPECT_EQ(notes, std::vector<note>({{p, n, to}}));
		notes.clear();
	}

	std::vector<unsigned char> contents()
	{
		std::vector<unsigned char> bytes(sizeof(linked));
		EXPECT_EQ(
			clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
			CL_SUCCESS);
		return bytes;
	}

	cl_command_queue queue = nullptr;
	cl_mem buffer = nullptr;
};

} // namespace

TEST_F(interpose_opencl, memory_that_is_not_linked_is_left_alone)
{
	unsigned char other[16] = {1, 2, 3};
	EXPECT_EQ(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 16, other, 0, nullptr, nullptr), CL_SUCCESS);
	EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 16, other, 0, nullptr, nullptr), CL_SUCCESS);
	EXPECT_TRUE(notes.empty());
	EXPECT_EQ(other[2], 3);
}

TEST_F(interpose_opencl, buffer_copies)
{
	EXPECT_EQ(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 5, 100, linked + 7, 0, nullptr, nullptr), CL_SUCCESS);
	expect_note(linked + 7, 100, access::read);
	auto now = contents();
	EXPECT_TRUE(std::equal(linked + 7, linked + 107, now.begin() + 5));

	EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 5, 100, linked + 1000, 0, nullptr, nullptr), CL_SUCCESS);
	expect_note(linked + 1000, 100, access::write);
	EXPECT_TRUE(std::equal(linked + 7, linked + 107, linked + 1000));
}

TEST_F(interpose_opencl, rectangle_copies)
{
	size_t origin[] = {0, 0, 0}, host_origin[] = {4, 2, 0}, region[] = {8, 4, 2};
	EXPECT_EQ(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, origin, host_origin, region, 0, 0, 32, 512, linked,
					   0, nullptr, nullptr),
		  CL_SUCCESS);
	expect_note(linked + 68, 512 + 3 * 32 + 8, access::read);
	EXPECT_TRUE(std::equal(linked + 68, linked + 76, contents().begin()));

	EXPECT_EQ(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, host_origin, region, 0, 0, 64, 512, linked, 0,
					  nullptr, nullptr),
		  CL_SUCCESS);
	expect_note(linked + 132, 512 + 3 * 64 + 8, access::write);
	EXPECT_EQ(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, host_origin, region, 0, 0, 64, 512, nullptr,
					  0, nullptr, nullptr),
		  CL_INVALID_VALUE);
	EXPECT_TRUE(notes.empty());
}

TEST_F(interpose_opencl, buffers_made_over_host_memory)
{
	cl_int err = -1;
	cl_mem m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 100, linked, &err);
	ASSERT_EQ(err, CL_SUCCESS);
	expect_note(linked, 100, access::read);
	program.release_mem_object(m);

	m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 128, linked, &err);
	ASSERT_EQ(err, CL_SUCCESS);
	expect_note(linked, 128, access::write);
	program.release_mem_object(m);

	m = clCreateBufferWithProperties(context, nullptr, CL_MEM_COPY_HOST_PTR, 100, linked, &err);
	expect_note(linked, 100, access::read);
	if (m)
		program.release_mem_object(m);
}

TEST_F(interpose_opencl, images)
{
	cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	cl_image_desc desc = {};
	desc.image_type = CL_MEM_OBJECT_IMAGE2D;
	desc.image_width = desc.image_height = 8;
	desc.image_row_pitch = 64;
	cl_int err = -1;
	cl_mem image = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, linked, &err);
	expect_note(linked, 7 * 64 + 32, access::read);
	if (!image)
		GTEST_SKIP() << "no images on this device";

	size_t origin[] = {0, 0, 0}, region[] = {8, 4, 1};
	unsigned char back[8 * 4 * 4] = {};
	EXPECT_EQ(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, back, 0, nullptr, nullptr),
		  CL_SUCCESS);
	EXPECT_TRUE(notes.empty());
	EXPECT_TRUE(std::equal(linked + 64, linked + 96, back + 32));
	EXPECT_EQ(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 128, 0, linked, 0, nullptr, nullptr),
		  CL_SUCCESS);
	expect_note(linked, 3 * 128 + 32, access::write);
	EXPECT_EQ(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 128, 0, linked, 0, nullptr, nullptr),
		  CL_SUCCESS);
	expect_note(linked, 3 * 128 + 32, access::read);
	EXPECT_EQ(clEnqueueFillImage(queue, image, linked + 16, origin, region, 0, nullptr, nullptr), CL_SUCCESS);
	expect_note(linked + 16, 16, access::read);
	program.release_mem_object(image);
}

// This needs no device that has them: the loader refuses the null context, but our part is done by then.
TEST_F(interpose_opencl, other_ways_to_make_images)
{
	cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	cl_image_desc desc = {};
	desc.image_type = CL_MEM_OBJECT_IMAGE1D;
	desc.image_width = 8;
	cl_int err = CL_SUCCESS;
	EXPECT_EQ(clCreateImageWithProperties(nullptr, nullptr, CL_MEM_COPY_HOST_PTR, &format, &desc, linked, &err),
		  nullptr);
	expect_note(linked, 32, access::read);
	EXPECT_EQ(clCreateImage2D(nullptr, CL_MEM_COPY_HOST_PTR, &format, 8, 4, 0, linked, &err), nullptr);
	expect_note(linked, 128, access::read);
	EXPECT_EQ(err, CL_INVALID_CONTEXT);
	EXPECT_EQ(clCreateImage3D(nullptr, CL_MEM_COPY_HOST_PTR, &format, 8, 4, 2, 0, 256, linked, &err), nullptr);
	expect_note(linked, 256 + 128, access::read);
}

TEST_F(interpose_opencl, values_and_patterns)
{
	EXPECT_EQ(clEnqueueFillBuffer(queue, buffer, linked + 3, 2, 0, 16, 0, nullptr, nullptr), CL_SUCCESS);
	expect_note(linked + 3, 2, access::read);
	EXPECT_EQ(contents()[14], 3);

	EXPECT_NE(clSetKernelArg(nullptr, 0, 4, linked), CL_SUCCESS);
	expect_note(linked, 4, access::read);
	EXPECT_NE(clSetKernelArg(nullptr, 0, 4096, nullptr), CL_SUCCESS) << "local memory: no host pointer";
	EXPECT_TRUE(notes.empty());

	EXPECT_NE(clEnqueueNativeKernel(
			  nullptr, [](void *) {}, linked, 24, 0, nullptr, nullptr, 0, nullptr, nullptr),
		  CL_SUCCESS);
	expect_note(linked, 24, access::read);
}

TEST_F(interpose_opencl, shared_virtual_memory)
{
	unsigned char other[64];
	EXPECT_NE(clEnqueueSVMMemcpy(nullptr, CL_TRUE, other, linked, 64, 0, nullptr, nullptr), CL_SUCCESS);
	expect_note(linked, 64, access::read);
	EXPECT_NE(clEnqueueSVMMemcpy(nullptr, CL_TRUE, linked, other, 64, 0, nullptr, nullptr), CL_SUCCESS);
	expect_note(linked, 64, access::write);
	EXPECT_NE(clEnqueueSVMMemFill(nullptr, linked, other, 4, 64, 0, nullptr, nullptr), CL_SUCCESS);
	expect_note(linked, 64, access::write);
	EXPECT_NE(clEnqueueSVMMemFill(nullptr, other, linked, 4, 64, 0, nullptr, nullptr), CL_SUCCESS);
	expect_note(linked, 4, access::read);
	EXPECT_NE(clEnqueueSVMMap(nullptr, CL_TRUE, CL_MAP_READ, linked, 8, 0, nullptr, nullptr), CL_SUCCESS);
	expect_note(linked, 8, access::read);
	EXPECT_NE(clEnqueueSVMMap(nullptr, CL_TRUE, CL_MAP_WRITE, linked, 8, 0, nullptr, nullptr), CL_SUCCESS);
	expect_note(linked, 8, access::write);
}

} // namespace test

} // namespace het
