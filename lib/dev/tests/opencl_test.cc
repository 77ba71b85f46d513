// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests the device `opencl` on whatever driver is there.
#include "dev/tests/opencl_program.h"

#include "dev/device.h"
#include "os/log.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <gpuvm.h>
#include <memory>
#include <string>
#include <thread>

namespace het::test
{

namespace
{

constexpr size_t MiB = 1 << 20;

uint8_t pattern(size_t i, unsigned seed)
{
	return uint8_t((i * 2654435761u + size_t{seed} * 40503u) >> 11);
}

std::vector<uint8_t> filled(size_t n, unsigned seed)
{
	std::vector<uint8_t> v(n);
	for (size_t i = 0; i < n; i++)
		v[i] = pattern(i, seed);
	return v;
}

class opencl_device_test : public opencl_test
{
      protected:
	void SetUp() override
	{
		opencl_test::SetUp();
		if (IsSkipped())
			return;
		for (unsigned i = 0; i < 2; i++) {
			int error = -1;
			devices[i] = make_opencl_device(i, queues[i], 4, &error);
			ASSERT_EQ(error, 0) << last_error();
		}
	}
	void TearDown() override
	{
		for (auto &d : devices)
			d.reset();
		opencl_test::TearDown();
	}

	void write(cl_mem buffer, std::vector<uint8_t> &bytes)
	{
		transfer t[] = {{buffer, 0, bytes.data(), bytes.size()}};
		ASSERT_EQ(devices[0]->write(0, t), 0);
	}
	std::vector<uint8_t> read(cl_mem buffer, size_t n)
	{
		std::vector<uint8_t> bytes(n);
		transfer t[] = {{buffer, 0, bytes.data(), n}};
		EXPECT_EQ(devices[0]->read(0, t), 0);
		return bytes;
	}

