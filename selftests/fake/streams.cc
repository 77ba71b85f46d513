// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The fake driver's streams and events are here.
#include "fake/driver.h"

#include <chrono>
#include <csignal>

using namespace het;

namespace het
{

void moment::reach(int with_error, double at_ms)
{
	std::lock_guard g(lock);
	reached = true;
	error = with_error;
	ms = at_ms;
	changed.notify_all();
}

int moment::wait()
{
	std::unique_lock g(lock);
	changed.wait(g, [this] { return reached; });
	return error;
}

int moment::query()
{
	std::lock_guard g(lock);
	return reached ? error : int(cu_error_not_ready);
}

CUstream_st &stream_or_default(cu_stream s)
{
	return s ? *s : *current()->default_stream;
}

namespace
{

std::shared_ptr<moment> last_of(cu_event e)
{
	std::lock_guard g(e->lock);
	return e->last;
}

} // namespace

} // namespace het

CUstream_st::~CUstream_st()
{
	synchronize();
	{
		std::lock_guard g(lock_);
		ends_ = true;
		changed_.notify_all();
	}
	if (thread_.joinable())
		thread_.join();
}

// The program's signals are not for the driver's threads, whose work their handlers might wait for. Faults are.
static std::thread without_signals(std::function<void()> run)
{
	sigset_t all, before;
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	std::thread made(std::move(run));
	pthread_sigmask(SIG_SETMASK, &before, nullptr);
	return made;
}

void CUstream_st::add(std::function<int()> work)
{
	std::lock_guard g(lock_);
	if (!thread_.joinable())
		thread_ = without_signals([this] { run(); });
	work_.push_back(std::move(work));
	changed_.notify_all();
}

void CUstream_st::run()
{
	std::unique_lock g(lock_);
	for (;;) {
		changed_.wait(g, [this] { return ends_ || !work_.empty(); });
		if (work_.empty())
			return;
		auto work = std::move(work_.front());
		work_.pop_front();
		at_work_ = true;
		g.unlock();
		if (unsigned us = fake_cuda.slow_us.load())
			std::this_thread::sleep_for(std::chrono::microseconds(us));
		int err = work();
		g.lock();
		at_work_ = false;
		if (err && !error_)
			error_ = err;
		changed_.notify_all();
	}
}

double CUstream_st::now_ms() const
{
	if (const unsigned pace = fake_cuda.pace.load())
		return double(instructions_) * double(pace) * 1e-9;
	const auto now = std::chrono::steady_clock::now().time_since_epoch();
	return std::chrono::duration<double, std::milli>(now).count();
}

int CUstream_st::query()
{
	std::lock_guard g(lock_);
	return work_.empty() && !at_work_ ? error_ : int(cu_error_not_ready);
}

int CUstream_st::synchronize()
{
	std::unique_lock g(lock_);
	changed_.wait(g, [this] { return work_.empty() && !at_work_; });
	return error_;
}

std::shared_ptr<moment> CUstream_st::record()
{
	auto m = std::make_shared<moment>();
	// Whoever has seen the event finds the stream idle, and the other way round.
	add([this, m] {
		std::lock_guard g(lock_);
		m->reach(error_, now_ms());
		at_work_ = false;
		return 0;
	});
	return m;
}

namespace het
{

int cuStreamCreateWithPriority(cu_stream *stream, unsigned, int priority)
{
	if (int err = injected(__func__))
		return err;
	if (!current())
		return cu_error_invalid_context;
	*stream = new CUstream_st(*current(), priority);
	fake_cuda.streams++;
	return 0;
}

int cuStreamDestroy_v2(cu_stream stream)
{
	delete stream;
	fake_cuda.streams--;
	return injected(__func__);
}

int cuStreamQuery(cu_stream stream)
{
	int err = injected(__func__);
	return err ? err : stream_or_default(stream).query();
}

static int synchronize(const char *symbol, cu_stream stream)
{
	int err = injected(symbol);
	show_prints();
	return err ? err : stream_or_default(stream).synchronize();
}

int cuStreamSynchronize(cu_stream stream)
{
	return synchronize(__func__, stream);
}

int cuCtxSynchronize()
{
	return synchronize(__func__, nullptr);
}

int cuStreamWaitEvent(cu_stream stream, cu_event event, unsigned)
{
	if (int err = injected(__func__))
		return err;
	if (auto m = last_of(event))
		stream_or_default(stream).add([m] { return m->wait(); });
	return 0;
}

int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	*least = 0;
	*greatest = -5;
	return injected(__func__);
}

int cuEventCreate(cu_event *event, unsigned)
{
	if (int err = injected(__func__))
		return err;
	*event = new CUevent_st;
	return 0;
}

int cuEventDestroy_v2(cu_event event)
{
	delete event;
	return injected(__func__);
}

int cuEventRecord(cu_event event, cu_stream stream)
{
	if (int err = injected(__func__))
		return err;
	auto m = stream_or_default(stream).record();
	std::lock_guard g(event->lock);
	event->last = m;
	return 0;
}

int cuEventQuery(cu_event event)
{
	if (int err = injected(__func__))
		return err;
	auto m = last_of(event);
	return m ? m->query() : 0;
}

int cuEventSynchronize(cu_event event)
{
	if (int err = injected(__func__))
		return err;
	show_prints();
	auto m = last_of(event);
	return m ? m->wait() : 0;
}

int cuEventElapsedTime(float *ms, cu_event from, cu_event to)
{
	auto a = last_of(from), b = last_of(to);
	if (!a || !b)
		return cu_error_invalid_handle;
	*ms = float(b->ms - a->ms);
	return injected(__func__);
}

} // namespace het
