// A compiled graph with its programs.
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
  Executable(); // has no graph: its functions throw poplar_error
  Executable(Executable&& other) noexcept;
  Executable& operator=(Executable&& other) noexcept;
  ~Executable();

  // Writes graph, programs and options, and for codelets the paths and hashes of their files. Throws poplar_error for codelets
  // from a stream, which a file cannot store.
  void serialize(std::ostream& out) const;
  // Compiles the stored graph again, with the codelets that this program has. Throws file_load_error if the file is not an
  // executable of this release or is damaged, or if its codelets are missing or changed.
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
