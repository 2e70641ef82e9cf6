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

  // Graph, programs and options; of codelets the paths and hashes of their files. Throws poplar_error for what no file can hold: codelets
  // that came from a stream.
  void serialize(std::ostream& out) const;
  // Compiles it again, with the codelets that the program has. Throws file_load_error for something that is no executable of this release, is
  // damaged, or whose codelets are not there or not the same.
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
