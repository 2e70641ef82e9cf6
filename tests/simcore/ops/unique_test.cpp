// Different rows against a plain set of rows, at once and vertex by vertex.
#include "simcore/ops/sort/unique.h"
#include "tests/simcore/ops/library_world.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <map>
#include <random>

using namespace simcore;
using namespace simcore::ops;
using numerics::HostTensor;

namespace {

struct DifferentRows {
  std::vector<double> values, first, inverse, counts;
};

DifferentRows plainly(const HostTensor& x, bool sorted) {
  const int64_t rows = x.dim(0), columns = x.dim(1);
  std::vector<std::vector<double>> order; // the different rows
  std::map<std::vector<double>, std::vector<int64_t>> places;
  std::vector<std::vector<double>> all;
  for (int64_t r = 0; r < rows; ++r) {
    auto& row = all.emplace_back();
    for (int64_t c = 0; c < columns; ++c) row.push_back(x.at(r * columns + c));
    auto& at = places[row];
    if (at.empty()) order.push_back(row);
    at.push_back(r);
  }
  if (sorted) std::sort(order.begin(), order.end());
  DifferentRows d;
  for (const auto& row : order) {
    d.values.insert(d.values.end(), row.begin(), row.end());
    d.first.push_back(double(places[row].front()));
    d.counts.push_back(double(places[row].size()));
  }
  for (const auto& row : all) d.inverse.push_back(double(std::find(order.begin(), order.end(), row) - order.begin()));
  return d;
}

DifferentRows byLibrary(const HostTensor& x, ElementType type, const UniqueParams& p, int tiles, bool vertexByVertex,
                        std::string* method = nullptr) {
  tests::LibraryWorld w(tiles, vertexByVertex);
  const UniqueResult result = ops::unique(w.builder, w.input(type, x), p);
  if (method) *method = w.graph->plans().at(0).method;
  std::vector<Tensor> made;
  for (const Tensor& t : {result.values, result.first, result.inverse, result.counts})
    if (t.valid()) made.push_back(t);
  const std::vector<HostTensor> values = w.run(made);
  std::size_t next = 0;
  const auto read = [&](const Tensor& t) { return t.valid() ? values[next++].toDoubles() : std::vector<double>{}; };
  DifferentRows d;
  d.values = read(result.values);
  d.first = read(result.first);
  d.inverse = read(result.inverse);
  d.counts = read(result.counts);
  return d;
}

} // namespace

class UniqueTest : public QObject {
  Q_OBJECT
private slots:
  void rowsThatDiffer() {
    std::mt19937_64 random(9);
    for (const Shape& shape : {Shape{1, 1}, Shape{2, 1}, Shape{37, 1}, Shape{130, 1}, Shape{1, 3}, Shape{13, 2}, Shape{29, 5}})
      for (const int64_t kinds : {1, 3, 50}) {
        HostTensor x(ElementType::Float, shape);
        for (float& v : x.mutableValues<float>()) v = float(random() % uint64_t(kinds)) / 2 - 1;
        for (const bool sorted : {true, false}) {
          const DifferentRows wanted = plainly(x, sorted);
          UniqueParams p;
          p.distinct = int64_t(wanted.first.size());
          p.sorted = sorted;
          for (const int tiles : {1, 5, 61})
            for (const bool cells : {false, true}) {
              const DifferentRows got = byLibrary(x, cells ? ElementType::Half : ElementType::Float, p, tiles, cells);
              QCOMPARE(got.values, wanted.values);
              QCOMPARE(got.first, wanted.first);
              QCOMPARE(got.inverse, wanted.inverse);
              QCOMPARE(got.counts, wanted.counts);
            }
        }
      }
  }

  // With many indices, scanning all costs more than sorting them.
  void manyRowsSortTheirPlaces() {
    HostTensor x(ElementType::Float, {6007, 1});
    std::mt19937_64 random(2);
    for (float& v : x.mutableValues<float>()) v = float(random() % 97);
    for (const bool sorted : {true, false}) {
      const DifferentRows wanted = plainly(x, sorted);
      UniqueParams p;
      p.distinct = int64_t(wanted.first.size());
      p.sorted = sorted;
      for (const bool cells : {false, true}) {
        std::string few, many;
        const DifferentRows got = byLibrary(x, ElementType::Float, p, 1024, cells, &many);
        QCOMPARE(got.values, wanted.values);
        QCOMPARE(got.first, wanted.first);
        QCOMPARE(got.inverse, wanted.inverse);
        QCOMPARE(got.counts, wanted.counts);
        byLibrary(HostTensor(ElementType::Float, {16, 1}), ElementType::Float, {}, 1024, cells, &few);
        QCOMPARE(many, std::string("sort, places by sorts"));
        QCOMPARE(few, std::string("sort, places by updates"));
      }
    }
  }

  void makesWhatIsAskedFor() {
    HostTensor x(ElementType::Int32, {9, 1});
    for (int32_t i = 0; i < 9; ++i) x.mutableValues<int32_t>()[std::size_t(i)] = (i * 7 + 3) % 4;
    for (const bool sorted : {true, false}) {
      UniqueParams p;
      p.distinct = 9; // too many, which an inverse does not mind
      p.sorted = sorted;
      p.values = p.first = p.counts = false;
      const DifferentRows got = byLibrary(x, ElementType::Int32, p, 7, true);
      QCOMPARE(got.inverse, plainly(x, sorted).inverse);
      QVERIFY(got.values.empty() && got.first.empty() && got.counts.empty());
    }
  }
};

TILESCOPE_TEST(UniqueTest)
#include "unique_test.moc"
