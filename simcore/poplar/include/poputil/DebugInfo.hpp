// Names the operations of libraries written by users, with their arguments. After PoplibsOpDebugInfo di(debugContext, DI_ARGS(a,
// b)), objects made with `di` as their debug context have the name of the call. Reports store the names; they do not store the
// arguments' values yet.
#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/GraphElements.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/ProfileValue.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/TensorCloneMethod.hpp"
#include "poplar/Type.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace poputil {

// Programs add specialisations for their own types.
template<class T> poplar::ProfileValue toProfileValue(const T& value);

template<> inline poplar::ProfileValue toProfileValue(const int& v) { return v; }
template<> inline poplar::ProfileValue toProfileValue(const unsigned& v) { return v; }
template<> inline poplar::ProfileValue toProfileValue(const unsigned long& v) { return v; }
template<> inline poplar::ProfileValue toProfileValue(const unsigned char& v) { return unsigned(v); }
template<> inline poplar::ProfileValue toProfileValue(const bool& v) { return v; }
template<> inline poplar::ProfileValue toProfileValue(const float& v) { return double(v); }
template<> inline poplar::ProfileValue toProfileValue(const double& v) { return v; }
template<> inline poplar::ProfileValue toProfileValue(const long long& v) { return v; }
template<> inline poplar::ProfileValue toProfileValue(const unsigned long long& v) { return v; }
template<> inline poplar::ProfileValue toProfileValue(const std::string& v) { return v; }
template<> poplar::ProfileValue toProfileValue(const poplar::ComputeSet& value);
template<> poplar::ProfileValue toProfileValue(const poplar::OptionFlags& value);
template<> poplar::ProfileValue toProfileValue(const poplar::program::Copy& value);
template<> poplar::ProfileValue toProfileValue(const poplar::program::Sequence& value);
template<> poplar::ProfileValue toProfileValue(const poplar::Tensor& value);
template<> poplar::ProfileValue toProfileValue(const poplar::Type& value);
template<> poplar::ProfileValue toProfileValue(const poplar::TensorCloneMethod& value);

template<class T> poplar::ProfileValue toProfileValue(const T* value) {
  return value ? toProfileValue(*value) : poplar::ProfileValue("<nullptr>");
}
template<class T> poplar::ProfileValue toProfileValue(T* const& value) {
  return value ? toProfileValue(*value) : poplar::ProfileValue("<nullptr>");
}
template<class T> poplar::ProfileValue toProfileValue(const std::vector<T>& values) {
  poplar::ProfileValue::Map map;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T value = values[i];
    map.insert({std::to_string(i), toProfileValue(value)});
  }
  return map;
}
template<class T> poplar::ProfileValue toProfileValue(const poplar::ArrayRef<T>& values) {
  poplar::ProfileValue::Vector list;
  for (std::size_t i = 0; i < values.size(); ++i) list.push_back(toProfileValue(values[i]));
  return list;
}
template<class A, class B> poplar::ProfileValue toProfileValue(const std::pair<A, B>& pair) {
  poplar::ProfileValue::Map map;
  map.insert({"first", toProfileValue(pair.first)});
  map.insert({"second", toProfileValue(pair.second)});
  return map;
}
template<class T, std::size_t N> poplar::ProfileValue toProfileValue(const std::array<T, N>& values) {
  poplar::ProfileValue::Map map;
  for (std::size_t i = 0; i < N; ++i) map.insert({std::to_string(i), toProfileValue(values[i])});
  return map;
}

// An argument or a result.
struct ArgType {
  ArgType(const std::string& name, const poplar::ProfileValue& value) : n(name), pv(value) {}
  ArgType(const std::pair<std::string, const poplar::ProfileValue>& both) : n(both.first), pv(both.second) {}
  std::string n;
  poplar::ProfileValue pv;
};

class OpDebugInfo : public poplar::DebugInfo {
public:
  OpDebugInfo(const poplar::DebugContext& debugContext, std::string api);
  void add(std::string name, const std::vector<ArgType>& args);
  void add(std::string name, poplar::ProfileValue value);
};

class PoplibsOpDebugInfo : public OpDebugInfo {
public:
  PoplibsOpDebugInfo(const poplar::DebugContext& debugContext, const std::vector<ArgType>& args = {},
                     const std::string& api = __builtin_FUNCTION());
  void addOutputs(const std::vector<ArgType>& outputs);
  void addOutput(const poplar::Tensor& output);
};

} // namespace poputil

// DI_ARGS(a, b) is {{"a", toProfileValue(a)}, {"b", toProfileValue(b)}}, for up to 16 names.
#define DI_TEXT(a) #a
#define DI_ARG(a)                                                                                                                \
  { DI_TEXT(a), poputil::toProfileValue(a) }
#define DI_1(a) DI_ARG(a)
#define DI_2(a, ...) DI_ARG(a), DI_1(__VA_ARGS__)
#define DI_3(a, ...) DI_ARG(a), DI_2(__VA_ARGS__)
#define DI_4(a, ...) DI_ARG(a), DI_3(__VA_ARGS__)
#define DI_5(a, ...) DI_ARG(a), DI_4(__VA_ARGS__)
#define DI_6(a, ...) DI_ARG(a), DI_5(__VA_ARGS__)
#define DI_7(a, ...) DI_ARG(a), DI_6(__VA_ARGS__)
#define DI_8(a, ...) DI_ARG(a), DI_7(__VA_ARGS__)
#define DI_9(a, ...) DI_ARG(a), DI_8(__VA_ARGS__)
#define DI_10(a, ...) DI_ARG(a), DI_9(__VA_ARGS__)
#define DI_11(a, ...) DI_ARG(a), DI_10(__VA_ARGS__)
#define DI_12(a, ...) DI_ARG(a), DI_11(__VA_ARGS__)
#define DI_13(a, ...) DI_ARG(a), DI_12(__VA_ARGS__)
#define DI_14(a, ...) DI_ARG(a), DI_13(__VA_ARGS__)
#define DI_15(a, ...) DI_ARG(a), DI_14(__VA_ARGS__)
#define DI_16(a, ...) DI_ARG(a), DI_15(__VA_ARGS__)
#define DI_WHICH(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, which, ...) which
#define DI_ARGS(...)                                                                                                             \
  {                                                                                                                              \
    DI_WHICH(__VA_ARGS__, DI_16, DI_15, DI_14, DI_13, DI_12, DI_11, DI_10, DI_9, DI_8, DI_7, DI_6, DI_5, DI_4, DI_3, DI_2,       \
             DI_1, )                                                                                                             \
    (__VA_ARGS__)                                                                                                                \
  }
