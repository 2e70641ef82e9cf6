// A function of the host that provides or receives the data of a stream.
#pragma once

#include <functional>
#include <memory>
#include <utility>

namespace poplar {

class StreamCallbackBase {
public:
  enum class Result { Success, NotAvailable };

  virtual ~StreamCallbackBase() = default;
  virtual void complete() = 0; // the transfer was used
  virtual void invalidatePrefetched() {}
};

class StreamCallback : public StreamCallbackBase {
public:
  using Result = StreamCallbackBase::Result;

  // Fills one transfer in advance, if there is one.
  virtual Result prefetch(void* data) = 0;
  // Fills one transfer now. For a stream to the host, `data` holds one transfer to read.
  virtual void fetch(void* data) = 0;
};

// For data that can only be made when it is requested.
class LegacyStreamCallback : public StreamCallback {
public:
  Result prefetch(void*) final { return Result::NotAvailable; }
  void complete() final {}
};

class StreamCallbackHandle {
public:
  template<class F, class = decltype(std::declval<F&>()(static_cast<void*>(nullptr)))>
  StreamCallbackHandle(F function) : m_callback(new Plain(std::function<void(void*)>(std::move(function)))) {}
  template<class C> StreamCallbackHandle(std::unique_ptr<C> callback) : m_callback(std::move(callback)) {}
  StreamCallbackHandle(StreamCallbackHandle&&) = default;
  StreamCallbackHandle& operator=(StreamCallbackHandle&&) = default;
  std::unique_ptr<StreamCallback> extract() && { return std::move(m_callback); }
  StreamCallback* operator->() { return m_callback.get(); }

private:
  class Plain : public LegacyStreamCallback {
  public:
    explicit Plain(std::function<void(void*)> function) : m_function(std::move(function)) {}
    void fetch(void* data) override { m_function(data); }

  private:
    std::function<void(void*)> m_function;
  };
  std::unique_ptr<StreamCallback> m_callback;
};

} // namespace poplar
