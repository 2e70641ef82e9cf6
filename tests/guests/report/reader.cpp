// Prints what a report says about itself. Usage: reader REPORT
#include <pva.hpp>

#include <exception>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <vector>

int main(int argc, char** argv) {
  try {
    const pva::Report report = pva::openReport(argc > 1 ? argv[1] : "");
    const pva::PoplarVersion& version = report.poplarVersion();
    if (version.majorVer() != version.major() || version.string().empty())
      throw std::runtime_error("the version has two numbers");
    std::cout << "version: " << version << '\n'
              << "tiles: " << report.compilation().target().numTiles() << '\n'
              << "compute sets: " << report.compilation().graph().numComputeSets() << '\n';
    std::uint64_t all = 0, byTile = 0;
    for (const pva::ProgramPtr& program : report.compilation().programs()) {
      const std::vector<std::uint64_t> tiles = program->controlCodeByTile();
      if (tiles.size() != report.compilation().target().numTiles()) throw std::runtime_error("control code of other tiles");
      all += program->controlCodeBytes();
      byTile += std::accumulate(tiles.begin(), tiles.end(), std::uint64_t(0));
    }
    if (all != byTile) throw std::runtime_error("control code by tile is not that of all tiles");
    std::cout << "control code: " << all << '\n';
    std::uint64_t codelets = 0;
    for (const pva::Tile& tile : report.compilation().tiles()) {
      const pva::MemoryByCategory category = tile.memory().category();
      const pva::MemoryCategory& code = category.vertexCode();
      if (code.total() != code.nonInterleaved().total() + code.interleaved().total() + code.overflowed().total())
        throw std::runtime_error("the regions of a category are not its total");
      if (code.total() + category.variable().total() > tile.memory().total().excludingGaps())
        throw std::runtime_error("two categories have more bytes than their tile");
      if (tile.memory().nonInterleaved() + tile.memory().interleaved() + tile.memory().overflowed() !=
          tile.memory().total().excludingGaps())
        throw std::runtime_error("the regions of a tile are not its total");
      codelets += code.nonInterleaved().nonOverlapped();
    }
    std::cout << "vertex code: " << codelets << '\n';
  } catch (const std::exception& error) {
    std::cerr << "reader: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
