// A function of the host that a program on the machine calls; the machine waits for its results.
#pragma once

#include "poplar/ArrayRef.hpp"

#include <functional>
#include <memory>
#include <utility>

namespace poplar {

class HostFunctionCallback {
public:
  virtual ~HostFunctionCallback() = default;
  // One pointer for each argument.
  virtual void call(ArrayRef<const void*> inputs, ArrayRef<void*> outputs) = 0;
};

class HostFunctionCallbackHandle {
public:
  template<class F, class = decltype(std::declval<F&>()(std::declval<ArrayRef<const void*>>(), std::declval<ArrayRef<void*>>()))>
  HostFunctionCallbackHandle(F function) : m_callback(new Plain(std::move(function))) {}
  template<class C> HostFunctionCallbackHandle(std::unique_ptr<C> callback) : m_callback(std::move(callback)) {}
  HostFunctionCallbackHandle(HostFunctionCallbackHandle&&) = default;
  std::unique_ptr<HostFunctionCallback> extract() && { return std::move(m_callback); }

private:
  class Plain : public HostFunctionCallback {
  public:
    explicit Plain(std::function<void(ArrayRef<const void*>, ArrayRef<void*>)> function) : m_function(std::move(function)) {}
    void call(ArrayRef<const void*> inputs, ArrayRef<void*> outputs) override { m_function(inputs, outputs); }

  private:
    std::function<void(ArrayRef<const void*>, ArrayRef<void*>)> m_function;
  };
  std::unique_ptr<HostFunctionCallback> m_callback;
};

// The names that later releases of Poplar use.
using HostCallback = HostFunctionCallback;
using HostCallbackHandle = HostFunctionCallbackHandle;

} // namespace poplar
