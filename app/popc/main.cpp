#include "app/popc/popc.h"

#include <iostream>

int main(int argc, char** argv) {
  const int code = app::popc::runPopc({argv + 1, argv + argc}, std::cout, std::cerr);
  return std::cout.flush() ? code : 1;
}
