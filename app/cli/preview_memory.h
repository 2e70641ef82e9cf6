// The fullest tiles of a program that was only compiled, their contents, and changes that may make it fit: read from a report of
// its memory by the same analyses as Memory and Insights.
#pragma once

#include "analyser/trials/trials.h"

#include <stop_token>
#include <string>
#include <vector>

namespace app::cli {

struct PreviewMemory {
  struct Tile {
    reports::TileId tile;
    reports::Bytes bytes, withGaps;
  };
  struct Part {
    std::string name;
    reports::Bytes bytes, median; // on the fullest tile, and on the median tile of its IPU
  };
  struct Variable {
    std::string name, category;
    reports::Bytes bytes; // memory that it adds to the fullest tile
  };
  std::vector<Tile> fullest;                    // fullest first
  std::vector<Part> parts;                      // of the fullest tile, by category, largest first, gaps last
  std::vector<Variable> variables;              // of the fullest tile, largest first
  std::string why;                              // excessSentence()
  std::vector<analyser::trials::Trial> changes; // trials that may make the program fit, as in Insights; empty if it fits
};

PreviewMemory previewMemory(analyser::Session& session, const std::stop_token& stop);

} // namespace app::cli
