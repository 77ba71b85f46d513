// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests the device `opencl` when calls of the driver fail: the driver is the real one, with single functions replaced.
#include "dev/tests/opencl_program.h"

#include "dev/opencl.h"
#include "os/log.h"

#include <cstring>
#include <gpuvm.h>
#include <memory>
#include <string>

namespace het::test
{

namespace
{

opencl_api real;

// Counts down to the call of its kind that fails; nothing fails if it is -1.
int failing_call;
// Failing calls return this, and failing commands have it as their status.
cl_int failure;
int queues_made, queues_released;
int reads_enqueued, events_released;

bool fails_now()
{
	return failing_call >= 0 && failing_call-- == 0;
}

cl_int CL_API_CALL bad_queue_info(cl_command_queue, cl_command_queue_info, size_t, void *, size_t *)
{
	return failure;
}

cl_command_queue CL_API_CALL create_queue(cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *err)
{
	if (fails_now()) {
		*err = failure;
		return nullptr;
	}
	queues_made++;
	return real.create_command_queue(c, d, p, err);
}

cl_int CL_API_CALL release_queue(cl_command_queue q)
{
	queues_released++;
	return real.release_command_queue(q);
}

cl_int CL_API_CALL read_buffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t off, size_t n, void *p,
			       cl_uint waits, const cl_event *list, cl_event *event)
{
	if (fails_now())
		return failure;
	reads_enqueued++;
	return real.enqueue_read_buffer(q, m, blocking, off, n, p, waits, list, event);
}

cl_int CL_API_CALL write_buffer(cl_command_queue q, cl_mem m, cl_bool blocking, size_t off, size_t n, const void *p,
				cl_uint waits, const cl_event *list, cl_event *event)
{
	return fails_now() ? failure : real.enqueue_write_buffer(q, m, blocking, off, n, p, waits, list, event);
}

cl_int CL_API_CALL copy_buffer(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *,
			       cl_event *)
{
	return failure;
}

// The command has run, but the driver says that it failed.
cl_int CL_API_CALL failed_status(cl_event e, cl_event_info what, size_t n, void *value, size_t *size)
{
	cl_int err = real.get_event_info(e, what, n, value, size);
	cl_int status;
	if (what == CL_EVENT_COMMAND_EXECUTION_STATUS && n == sizeof(status)) {
		memcpy(&status, value, n);
		if (status == CL_COMPLETE)
			memcpy(value, &failure, n);
	}
	return err;
}

cl_int CL_API_CALL failing_wait(cl_uint n, const cl_event *events)
{
	real.wait_for_events(n, events);
	return failure;
}

cl_int CL_API_CALL release_event(cl_event e)
{
	events_released++;
	return real.release_event(e);
}

cl_int CL_API_CALL failing_mem_call(cl_mem)
{
	return failure;
}

cl_int CL_API_CALL failing_event_call(cl_event)
{
	return failure;
}

cl_int CL_API_CALL failing_mem_info(cl_mem, cl_mem_info, size_t, void *, size_t *)
{
	return failure;
}

class opencl_failure_test : public opencl_test
{
      protected:
	void SetUp() override
	{
		opencl_test::SetUp();
		if (IsSkipped())
			return;
		ASSERT_EQ(load_opencl(real), 0);
		api = real;
		failing_call = -1;
		failure = CL_OUT_OF_RESOURCES;
		queues_made = queues_released = reads_enqueued = events_released = 0;
		buffer = program.buffer(context, sizeof(host));
	}
	void TearDown() override
	{
		made.reset();
		if (buffer)
			program.release_mem_object(buffer);
		opencl_test::TearDown();
	}

	int make(unsigned lanes = 1)
	{
		int error = 1;
		made = make_opencl_device(api, 0, queues[0], lanes, &error);
		EXPECT_EQ(error == 0, made != nullptr);
		return error;
	}

	void expect_failure(int result, int expected = GPUVM_EDEVALLOC)
	{
		EXPECT_EQ(result, expected);
		EXPECT_NE(std::string(last_error()).find("CL_OUT_OF_RESOURCES (-5)"), std::string::npos)
			<< last_error();
	}

	opencl_api api;
	std::unique_ptr<device> made;
	cl_mem buffer = nullptr;
	char host[4096] = {};
	transfer whole[1] = {{nullptr, 0, host, sizeof(host)}};
};

} // namespace

