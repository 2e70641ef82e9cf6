// A graph with its programs, compiled.
#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/ProfileValue.hpp"
#include "poplar/Target.hpp"

#include <iostream>
#include <memory>
#include <string>

namespace poplar {

namespace core {
struct ExecutableAccess;
}

class Executable {
public:
  Executable(Executable&& other) noexcept;
  Executable& operator=(Executable&& other) noexcept;
  ~Executable();

  void serialize(std::ostream& out) const;
  // Throws file_load_error for something that is no executable of ours.
  static Executable deserialize(std::istream& in);
  ProfileValue getGraphProfile() const;
  std::string getVersion() const;

  struct Inside;

private:
  friend struct core::ExecutableAccess;
  explicit Executable(std::shared_ptr<Inside> inside);
  std::shared_ptr<Inside> m_inside;
};

} // namespace poplar
