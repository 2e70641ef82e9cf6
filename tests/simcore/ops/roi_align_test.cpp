// Regions of maps, inverse pools and pools of volumes: their plans, and their numbers at once and as the plans cut them.
#include "simcore/numerics/pooling.h"
#include "simcore/numerics/roi_align.h"
#include "simcore/ops/ops.h"
#include "simcore/run/engine.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace simcore;
using namespace simcore::ops;
using numerics::HostTensor;

namespace {

HostTensor waves(const Shape& shape, double scale) {
  std::mt19937_64 random(uint64_t(numerics::elementCount(shape)) + 3);
  HostTensor t(ElementType::Float, shape);
  for (float& v : t.mutableValues<float>()) v = float(scale * (double(random() >> 11) * 0x1p-52 - 1.0));
  return t;
}

// `count` regions with `first` values before the corners, some of them beyond a map of h x w.
HostTensor someRegions(int64_t count, int64_t images, int64_t h, int64_t w, bool withImage) {
  std::vector<float> values;
  for (int64_t r = 0; r < count; ++r) {
    if (withImage) values.push_back(float(r % images));
    const double x = double(r * 7 % (w + 2)) - 1.25, y = double(r * 5 % (h + 2)) - 1.5;
    for (const double v : {x, y, x + double(r % w) + 0.7, y + double(r % h) + 0.3}) values.push_back(float(v));
  }
  return HostTensor::of({count, withImage ? 5 : 4}, values);
}
HostTensor someImages(int64_t count, int64_t images) {
  std::vector<int64_t> values;
  for (int64_t r = 0; r < count; ++r) values.push_back(r * 3 % images);
  return HostTensor::vector(values);
}

arch::Machine smallMachine(int tiles, int64_t bytes) {
  arch::Machine m = arch::tinyMachine(tiles);
  m.tile.memory = reports::Bytes(bytes);
  return m;
}

struct Made {
  HostTensor value;
  std::vector<std::string> methods; // of the plans
};
using Several = std::function<Tensor(const OpBuilder&, const std::vector<Tensor>&)>;
Made made(const arch::Machine& machine, bool vertexByVertex, const std::vector<HostTensor>& inputs, const Several& build) {
  auto g = std::make_shared<Graph>(machine);
  g->setVertexByVertex(vertexByVertex);
  Sequence body;
  const OpBuilder b(*g, body, g->addContext({}, "test", "model", "Test"));
  std::vector<Tensor> tensors;
  for (const HostTensor& t : inputs) {
    tensors.push_back(g->addVariable(t.type(), t.shape(), "input"));
    g->mapTensorLinearly(tensors.back());
  }
  const Tensor out = build(b, tensors);
  reports::NoProgress none;
  const auto e = compile::compile(g, {{"main", body.program()}}, {}, none);
  run::Engine engine(e, {}, nullptr);
  for (std::size_t i = 0; i < tensors.size(); ++i) engine.writeTensor(tensors[i], inputs[i]);
  engine.run(0, "main", {}, none);
  Made m{engine.readTensor(out), {}};
  for (const auto& plan : g->plans()) m.methods.push_back(plan.method);
  return m;
}

QString farFrom(const HostTensor& got, const HostTensor& wanted) {
  if (got.shape() != wanted.shape()) return "another shape";
  for (int64_t i = 0; i < wanted.count(); ++i)
    if (!(std::abs(got.at(i) - wanted.at(i)) <= 1e-5 * (1 + std::abs(wanted.at(i)))))
      return QString("element %1 is %2, not %3").arg(i).arg(got.at(i)).arg(wanted.at(i));
  return {};
}

// Both modes on machines of fewer and more tiles than work give what the kernel gives.
void sameEverywhere(const std::vector<HostTensor>& inputs, const HostTensor& wanted, const Several& build) {
  for (const int tiles : {1, 3, 16, 61})
    for (const bool cells : {false, true}) {
      const QString wrong = farFrom(made(arch::tinyMachine(tiles), cells, inputs, build).value, wanted);
      QVERIFY2(wrong.isEmpty(), qPrintable(QString("%1 tiles, %2: %3").arg(tiles).arg(cells ? "by cells" : "at once", wrong)));
    }
}

} // namespace

class RegionsTest : public QObject {
  Q_OBJECT
private slots:
  void alignedAsTheKernelHasThem() {
    for (const Shape& s : {Shape{1, 1, 1, 1}, Shape{3, 5, 7, 4}, Shape{1, 37, 5, 3}})
      for (const bool maximum : {false, true})
        for (const int64_t samples : {0, 2}) {
          numerics::RegionParameters p;
          p.height = 2;
          p.width = 3;
          p.samples = samples;
          p.takesMaximum = maximum;
          const std::vector<HostTensor> in{waves(s, 2), someRegions(7, s[0], s[2], s[3], false), someImages(7, s[0])};
          sameEverywhere(in, numerics::alignRegions(in[0], in[1], in[2], p),
                         [&](const OpBuilder& b, const std::vector<Tensor>& t) { return alignRegions(b, t[0], t[1], t[2], p); });
        }
  }

