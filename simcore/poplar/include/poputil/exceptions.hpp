// The exception of failed library calls: the message says which call, which tensor and why.
#pragma once

#include <stdexcept>
#include <string>

namespace poputil {

struct poplibs_error : public std::runtime_error {
  explicit poplibs_error(const std::string& message);
  explicit poplibs_error(const char* message);
  ~poplibs_error() override;

  std::string type; // name of the class
};

} // namespace poputil