	std::unique_ptr<device> devices[2];
};

void expect_error_text(const char *part)
{
	EXPECT_NE(std::string(last_error()).find(part), std::string::npos) << last_error();
}

} // namespace

TEST_F(opencl_device_test, names_itself)
{
	EXPECT_EQ(std::string(devices[1]->name()).find("opencl 1: "), 0u) << devices[1]->name();
	EXPECT_EQ(devices[1]->api(), GPUVM_OPENCL);
	EXPECT_FALSE(devices[1]->signal_safe());
	EXPECT_GE(devices[1]->numa_node(), -1);
}

TEST_F(opencl_device_test, reads_and_writes_any_offset_and_size)
{
	constexpr size_t whole = 4 * MiB;
	cl_mem buffer = program.buffer(context, whole);
	auto expected = filled(whole, 1);
	write(buffer, expected);
	unsigned seed = 2;
	for (size_t offset : {size_t{0}, size_t{1}, size_t{3}, size_t{4095}, size_t{4096}, size_t{65537}}) {
		for (size_t size : {size_t{1}, size_t{7}, size_t{4096}, size_t{12345}, 2 * MiB + 1}) {
			auto bytes = filled(size, seed++);
			std::copy(bytes.begin(), bytes.end(), expected.begin() + ptrdiff_t(offset));
			transfer in[] = {{buffer, offset, bytes.data(), size}};
			ASSERT_EQ(devices[0]->write(1, in), 0);

			std::vector<uint8_t> back(size + 2, 0xaa);
			transfer out[] = {{buffer, offset, back.data() + 1, size}};
			ASSERT_EQ(devices[0]->read(0, out), 0);
			ASSERT_TRUE(std::equal(bytes.begin(), bytes.end(), back.begin() + 1)) << offset << " " << size;
			ASSERT_EQ(back.front(), 0xaa);
			ASSERT_EQ(back.back(), 0xaa);
		}
	}
	EXPECT_EQ(read(buffer, whole), expected);
	program.release_mem_object(buffer);
}

TEST_F(opencl_device_test, copies_many_pieces_and_skips_empty_ones)
{
	constexpr size_t n = 100, size = 777;
	cl_mem buffer = program.buffer(context, n * size);
	auto bytes = filled(n * size, 3);
	std::vector<uint8_t> back(n * size);
	std::vector<transfer> in, out;
	for (size_t i = 0; i < n; i++) {
		in.push_back({buffer, i * size, bytes.data() + i * size, i % 10 ? size : 0});
		out.push_back({buffer, i * size, back.data() + i * size, i % 10 ? size : 0});
	}
	for (size_t i = 0; i < n * size; i++)
		bytes[i] = i / size % 10 ? bytes[i] : 0;
	ASSERT_EQ(devices[0]->write(0, in), 0);
	ASSERT_EQ(devices[0]->read(0, out), 0);
	EXPECT_EQ(back, bytes);
	EXPECT_EQ(devices[0]->read(0, {}), 0);
	program.release_mem_object(buffer);
}

TEST_F(opencl_device_test, lanes_work_side_by_side)
{
	constexpr size_t part = 64 << 10;
	cl_mem buffer = program.buffer(context, 4 * part);
	std::atomic<int> wrong{0};
	std::vector<std::thread> threads;
	for (unsigned lane = 0; lane < 4; lane++)
		threads.emplace_back([&, lane] {
			std::vector<uint8_t> back(part);
			for (unsigned round = 0; round < 50; round++) {
				auto bytes = filled(part, lane * 1000 + round);
				transfer in[] = {{buffer, lane * part, bytes.data(), part}};
				transfer out[] = {{buffer, lane * part, back.data(), part}};
				wrong += devices[0]->write(lane, in) != 0;
				wrong += devices[0]->read(lane, out) != 0;
				wrong += back != bytes;
			}
		});
	for (auto &t : threads)
		t.join();
	EXPECT_EQ(wrong, 0);
	program.release_mem_object(buffer);
}

TEST_F(opencl_device_test, two_reads_of_a_lane_can_be_under_way)
{
	constexpr size_t part = MiB, parts = 8;
	cl_mem buffer = program.buffer(context, parts * part);
	auto bytes = filled(parts * part, 5);
	write(buffer, bytes);
	std::vector<uint8_t> back(parts * part);
	read_ticket tickets[2];
	auto start = [&](size_t i) {
		ASSERT_EQ(devices[0]->start_read(2, {buffer, i * part, back.data() + i * part, part}, tickets[i % 2]),
			  0);
	};
	start(0);
	for (size_t i = 0; i < parts; i++) {
		if (i + 1 < parts)
			start(i + 1);
		ASSERT_EQ(devices[0]->finish_read(2, tickets[i % 2]), 0);
		ASSERT_EQ(tickets[i % 2].handle, nullptr);
		ASSERT_TRUE(std::equal(back.begin() + ptrdiff_t(i * part), back.begin() + ptrdiff_t((i + 1) * part),
				       bytes.begin() + ptrdiff_t(i * part)));
	}
	program.release_mem_object(buffer);
}

TEST_F(opencl_device_test, copies_directly_inside_a_context)
{
	cl_mem from = program.buffer(context, 10000), to = program.buffer(context, 10000);
	auto bytes = filled(10000, 7);
	write(from, bytes);
	ASSERT_EQ(devices[1]->copy_from(3, to, 100, *devices[0], from, 7, 5000), 0);
	auto back = read(to, 10000);
	EXPECT_TRUE(std::equal(back.begin() + 100, back.begin() + 5100, bytes.begin() + 7));
	program.release_mem_object(from);
	program.release_mem_object(to);
}

TEST_F(opencl_device_test, does_not_copy_directly_from_elsewhere)
{
	cl_context other = program.context({ids[0]});
	cl_command_queue queue = program.queue(other, ids[0]);
	int error = -1;
	auto foreign = make_opencl_device(2, queue, 1, &error);
	auto host = make_host_device(3, nullptr, 1, &error);
	cl_mem from = program.buffer(other, 100), to = program.buffer(context, 100);
	ASSERT_EQ(devices[0]->retain(nullptr, 1), GPUVM_ENULL);
	std::string before = last_error();
	EXPECT_EQ(devices[0]->copy_from(0, to, 0, *foreign, from, 0, 100), GPUVM_EAPI);
	EXPECT_EQ(devices[0]->copy_from(0, to, 0, *host, &from, 0, 1), GPUVM_EAPI);
	EXPECT_EQ(host->copy_from(0, &to, 0, *devices[0], from, 0, 1), GPUVM_EAPI);
	EXPECT_EQ(before, last_error()) << "that is no failure";
	program.release_mem_object(from);
	program.release_mem_object(to);
	foreign.reset();
	program.release_queue(queue);
	program.release_context(other);
}

TEST_F(opencl_device_test, keeps_buffers_alive)
{
	cl_mem buffer = program.buffer(context, 100);
	ASSERT_EQ(program.references(buffer), 1u);
	ASSERT_EQ(devices[0]->retain(buffer, 100), 0);
	EXPECT_EQ(program.references(buffer), 2u);
	devices[0]->release(buffer);
	EXPECT_EQ(program.references(buffer), 1u);

	EXPECT_EQ(devices[0]->retain(buffer, 101), GPUVM_EARG);
	expect_error_text("the buffer has 100 bytes, the array 101");
	EXPECT_EQ(program.references(buffer), 1u);
	program.release_mem_object(buffer);
}

TEST_F(opencl_device_test, refuses_buffers_of_another_context)
{
	cl_context other = program.context({ids[0]});
	cl_mem buffer = program.buffer(other, 100);
	EXPECT_EQ(devices[0]->retain(buffer, 100), GPUVM_EARG);
	expect_error_text("another context");
	EXPECT_EQ(program.references(buffer), 1u);
	program.release_mem_object(buffer);
	program.release_context(other);
}

TEST_F(opencl_device_test, refuses_buffers_that_the_host_must_not_reach)
{
	for (cl_mem_flags flag : {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY}) {
		cl_mem buffer = program.buffer(context, 100, CL_MEM_READ_WRITE | flag);
		EXPECT_EQ(devices[0]->retain(buffer, 100), GPUVM_EARG);
		expect_error_text("CL_MEM_HOST_");
		program.release_mem_object(buffer);
	}
}

TEST_F(opencl_device_test, refuses_buffers_over_the_programs_memory)
{
	std::vector<char> memory(4096);
	cl_mem buffer = program.buffer(context, 4096, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, memory.data());
	EXPECT_EQ(devices[0]->retain(buffer, 4096), GPUVM_EARG);
	expect_error_text("CL_MEM_USE_HOST_PTR");
	program.release_mem_object(buffer);
}

TEST_F(opencl_device_test, refuses_images)
{
	cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
	cl_image_desc desc = {};
	desc.image_type = CL_MEM_OBJECT_IMAGE2D;
	desc.image_width = desc.image_height = 16;
	cl_int err;
	cl_mem image = program.create_image(context, CL_MEM_READ_WRITE, &format, &desc, nullptr, &err);
	if (!image)
		GTEST_SKIP() << "no images on this device";
	EXPECT_EQ(devices[0]->retain(image, 1), GPUVM_EARG);
	expect_error_text("only buffers");
	program.release_mem_object(image);
}

TEST_F(opencl_device_test, waits_for_events)
{
	void *kept = nullptr;
	cl_int err;
	cl_event event = program.create_user_event(context, &err);
	ASSERT_EQ(devices[0]->retain_event(event, &kept), 0);
	EXPECT_EQ(program.references(event), 2u);
	EXPECT_EQ(devices[0]->look_at_event(event), event_state::under_way);
	std::atomic<bool> set{false};
	std::thread kernel([&] {
		std::this_thread::sleep_for(std::chrono::milliseconds(20));
		set = true;
		program.set_user_event_status(event, CL_COMPLETE);
	});
	EXPECT_EQ(devices[0]->wait_event(event), 0);
	EXPECT_EQ(devices[0]->look_at_event(event), event_state::done);
	EXPECT_TRUE(set);
	kernel.join();
	devices[0]->release_event(event);
	EXPECT_EQ(program.references(event), 1u);
	program.release_event(event);
}

TEST_F(opencl_device_test, reports_kernels_that_failed)
{
	void *kept = nullptr;
	cl_int err;
	cl_event event = program.create_user_event(context, &err);
	ASSERT_EQ(devices[0]->retain_event(event, &kept), 0);
	program.set_user_event_status(event, CL_OUT_OF_RESOURCES);
	EXPECT_EQ(devices[0]->look_at_event(event), event_state::failed);
	EXPECT_EQ(devices[0]->wait_event(event), GPUVM_EDEVALLOC);
	expect_error_text("CL_OUT_OF_RESOURCES");
	devices[0]->release_event(event);
	program.release_event(event);
}

TEST_F(opencl_device_test, refuses_null)
{
	void *kept = nullptr;
	int error = 0;
	EXPECT_EQ(make_opencl_device(0, nullptr, 1, &error), nullptr);
	EXPECT_EQ(error, GPUVM_ENULL);
	EXPECT_EQ(devices[0]->retain(nullptr, 1), GPUVM_ENULL);
	EXPECT_EQ(devices[0]->retain_event(nullptr, &kept), GPUVM_ENULL);
}

} // namespace het::test
