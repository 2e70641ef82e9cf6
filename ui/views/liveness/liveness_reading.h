// Reads the data of the liveness view on worker threads, of one report or of two.
#pragma once

#include "analyser/liveness/shrink.h"
#include "ui/parts/reports_of_view.h"
#include "ui/tables/table.h"

#include <QString>

namespace ui::liveness {

struct LivenessAnswer {
  analyser::liveness::Liveness liveness;
  std::vector<reports::TileId> tiles; // of its scope; empty: all
  std::vector<analyser::liveness::Lifetime> lifetimes;
  std::shared_ptr<const tables::Table> steps;
  std::shared_ptr<const analyser::liveness::LifeIndex> lives;
  std::shared_ptr<const analyser::liveness::Gains> gains;
  std::shared_ptr<const tables::Table> always; // variables that are always live
  analyser::liveness::Shrink shrink;
  std::shared_ptr<const tables::Table> shrinkRows;
  std::shared_ptr<const LivenessAnswer> other; // B's answer; A's tables then have A, B and the change
};
struct SelectedSteps { // steps of one report
  int64_t step = -1, second = -1;
  reports::Range<int64_t> range;
};
struct AliveAtStep {
  analyser::liveness::LiveAtStep live;
  std::shared_ptr<const tables::Table> notAlways, work;
  std::shared_ptr<const tables::Table> difference; // only if two steps are compared
  std::optional<analyser::liveness::LiveRange> range;
  std::shared_ptr<const tables::Table> inRange;              // variables that are live in the range
  std::optional<analyser::liveness::LiveRange> rangeInOther; // only if there are two reports
};

// An empty `asked` means the initial scope: all IPUs, or for a single report that does not fit the tile that is too full.
LivenessAnswer readLiveness(const shell::ReportsOfView& reports, const std::string& asked,
                            const std::vector<reports::TileId>& tiles, const std::stop_token& stop);
AliveAtStep readStep(const shell::ReportsOfView& reports, const LivenessAnswer& answer, const SelectedSteps& inA,
                     const SelectedSteps& inB, const std::stop_token& stop);
// The change from A to B, as one sentence.
analyser::Sentence changeVerdict(const analyser::liveness::Liveness& a, const analyser::liveness::Liveness& b);
QString stepName(const LivenessAnswer& answer, int64_t step); // empty if the step does not exist

} // namespace ui::liveness
