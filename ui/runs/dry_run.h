// The answer of `tilescope-cli run … --dry-run --json`: whether a program would fit, what would use its memory, and what may make it fit.
#pragma once

#include "reports/core/units.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

class QJsonDocument;

namespace ui::shell {

struct DryRun {
  struct Values {
    QString name, type, shape; // "16x28x28"; empty if it has one dimension or none
    int64_t elements = 0;
    reports::Bytes bytes;
  };
  struct Operation {
    QString name, kind;
    reports::Bytes bytes; // sum of its variables over all tiles
  };
  struct Tile {
    int64_t tile = 0;
    reports::Bytes bytes, withGaps;
  };
  struct Part {
    QString name;
    reports::Bytes bytes, median; // on the fullest tile, and on the median tile of its IPU
  };
  struct Variable {
    QString name, category;
    reports::Bytes bytes; // added to the fullest tile
  };
  struct Change { // as analyser::trials::Trial
    QString title;
    QStringList options;
    QString why;
  };
  bool fits = true;
  int64_t tiles = 0, maxTileWithGaps = 0, overflowTiles = 0;
  reports::Bytes maxTileBytes, tileBytes, totalBytes, alwaysLiveBytes; // without gaps
  reports::Bytes maxTileWithGapsBytes;                                 // decides whether the run fits
  int64_t weightElements = 0;
  reports::Bytes weightBytes;
  QString trained, notTrained; // of a training: "62 tensors, 11.7 M values", and the other constants with reasons
  std::vector<Values> inputs, outputs;
  std::vector<std::pair<QString, int64_t>> kinds; // number of operations per kind, most first
  std::vector<Operation> operations;              // in the order of the program
  std::vector<Tile> fullest;                      // the fullest first
  std::vector<Part> parts;                        // of the fullest tile, by category
  std::vector<Variable> variables;                // of the fullest tile, largest first
  std::vector<Change> changes;                    // changes that may make the program fit; empty if it fits
};

// Nullopt if the document is not such an answer.
std::optional<DryRun> dryRunOf(const QJsonDocument& json);

} // namespace ui::shell
