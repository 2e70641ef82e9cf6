// A callback that a host program connects to a stream to provide or receive its data. As in Poplar, `prefetch` may be called in
// advance and may refuse, `fetch` must deliver, and `complete` tells that the buffer was used.
#pragma once

namespace simcore::run {

class StreamCallback {
public:
  enum class Result { Success, NotAvailable };

  virtual ~StreamCallback() = default;
  // Fills one transfer before the program asks for it.
  virtual Result prefetch(void*) { return Result::NotAvailable; }
  // Fills one transfer now; for a device-to-host stream, receives one.
  virtual void fetch(void* data) = 0;
  virtual void complete() {}
  // Drops unused prefetched data, because the stream was connected again or another program runs.
  virtual void invalidatePrefetched() {}
};

} // namespace simcore::run
