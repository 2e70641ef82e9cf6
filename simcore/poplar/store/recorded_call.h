// Library calls that an executable on disk can hold. A call computes numbers by functions, which a file cannot hold, so the file
// holds the name and the arguments of the call. Loading repeats the call on a temporary graph and takes the functions from it.
#pragma once

#include "simcore/ops/op_builder.h"
#include "simcore/poplar/store/archive.h"

#include <memory>
#include <string>
#include <tuple>
#include <typeinfo>
#include <vector>

namespace simcore::poplar {

class RecordedCall {
public:
  virtual ~RecordedCall() = default;
  virtual const char* name() const = 0;
  virtual void arguments(Archive& archive) = 0;
  virtual void run(const ops::OpBuilder& builder) const = 0;
};

using CallMaker = std::unique_ptr<RecordedCall> (*)();
bool offerCall(const char* name, CallMaker make); // if two calls have the same name, neither can be made
// Throws Error(Damaged) for an unknown name.
std::unique_ptr<RecordedCall> callNamed(const std::string& name);

// F is a lambda without captures: f(builder, arguments …). Each type registers itself, because only the compiler knows all of
// them.
template<class F, class... Arguments> class Call final : public RecordedCall {
public:
  Call() : m_arguments(Archive::blank<Arguments>()...) { (void)kOffered; }
  explicit Call(const Arguments&... arguments) requires(sizeof...(Arguments) > 0) : m_arguments(arguments...) { (void)kOffered; }
  const char* name() const override { return typeid(Call).name(); }
  void arguments(Archive& archive) override { archive(m_arguments); }
  void run(const ops::OpBuilder& builder) const override {
    std::apply([&](const Arguments&... each) { F{}(builder, each...); }, m_arguments);
  }

private:
  std::tuple<Arguments...> m_arguments;
  static inline const bool kOffered =
      offerCall(typeid(Call).name(), []() -> std::unique_ptr<RecordedCall> { return std::make_unique<Call>(); });
};

// A library call of a graph, and the programs that the call made.
struct CallOfGraph {
  std::string kind;                   // as reports name it
  std::shared_ptr<RecordedCall> call; // null: the call cannot be written to a file
  std::vector<int64_t> tiles;         // tiles of a virtual graph; empty: all tiles of the machine
  std::vector<graph::Program> made;
};

// The nodes that compute numbers (those with a kernel) among `programs` and their children, in order.
std::vector<const graph::ProgramNode*> withNumbers(const std::vector<graph::Program>& programs);

} // namespace simcore::poplar
