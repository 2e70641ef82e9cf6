// Turns slices or pyramid buckets into cells to draw, so that their number depends on the pixels.
#pragma once

#include "analyser/trace/slices.h"
#include "reports/rows/slice_decode.h"

namespace analyser::trace {

// Merges slices that are shorter than a pixel and begin in the same pixel into one cell; longer ones stay separate.
class CellMerger {
public:
  CellMerger(int64_t begin, double ticksPerPixel) : m_begin(begin), m_pixel(ticksPerPixel) {}
  void add(const Slice& slice); // in ascending order
  std::vector<Cell> take();

private:
  void flush();
  int64_t m_begin;
  double m_pixel;
  std::vector<Cell> m_cells;
  Cell m_open; // valid while m_open.slices > 0
  int64_t m_openColumn = 0;
  std::vector<std::pair<uint8_t, int64_t>> m_openBusy; // ticks by category
};

// One cell per bucket; buckets inside one long slice become one cell.
std::vector<Cell> bucketCells(const reports::SliceLevel& level, TickRange range);

} // namespace analyser::trace
