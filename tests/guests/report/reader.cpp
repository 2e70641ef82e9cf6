// Prints what a report says about itself. Usage: reader REPORT
#include <pva/pva.hpp>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  try {
    const pva::Report report = pva::openReport(argc > 1 ? argv[1] : "");
    std::cout << "tiles: " << report.compilation().target().numTiles() << '\n'
              << "compute sets: " << report.compilation().graph().numComputeSets() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "reader: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
