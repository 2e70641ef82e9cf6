// A callback that a host program connects to a stream to make (or take) the data by itself. Meaning as in Poplar: `prefetch` may
// be called ahead of the program and may refuse; `fetch` must deliver; `complete` says the buffer was used.
#pragma once

namespace simcore::run {

class StreamCallback {
public:
  enum class Result { Success, NotAvailable };

  virtual ~StreamCallback() = default;
  // Fills one transfer before the program asks for it.
  virtual Result prefetch(void*) { return Result::NotAvailable; }
  // Fills one transfer now; for a device-to-host stream: receives one.
  virtual void fetch(void* data) = 0;
  virtual void complete() {}
  // Unused prefetched data is dropped, because the stream was connected again or another program runs.
  virtual void invalidatePrefetched() {}
};

} // namespace simcore::run