TEST_F(opencl_failure_test, bad_queue)
{
	api.get_command_queue_info = bad_queue_info;
	failure = CL_INVALID_COMMAND_QUEUE;
	EXPECT_EQ(make(), GPUVM_EARG);
	EXPECT_NE(std::string(last_error()).find("CL_INVALID_COMMAND_QUEUE"), std::string::npos) << last_error();
}

TEST_F(opencl_failure_test, queue_that_can_not_be_made)
{
	api.create_command_queue = create_queue;
	api.release_command_queue = release_queue;
	failing_call = 2;
	expect_failure(make(4));
	EXPECT_EQ(queues_made, 2);
	EXPECT_EQ(queues_released, 2);
}

TEST_F(opencl_failure_test, bad_buffer)
{
	api.retain_mem_object = failing_mem_call;
	ASSERT_EQ(make(), 0);
	expect_failure(made->retain(buffer, 1), GPUVM_EARG);
}

TEST_F(opencl_failure_test, buffer_of_which_nothing_is_known)
{
	api.get_mem_object_info = failing_mem_info;
	ASSERT_EQ(make(), 0);
	expect_failure(made->retain(buffer, 1));
	EXPECT_EQ(program.references(buffer), 1u);
}

TEST_F(opencl_failure_test, bad_event)
{
	void *kept = nullptr;
	api.retain_event = failing_event_call;
	ASSERT_EQ(make(), 0);
	cl_int err;
	cl_event event = program.create_user_event(context, &err);
	expect_failure(made->retain_event(event, &kept), GPUVM_EARG);
	program.set_user_event_status(event, CL_COMPLETE);
	program.release_event(event);
}

TEST_F(opencl_failure_test, command_that_is_not_taken)
{
	api.enqueue_read_buffer = read_buffer;
	api.enqueue_write_buffer = write_buffer;
	api.enqueue_copy_buffer = copy_buffer;
	ASSERT_EQ(make(), 0);
	whole[0].devbuf = buffer;
	read_ticket ticket;
	failing_call = 0;
	expect_failure(made->read(0, whole));
	failing_call = 0;
	expect_failure(made->write(0, whole));
	failing_call = 0;
	expect_failure(made->start_read(0, whole[0], ticket));
	EXPECT_EQ(ticket.handle, nullptr);
	expect_failure(made->copy_from(0, buffer, 0, *made, buffer, 2048, 16));

	// Once nothing fails any more, it works again.
	EXPECT_EQ(made->read(0, whole), 0);
	EXPECT_EQ(made->write(0, whole), 0);
}

TEST_F(opencl_failure_test, commands_before_the_failed_one_are_waited_for)
{
	api.enqueue_read_buffer = read_buffer;
	api.release_event = release_event;
	ASSERT_EQ(make(), 0);
	memset(host, 1, sizeof(host));
	whole[0].devbuf = buffer;
	ASSERT_EQ(made->write(0, whole), 0);
	memset(host, 0, sizeof(host));
	events_released = 0;
	failing_call = 2;
	transfer pieces[] = {{buffer, 0, host, 100}, {buffer, 100, host + 100, 100}, {buffer, 200, host + 200, 100}};
	expect_failure(made->read(0, pieces));
	EXPECT_EQ(reads_enqueued, 2);
	EXPECT_EQ(events_released, 2);
	EXPECT_EQ(host[199], 1);
	EXPECT_EQ(host[200], 0);
}

TEST_F(opencl_failure_test, command_that_fails_on_the_device)
{
	api.get_event_info = failed_status;
	ASSERT_EQ(make(), 0);
	whole[0].devbuf = buffer;
	expect_failure(made->read(0, whole));
	expect_failure(made->write(0, whole));
	read_ticket ticket;
	int err = made->start_read(0, whole[0], ticket);
	expect_failure(err ? err : made->finish_read(0, ticket));
	EXPECT_EQ(ticket.handle, nullptr);
	expect_failure(made->copy_from(0, buffer, 0, *made, buffer, 2048, 16));
}

TEST_F(opencl_failure_test, wait_that_fails)
{
	api.wait_for_events = failing_wait;
	api.release_event = release_event;
	ASSERT_EQ(make(), 0);
	whole[0].devbuf = buffer;
	expect_failure(made->read(0, whole));
	EXPECT_EQ(events_released, 1);
}

} // namespace het::test
