// The runs of a sweep as one table, in the order of the manifest: for `sweep merge` and the Sweep page.
#pragma once

#include "analyser/session/sentence.h"
#include "analyser/sweep/record.h"

namespace analyser::sweep {

struct Point {
  Configuration configuration;
  std::optional<Record> record; // nothing: not run yet
  std::filesystem::path report; // empty without a report
  bool isOptimal = false;       // on the Pareto front: no other run that fits is better in both effortOf() and fullest tile
};

struct SweepTable {
  std::vector<std::string> parameters;
  std::vector<Point> points;
  bool isOfClocks = false; // machines with different clocks ran: compare times, not cycles
  int64_t done = 0, doesNotFit = 0, failed = 0, missing = 0;
  Sentence verdict;
};

// `folder` holds manifest.jsonl and runs/. Throws like readManifest.
SweepTable readSweep(const std::filesystem::path& folder);

// Cycles per sample if the run has a sample count, else of the run; nullopt if it did not run.
std::optional<double> cyclesOf(const Point& point);
std::optional<double> secondsOf(const Point& point); // as cyclesOf
// The figure by which the runs of a table are compared: secondsOf() if their clocks differ, else cyclesOf().
std::optional<double> effortOf(const SweepTable& table, const Point& point);
std::optional<double> figureOf(const Point& point, const std::string& name);

std::string sweepCsv(const SweepTable& table); // RFC 4180; a header line; no times of this computer
// Writes the table `point` into the empty SQLite database `file`. Throws Error(Io).
void writeSweepDatabase(const SweepTable& table, const std::filesystem::path& file);

} // namespace analyser::sweep