  void pooledAsTheKernelHasThem() {
    for (const Shape& s : {Shape{1, 1, 1, 1}, Shape{3, 5, 7, 4}}) {
      numerics::RegionParameters p;
      p.height = 3;
      p.width = 2;
      p.scale = 0.75;
      const std::vector<HostTensor> in{waves(s, 2), someRegions(11, s[0], s[2], s[3], true)};
      sameEverywhere(in, numerics::maxPoolRegions(in[0], in[1], p),
                     [&](const OpBuilder& b, const std::vector<Tensor>& t) { return maxPoolRegions(b, t[0], t[1], p); });
    }
  }

  void gradientsAsTheKernelsHaveThem() {
    for (const Shape& s : {Shape{1, 1, 1, 1}, Shape{3, 5, 7, 4}}) {
      numerics::RegionParameters p;
      p.height = 2;
      p.width = 3;
      p.samples = 2;
      const HostTensor gradient = waves({7, s[1], p.height, p.width}, 3), x = waves(s, 2);
      const std::vector<HostTensor> aligned{gradient, x, someRegions(7, s[0], s[2], s[3], false), someImages(7, s[0])};
      sameEverywhere(
          aligned, numerics::alignRegionsGradient(aligned[0], aligned[1], aligned[2], aligned[3], p),
          [&](const OpBuilder& b, const std::vector<Tensor>& t) { return alignRegionsGradient(b, t[0], t[1], t[2], t[3], p); });
      const std::vector<HostTensor> pooled{gradient, x, someRegions(7, s[0], s[2], s[3], true)};
      sameEverywhere(
          pooled, numerics::maxPoolRegionsGradient(pooled[0], pooled[1], pooled[2], p),
          [&](const OpBuilder& b, const std::vector<Tensor>& t) { return maxPoolRegionsGradient(b, t[0], t[1], t[2], p); });
    }
  }

  // Maps too large for a tile are cut, and the partial results of the tiles' rows are added (or their maximum is taken).
  void mapsThatDoNotFitAreCut() {
    const Shape maps{2, 3, 61, 53};
    numerics::RegionParameters p;
    p.height = p.width = 2;
    p.samples = 2;
    const auto machine = smallMachine(61, 12 << 10);
    const RegionPlan plan = planRegions(machine, ElementType::Float, codelets::RegionRead::Bilinear, maps, 9, p);
    QVERIFY(plan.fits);
    QCOMPARE(plan.imageCuts, int64_t(2));
    QVERIFY(plan.rowCuts > 1 && plan.reduceCycles > 0 && plan.tiles() <= 61);
    QVERIFY(planRegions(arch::tinyMachine(61), ElementType::Float, codelets::RegionRead::Bilinear, {1, 61, 9, 9}, 200, p)
                .partials() == 1);
    // If no plan keeps to its memory share, the smallest plan may still fit on the tile.
    const Shape large{2, 256, 200, 272};
    const auto gc200 = arch::findMachine("gc200", 1);
    p.height = p.width = 7;
    const RegionPlan least = planRegions(gc200, ElementType::Float, codelets::RegionRead::Bilinear, large, 512, p);
    QVERIFY(!least.fits && least.partials() > 2 && least.temporaryBytes < gc200.tile.memory.value());
    p.height = p.width = 2;
    const std::vector<HostTensor> in{waves(maps, 2), someRegions(9, 2, 61, 53, false), someImages(9, 2)};
    for (const bool maximum : {false, true}) {
      p.takesMaximum = maximum;
      const Several build = [&](const OpBuilder& b, const std::vector<Tensor>& t) {
        return alignRegions(b, t[0], t[1], t[2], p);
      };
      for (const bool cells : {false, true}) {
        const Made m = made(machine, cells, in, build);
        QCOMPARE(farFrom(m.value, numerics::alignRegions(in[0], in[1], in[2], p)), QString());
        QVERIFY(std::find(m.methods.begin(), m.methods.end(), "regions of cut maps") != m.methods.end());
      }
    }
  }

