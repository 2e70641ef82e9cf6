#include "simcore/ops/sparse/sparse_cells.h"

#include "reports/core/error.h"

#include <algorithm>
#include <numeric>

namespace simcore::ops {

using numerics::HostTensor;
using reports::ceilDiv;

namespace {

// Blocks that a tile may hold, and the part of the matrix for every block: part = row group * inner + column group.
struct Partition {
  std::vector<int64_t> part;   // by block: the part of the matrix that it belongs to
  std::vector<int64_t> bucket; // by block: the bucket that holds it
  int64_t parts = 1;
};

// Rows are distributed so that groups have as equal numbers of blocks as whole rows allow, and so are the columns of each group.
void cutByBlocks(const SparseMatmulParams& p, const SparsePlan& plan, const std::vector<int64_t>& pattern, Partition& cut) {
  const int64_t across = ceilDiv(p.k, p.block), down = ceilDiv(p.m, p.block), count = int64_t(pattern.size());
  std::vector<int64_t> before(std::size_t(down) + 1, 0); // number of blocks in the rows before each
  for (const int64_t at : pattern) ++before[std::size_t(at / across) + 1];
  std::partial_sum(before.begin(), before.end(), before.begin());
  std::vector<std::vector<std::size_t>> groups(static_cast<std::size_t>(plan.rows));
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const int64_t share = before[std::size_t(pattern[i] / across)] * plan.rows / std::max<int64_t>(1, count);
    groups[std::size_t(std::min(plan.rows - 1, share))].push_back(i);
  }
  for (std::size_t g = 0; g < groups.size(); ++g) {
    auto& blocks = groups[g];
    std::sort(blocks.begin(), blocks.end(),
              [&](std::size_t a, std::size_t b) { return pattern[a] % across < pattern[b] % across; });
    for (std::size_t i = 0; i < blocks.size(); ++i)
      cut.part[blocks[i]] = int64_t(g) * plan.inner + int64_t(i) * plan.inner / int64_t(blocks.size());
  }
  cut.bucket = cut.part;
}

// Cuts rows and columns into equal pieces; a block that does not fit its bucket moves to the next bucket with space.
void cutEvenly(const SparseMatmulParams& p, const SparsePlan& plan, const std::vector<int64_t>& pattern, Partition& cut) {
  const int64_t across = ceilDiv(p.k, p.block), down = ceilDiv(p.m, p.block);
  const auto room = std::max<int64_t>(1, int64_t(double(ceilDiv(int64_t(pattern.size()), cut.parts)) * (1 + kSparseOversize)));
  std::vector<int64_t> held(std::size_t(cut.parts), 0);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const int64_t row = pattern[i] / across / ceilDiv(down, plan.rows),
                  column = pattern[i] % across / ceilDiv(across, plan.inner);
    cut.part[i] = row * plan.inner + column;
    int64_t bucket = cut.part[i];
    for (int64_t tried = 0; held[std::size_t(bucket)] >= room; bucket = (bucket + 1) % cut.parts)
      if (++tried > cut.parts)
        throw reports::Error(reports::ErrorCode::Internal, "the buckets of a sparse product are too small");
    ++held[std::size_t(bucket)];
    cut.bucket[i] = bucket;
  }
}

// One tile's columns of the product: adds block i into `sums` [m, columns of the tile].
void addBlock(const SparseMatmulParams& p, int64_t at, std::span<const float> block, std::span<const float> dense,
              reports::Range<int64_t> columns, std::vector<float>& sums) {
  const int64_t across = ceilDiv(p.k, p.block);
  for (int64_t r = 0; r < p.block; ++r)
    for (int64_t c = 0; c < p.block; ++c) {
      const int64_t row = at / across * p.block + r, column = at % across * p.block + c;
      if (row >= p.m || column >= p.k) continue;
      for (int64_t n = columns.begin; n < columns.end; ++n)
        sums[std::size_t(row * columns.size() + n - columns.begin)] +=
            block[std::size_t(r * p.block + c)] * dense[std::size_t(column * p.n + n)];
    }
}

} // namespace

HostTensor multiplyByBuckets(const SparseMatmulParams& p, const SparsePlan& plan, const std::vector<int64_t>& pattern,
                             const HostTensor& values, const HostTensor& dense) {
  Partition cut;
  cut.parts = plan.rows * plan.inner;
  cut.part.resize(pattern.size());
  cut.bucket.resize(pattern.size());
  p.dynamic ? cutEvenly(p, plan, pattern, cut) : cutByBlocks(p, plan, pattern, cut);
  const HostTensor blocks = values.cast(ElementType::Float), right = dense.cast(ElementType::Float);
  const auto area = std::size_t(p.block * p.block);
  HostTensor out(ElementType::Float, {p.m, p.n});
  const auto to = out.mutableValues<float>();
  const int64_t width = ceilDiv(p.n, plan.columns);
  // In round r every tile reads the bucket r positions further and takes its own blocks; a static pattern needs one round.
  const int64_t rounds = p.dynamic ? cut.parts : 1;
  std::size_t taken = 0;
  for (int64_t first = 0; first < p.n; first += width) {
    const reports::Range<int64_t> columns{first, std::min(p.n, first + width)};
    for (int64_t part = 0; part < cut.parts; ++part) {
      std::vector<float> sums(std::size_t(p.m * columns.size()), 0); // the tile's partial sums; reduced over `inner` below
      for (int64_t round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < pattern.size(); ++i)
          if (cut.part[i] == part && cut.bucket[i] == (part + round) % cut.parts) {
            addBlock(p, pattern[i], blocks.values<float>().subspan(i * area, area), right.values<float>(), columns, sums);
            ++taken;
          }
      for (int64_t row = 0; row < p.m; ++row)
        for (int64_t n = columns.begin; n < columns.end; ++n)
          to[std::size_t(row * p.n + n)] += sums[std::size_t(row * columns.size() + n - columns.begin)];
    }
  }
  if (taken != pattern.size() * std::size_t(ceilDiv(p.n, width)))
    throw reports::Error(reports::ErrorCode::Internal, "a block of a sparse product was used by no tile or by two tiles");
  return out;
}

} // namespace simcore::ops