  void elementsGoBackWhereAPoolFoundThem() {
    for (const Shape& s : {Shape{1, 1, 2, 2}, Shape{2, 3, 6, 4}, Shape{1, 67, 4, 4}}) {
      HostTensor places;
      const numerics::Window w = numerics::makeWindow({2, 2}, {2, 2}, {}, {});
      const HostTensor x = waves(s, 1), y = numerics::maxPool(x, w, false, &places);
      const int64_t planes = s[0] * s[1], each = y.count() / planes, field = s[2] * s[3];
      const std::vector<HostTensor> in{y.reshaped({planes, each}), places.reshaped({planes, each})};
      const HostTensor wanted = numerics::unpool(in[0], in[1], {planes, field});
      for (const bool within : {false, true}) {
        const Several build = [&](const OpBuilder& b, const std::vector<Tensor>& t) {
          return unpool(b, t[0], t[1], field, within);
        };
        sameEverywhere(in, wanted, build);
      }
    }
  }

  // If a tile can hold less than half of the indices, it scans them in rounds.
  void placesAreScannedInRounds() {
    const Shape s{1, 67, 16, 16};
    HostTensor places;
    const HostTensor y = numerics::maxPool(waves(s, 1), numerics::makeWindow({2, 2}, {2, 2}, {}, {}), false, &places);
    const std::vector<HostTensor> in{y.reshaped({67, 64}), places.reshaped({67, 64})};
    const auto machine = smallMachine(16, 32 << 10);
    QVERIFY(planUnpool(machine, ElementType::Float, 67, 256, 64, false).rounds > 1);
    for (const bool cells : {false, true})
      QCOMPARE(farFrom(made(machine, cells, in,
                            [](const OpBuilder& b, const std::vector<Tensor>& t) { return unpool(b, t[0], t[1], 256, false); })
                           .value,
                       numerics::unpool(in[0], in[1], {67, 256})),
               QString());
  }

  void placesWithinPlanesNeedNoRounds() {
    const auto machine = smallMachine(16, 64 << 10);
    const UnpoolPlan anywhere = planUnpool(machine, ElementType::Float, 64, 784, 196, false),
                     within = planUnpool(machine, ElementType::Float, 64, 784, 196, true);
    QVERIFY2(anywhere.rounds > 1 && within.rounds == 1,
             "12544 places of 8 bytes are more than 64 KiB, those of four planes are not");
    QVERIFY(within.cycles() * 4 < anywhere.cycles());
    QVERIFY(within.tiles() == 16 && anywhere.temporaryBytes <= 64 << 10);
  }

  void volumesPoolWithPlacesAndBack() {
    const Shape s{2, 3, 5, 6, 4};
    const numerics::Window w = numerics::makeWindow({2, 3, 2}, {2, 1, 1}, {}, {1, 0, 1, 0, 1, 0});
    PoolParams plane;
    plane.kernel = {3, 2};
    plane.stride = {1, 1};
    plane.padLow = {0, 1};
    plane.padHigh = {1, 0};
    plane.out = {5, 4};
    const DepthWindow depth{5, 3, 2, 2, 1, 1, 0};
    const HostTensor x = waves(s, 1);
    for (const bool columnMajor : {false, true}) {
      HostTensor places;
      const HostTensor y = numerics::maxPool(x, w, false, &places, columnMajor);
      plane.columnMajor = columnMajor;
      sameEverywhere({x}, y, [&](const OpBuilder& b, const std::vector<Tensor>& t) { return pool3d(b, t[0], plane, depth); });
      sameEverywhere({x}, places, [&](const OpBuilder& b, const std::vector<Tensor>& t) {
        Tensor indices;
        pool3d(b, t[0], plane, depth, &indices);
        return indices;
      });
    }
    // Any number of dimensions, one after the other.
    plane.columnMajor = true;
    HostTensor separate;
    const HostTensor pooled = numerics::maxPool(x, w, false, &separate, true);
    const std::vector<DepthWindow> windows{depth, {6, 5, 3, 1, 1, 0, 1}, {4, 4, 2, 1, 1, 1, 0}};
    sameEverywhere({x}, pooled,
                   [&](const OpBuilder& b, const std::vector<Tensor>& t) { return separatePool(b, t[0], plane, windows); });
    sameEverywhere({x}, separate, [&](const OpBuilder& b, const std::vector<Tensor>& t) {
      Tensor indices;
      separatePool(b, t[0], plane, windows, &indices);
      return indices;
    });
    // A gradient goes to the position of the maximum.
    HostTensor places;
    const HostTensor y = numerics::maxPool(x, w, false, &places), dy = waves(y.shape(), 1);
    std::vector<float> dx(std::size_t(x.count()), 0.0f);
    for (int64_t i = 0; i < dy.count(); ++i) dx[std::size_t(places.integerAt(i))] += float(dy.at(i));
    sameEverywhere({x, y, dy}, HostTensor::of(s, dx), [&](const OpBuilder& b, const std::vector<Tensor>& t) {
      return pool3dGrad(b, t[0], t[1], t[2], plane, depth);
    });
  }
};

TILESCOPE_TEST(RegionsTest)
#include "roi_align_test.moc"
