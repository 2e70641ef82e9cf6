// Library operations computed cell by cell, as in their plans, give the same results as the fast path, even for odd shapes.
#include "simcore/numerics/convolution.h"
#include "simcore/numerics/elementwise.h"
#include "simcore/numerics/layout.h"
#include "simcore/numerics/normalisation.h"
#include "simcore/numerics/pooling.h"
#include "simcore/ops/ops.h"
#include "simcore/run/engine.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QDirIterator>
#include <QRegularExpression>
#include <QTest>

#include <cmath>
#include <random>

using namespace simcore;
using namespace simcore::ops;
using numerics::HostTensor;

namespace {

using Build = std::function<Tensor(const OpBuilder&, const std::vector<Tensor>&)>;

HostTensor randomTensor(const Shape& shape, uint64_t seed) {
  std::mt19937_64 random(seed);
  HostTensor t(ElementType::Float, shape);
  for (float& v : t.mutableValues<float>()) v = float(double(random() >> 11) * 0x1p-52 - 1.0);
  return t;
}

HostTensor result(const std::vector<Shape>& inputs, ElementType type, const Build& build, int tiles, bool vertexByVertex) {
  auto g = std::make_shared<Graph>(arch::tinyMachine(tiles));
  g->setVertexByVertex(vertexByVertex);
  Sequence body;
  const OpBuilder b(*g, body, g->addContext({}, "test", "model", "Test"));
  std::vector<Tensor> tensors;
  for (const Shape& s : inputs) {
    tensors.push_back(g->addVariable(type, s, "input"));
    g->mapTensorLinearly(tensors.back());
  }
  const Tensor out = build(b, tensors);
  reports::NoProgress none;
  const auto e = compile::compile(g, {{"main", body.program()}}, {}, none);
  run::Engine engine(e, {}, nullptr);
  for (std::size_t i = 0; i < tensors.size(); ++i) engine.writeTensor(tensors[i], randomTensor(inputs[i], 11 + i));
  engine.run(0, "main", {}, none);
  return engine.readTensor(out);
}

// `count` indices below `rows`, scattered.
Tensor places(const OpBuilder& b, int64_t count, int64_t rows) {
  const PositionKernel kernel = [rows](const std::vector<HostTensor>&, const std::vector<int64_t>& at) {
    std::vector<int32_t> values;
    for (const int64_t i : at) values.push_back(int32_t((i * 7919 + 13) % rows));
    return HostTensor::vector(values);
  };
  return generate(b, "places", {}, ElementType::Int32, {count}, 1, oneResult([kernel, count](const std::vector<HostTensor>& in) {
                    std::vector<int64_t> all(static_cast<std::size_t>(count));
                    for (std::size_t i = 0; i < all.size(); ++i) all[i] = int64_t(i);
                    return kernel(in, all);
                  }),
                  kernel);
}

// Both ways on several machines: fewer tiles than work, more tiles than elements, one tile.
void compare(const char* what, const std::vector<Shape>& inputs, const Build& build, ElementType type = ElementType::Float) {
  for (int tiles : {1, 3, 16, 61}) {
    const HostTensor fast = result(inputs, type, build, tiles, false), cells = result(inputs, type, build, tiles, true);
    QCOMPARE(cells.shape(), fast.shape());
    const double tolerance = type == ElementType::Half ? 1e-2 : 1e-5;
    for (int64_t i = 0; i < fast.count(); ++i)
      if (std::abs(fast.at(i) - cells.at(i)) > tolerance * (1 + std::abs(fast.at(i))))
        QFAIL(qPrintable(QString("%1 on %2 tiles: element %3 is %4 by cells, %5 at once")
                             .arg(what)
                             .arg(tiles)
                             .arg(i)
                             .arg(cells.at(i))
                             .arg(fast.at(i))));
  }
}

void compareConvolution(ElementType type, int64_t batch, int64_t groups, int64_t in, int64_t out, int64_t size, int64_t kernel,
                        int64_t stride, int64_t pad, int64_t dilation, double memory = 0.6) {
  ConvParams p;
  p.type = type;
  p.batch = batch;
  p.groups = groups;
  p.inChannels = in;
  p.outChannels = out;
  p.in = {size, size + 2};
  p.kernel = {kernel, kernel};
  p.stride = {stride, stride};
  p.padLow = {pad, pad};
  p.padHigh = {pad, 0};
  p.dilation = {dilation, dilation};
  compare(
      "convolution", {{batch, groups * in, size, size + 2}, {groups * out, in, kernel, kernel}},
      [&](const OpBuilder& b, const std::vector<Tensor>& t) { return convolution(b, t[0], t[1], p, {}, {memory}); }, type);
}

void expect(const HostTensor& got, const HostTensor& wanted) {
  QCOMPARE(got.shape(), wanted.shape());
  for (int64_t i = 0; i < wanted.count(); ++i)
    QVERIFY2(std::abs(got.at(i) - wanted.at(i)) < 1e-4,
             qPrintable(QString("%1: %2, not %3").arg(i).arg(got.at(i)).arg(wanted.at(i))));
}

} // namespace

class VertexByVertexTest : public QObject {
  Q_OBJECT
private slots:
  void elementwise() {
    for (const Shape& s : {Shape{1}, Shape{7}, Shape{13, 5}, Shape{2, 3, 11}}) {
      compare("exp", {s},
              [](const OpBuilder& b, const std::vector<Tensor>& t) { return unary(b, codelets::UnaryOp::Exp, t[0]); });
      compare("multiply", {s, s}, [](const OpBuilder& b, const std::vector<Tensor>& t) {
        return binary(b, codelets::BinaryOp::Multiply, t[0], t[1]);
      });
      compare("add a scalar", {s, {1}},
              [](const OpBuilder& b, const std::vector<Tensor>& t) { return binary(b, codelets::BinaryOp::Add, t[0], t[1]); });
      compare(
          "half", {s, s},
          [](const OpBuilder& b, const std::vector<Tensor>& t) { return binary(b, codelets::BinaryOp::Subtract, t[0], t[1]); },
          ElementType::Half);
      compare("cast", {s}, [](const OpBuilder& b, const std::vector<Tensor>& t) { return cast(b, t[0], ElementType::Int32); });
      compare("scaledAdd", {s, s}, [](const OpBuilder& b, const std::vector<Tensor>& t) {
        scaledAddTo(b, t[0], t[1], 0.5f);
        return t[0];
      });
    }
    compare("broadcast", {{4, 1, 5}, {3, 1}},
            [](const OpBuilder& b, const std::vector<Tensor>& t) { return binary(b, codelets::BinaryOp::Multiply, t[0], t[1]); });
    compare("bias", {{2, 7, 3, 5}, {7}}, [](const OpBuilder& b, const std::vector<Tensor>& t) {
      addBias(b, t[0], t[1]);
      return t[0];
    });
    compare("relu", {{2, 7, 3}}, [](const OpBuilder& b, const std::vector<Tensor>& t) {
      nonLinearityInPlace(b, codelets::NonLinearity::Relu, t[0]);
      return t[0];
    });
  }

  void volumes() {
    ConvParams p;
    p.batch = 2;
    p.groups = 2;
    p.inChannels = 3;
    p.outChannels = 5;
    p.in = {5, 6};
    p.kernel = {3, 2};
    p.stride = {2, 1};
    p.padLow = {1, 0};
    p.padHigh = {0, 1};
    for (const auto& depth :
         {DepthWindow{7, 3, 3, 2, 1, 0, 0}, DepthWindow{7, 7, 1, 1, 1, 0, 0}, DepthWindow{7, 5, 3, 1, 2, 1, 1}}) {
      numerics::Window w{
          {depth.kernel, 3, 2}, {depth.stride, 2, 1}, {depth.dilation, 1, 1}, {depth.padLow, 1, 0}, {depth.padHigh, 0, 1}};
      const std::vector<Shape> shapes{{2, 6, 7, 5, 6}, {10, 3, depth.kernel, 3, 2}};
      const Build build = [&](const OpBuilder& b, const std::vector<Tensor>& t) { return conv3d(b, t[0], t[1], p, depth); };
      compare("volume convolution", shapes, build);
      expect(result(shapes, ElementType::Float, build, 16, true),
             numerics::convolution(randomTensor(shapes[0], 11), randomTensor(shapes[1], 12), nullptr, w, 2));
    }
    for (const auto kind : {codelets::PoolKind::Max, codelets::PoolKind::Average})
      for (const bool countPads : {false, true}) {
        PoolParams q;
        q.kind = kind;
        q.countPads = countPads;
        q.kernel = {3, 2};
        q.stride = {2, 1};
        q.padLow = {1, 0};
        q.padHigh = {0, 1};
        q.out = {2, 6};
        const DepthWindow depth{7, 4, 2, 2, 1, 1, 0};
        const std::vector<Shape> shapes{{2, 3, 7, 5, 6}};
        const Build build = [&](const OpBuilder& b, const std::vector<Tensor>& t) { return pool3d(b, t[0], q, depth); };
        compare("volume pool", shapes, build);
        const numerics::Window w{{2, 3, 2}, {2, 2, 1}, {1, 1, 1}, {1, 1, 0}, {0, 0, 1}};
        const HostTensor x = randomTensor(shapes[0], 11);
        expect(result(shapes, ElementType::Float, build, 16, true),
               kind == codelets::PoolKind::Max ? numerics::maxPool(x, w, false) : numerics::averagePool(x, w, false, countPads));
      }
  }

  void convolutions() {
    for (auto type : {ElementType::Float, ElementType::Half}) {
      compareConvolution(type, 1, 1, 1, 1, 1, 1, 1, 0, 1);
      compareConvolution(type, 2, 1, 3, 5, 7, 3, 1, 1, 1);   // few channels: taps become channels
      compareConvolution(type, 1, 1, 19, 23, 5, 3, 2, 1, 1); // primes
      compareConvolution(type, 1, 7, 1, 1, 9, 3, 1, 1, 1);   // depthwise
      compareConvolution(type, 1, 16, 1, 1, 6, 3, 2, 1, 1);  // depthwise, joined or vertical
      compareConvolution(type, 1, 3, 4, 6, 5, 2, 1, 0, 2);   // grouped, dilated
      compareConvolution(type, 3, 1, 64, 8, 2, 1, 1, 0, 1);  // many input channels: split and reduced
    }
    compareConvolution(ElementType::Float, 1, 1, 40, 36, 4, 3, 1, 1, 1, 0.002); // so little memory that it is cut into slices
  }

  void products() {
    for (const auto& [m, k, n] :
         std::vector<std::tuple<int64_t, int64_t, int64_t>>{{1, 1, 1}, {1, 97, 3}, {13, 17, 19}, {64, 32, 8}, {2, 300, 1}})
      compare("matmul", {{m, k}, {k, n}}, [](const OpBuilder& b, const std::vector<Tensor>& t) { return matmul(b, t[0], t[1]); });
    compare("grouped matmul", {{3, 5, 7}, {3, 7, 2}},
            [](const OpBuilder& b, const std::vector<Tensor>& t) { return matmul(b, t[0], t[1]); });
  }

  void pools() {
    for (const auto& [size, kernel, stride, pad] :
         std::vector<std::tuple<int64_t, int64_t, int64_t, int64_t>>{{8, 2, 2, 0}, {7, 3, 2, 1}, {5, 5, 1, 2}, {1, 1, 1, 0}}) {
      PoolParams p;
      p.kernel = {kernel, kernel};
      p.stride = {stride, stride};
      p.padLow = {pad, pad};
      const int64_t out = (size + 2 * pad - kernel) / stride + 1;
      p.out = {out, out};
      const auto window = numerics::makeWindow({kernel, kernel}, {stride, stride}, {}, {pad, pad, pad, pad});
      compare("max pool", {{2, 5, size, size}}, [&](const OpBuilder& b, const std::vector<Tensor>& t) {
        return pool(b, t[0], p, [window](const std::vector<HostTensor>& in) {
          return std::vector<HostTensor>{numerics::maxPool(in[0], window, false)};
        });
      });
    }
  }

  void reductions() {
    using codelets::ReduceOp;
    for (const Shape& s : {Shape{11}, Shape{4, 9}, Shape{3, 5, 7}, Shape{1, 1}})
      for (auto op : {ReduceOp::Add, ReduceOp::Maximum, ReduceOp::SquareAdd, ReduceOp::Multiply})
        for (std::size_t axis = 0; axis < s.size(); ++axis)
          compare("reduce", {s},
                  [&](const OpBuilder& b, const std::vector<Tensor>& t) { return reduce(b, t[0], {axis}, op, axis % 2 == 0); });
    compare("all axes", {{3, 5, 7}}, [](const OpBuilder& b, const std::vector<Tensor>& t) {
      return reduce(b, t[0], {0, 1, 2}, ReduceOp::Add, false);
    });
    compare("after a convolution's layout", {{1, 6, 5, 7}, {8, 6, 3, 3}}, [](const OpBuilder& b, const std::vector<Tensor>& t) {
      ConvParams p;
      p.inChannels = 6;
      p.outChannels = 8;
      p.in = {5, 7};
      p.kernel = {3, 3};
      return reduce(b, convolution(b, t[0], t[1], p), {2, 3}, ReduceOp::Add, true);
    });
  }

  void softmaxIsTheSumOfItsParts() {
    for (bool logarithm : {false, true})
      for (std::size_t axis : {std::size_t(0), std::size_t(1)})
        compare("softmax", {{5, 13}},
                [&](const OpBuilder& b, const std::vector<Tensor>& t) { return softmax(b, t[0], axis, logarithm); });
  }

  void movements() {
    for (const Shape& s : {Shape{1, 1}, Shape{13, 5}, Shape{2, 211}}) {
      compare("transpose", {s}, [](const OpBuilder& b, const std::vector<Tensor>& t) { return transpose(b, t[0], {1, 0}); });
      compare("move", {s}, [](const OpBuilder& b, const std::vector<Tensor>& t) {
        return move(b, "twice", {t[0]}, t[0].elementType(), {2 * t[0].dim(0), t[0].dim(1)}, t[0].dim(1),
                    {oneResult([](const std::vector<HostTensor>& in) {
                      return numerics::tile(in[0], {2, 1});
                    })});
      });
      compare("moveBack", {{2 * s[0], s[1]}}, [s](const OpBuilder& b, const std::vector<Tensor>& t) {
        return moveBack(b, t[0], {}, s, oneResult([](const std::vector<HostTensor>& in) {
                          return numerics::tile(in[0], {2, 1});
                        }));
      });
      compare("sliceable", {s}, [](const OpBuilder& b, const std::vector<Tensor>& t) { return sliceable(b, t[0]); });
      compare("zero", {s}, [](const OpBuilder& b, const std::vector<Tensor>& t) {
        zero(b, t[0]);
        return t[0];
      });
    }
  }

  void slices() {
    for (const auto& [rows, columns, count] :
         std::vector<std::tuple<int64_t, int64_t, int64_t>>{{1, 1, 1}, {97, 3, 5}, {7, 131, 2}, {5, 1, 67}, {300, 2, 211}}) {
      const auto at = [rows = rows, count = count](const OpBuilder& b) { return places(b, count, rows); };
      compare("multiSlice", {{rows, columns}},
              [&](const OpBuilder& b, const std::vector<Tensor>& t) { return multiSlice(b, t[0], at(b)); });
      for (const auto mode : {numerics::ScatterReduction::None, numerics::ScatterReduction::Add, numerics::ScatterReduction::Max})
        compare("multiUpdate", {{rows, columns}, {count, columns}},
                [&](const OpBuilder& b, const std::vector<Tensor>& t) { return multiUpdate(b, t[0], at(b), t[1], mode); });
      for (const int64_t parts : {int64_t(1), rows % 3 ? rows : 3}) {
        compare("tiedRows", {{rows, columns}},
                [&](const OpBuilder& b, const std::vector<Tensor>& t) { return tiedRows(b, t[0], at(b), parts); });
        compare("addToTiedRows", {{rows, columns}, {count, columns}}, [&](const OpBuilder& b, const std::vector<Tensor>& t) {
          addToTiedRows(b, t[0], at(b), t[1], parts);
          return t[0];
        });
      }
      compare("dynamicSlice", {{rows, columns}}, [rows = rows](const OpBuilder& b, const std::vector<Tensor>& t) {
        return dynamicSlice(b, sliceable(b, t[0]), places(b, 1, rows));
      });
      compare("dynamicUpdate", {{rows, columns}, {columns}}, [rows = rows](const OpBuilder& b, const std::vector<Tensor>& t) {
        const Tensor all = sliceable(b, t[0]);
        dynamicUpdate(b, all, t[1], places(b, 1, rows));
        return all;
      });
    }
  }

  void sortsAndScans() {
    for (const Shape& s : {Shape{1, 1}, Shape{3, 13}, Shape{2, 128}, Shape{11, 37}})
      for (const bool flag : {false, true}) {
        compare("topK", {s}, [flag](const OpBuilder& b, const std::vector<Tensor>& t) {
          return topK(b, t[0], std::min<int64_t>(5, t[0].dim(1)), 1, flag).values;
        });
        compare("selection", {s}, [flag](const OpBuilder& b, const std::vector<Tensor>& t) {
          return topK(b, t[0], std::min<int64_t>(5, t[0].dim(1)), 1, flag, false).values;
        });
        compare("selected places", {s}, [flag](const OpBuilder& b, const std::vector<Tensor>& t) {
          return cast(b, topK(b, t[0], (t[0].dim(0) + 1) / 2, 0, flag, false).indices, ElementType::Float);
        });
        compare("places", {s}, [flag](const OpBuilder& b, const std::vector<Tensor>& t) {
          return cast(b, topK(b, t[0], t[0].dim(0), 0, flag).indices, ElementType::Float);
        });
        compare("argReduce", {s}, [flag](const OpBuilder& b, const std::vector<Tensor>& t) {
          return cast(b, argReduce(b, t[0], 1, flag, false, false), ElementType::Float);
        });
        compare("cumulativeSum", {s},
                [flag](const OpBuilder& b, const std::vector<Tensor>& t) { return cumulativeSum(b, t[0], 1, flag, !flag); });
      }
  }

  void norms() {
    for (const Shape& s : {Shape{1, 2, 3}, Shape{3, 4, 7}, Shape{2, 6, 67}}) {
      compare("groupNorm", {s, {s[1]}, {s[1]}},
              [](const OpBuilder& b, const std::vector<Tensor>& t) { return groupNorm(b, t[0], t[1], t[2], 2, 1e-5f); });
      compare("whiten", {s}, [](const OpBuilder& b, const std::vector<Tensor>& t) {
        return whiten(b, t[0], {1, 2}, {}, 1e-5).out;
      });
      compare("normalise", {s}, [](const OpBuilder& b, const std::vector<Tensor>& t) {
        return normalise(b, t[0], {1, 2}, {}, 1e-5, oneResult([](const std::vector<HostTensor>& in) {
                           const HostTensor ones = HostTensor::full(ElementType::Float, {in[0].dim(1), in[0].dim(2)}, 1);
                           return numerics::layerNorm(in[0], ones, nullptr, 1, 1e-5).output;
                         }));
      });
    }
  }

  void gradientsOfMapsAndPools() {
    compare("nonLinearityGrad", {{13, 5}, {13, 5}}, [](const OpBuilder& b, const std::vector<Tensor>& t) {
      return nonLinearityGrad(b, codelets::NonLinearity::Relu, t[0], t[1], oneResult([](const std::vector<HostTensor>& in) {
                                return numerics::binary(numerics::BinaryKind::Mul, in[0],
                                                        numerics::unary(numerics::UnaryKind::Relu, in[1]));
                              }));
    });
    compare("mapInPlace", {{131}}, [](const OpBuilder& b, const std::vector<Tensor>& t) {
      mapInPlace(b, "negate", {{codelets::UnaryOp::Negate, ElementType::Float}}, {t[0]},
                 oneResult([](const std::vector<HostTensor>& in) { return numerics::unary(numerics::UnaryKind::Neg, in[0]); }));
      return map(b, "negate", {{codelets::UnaryOp::Negate, ElementType::Float}}, {t[0]}, ElementType::Float, {131},
                 oneResult([](const std::vector<HostTensor>& in) { return numerics::unary(numerics::UnaryKind::Neg, in[0]); }));
    });
    PoolParams p;
    p.kernel = {3, 2};
    p.stride = {2, 2};
    p.out = {3, 3};
    compare("poolGrad", {{2, 5, 7, 6}, {2, 5, 3, 3}},
            [&](const OpBuilder& b, const std::vector<Tensor>& t) { return poolGrad(b, t[0], {}, t[1], p); });
  }

  void sparseProducts() {
    for (const int64_t block : {1, 4})
      for (const bool dynamic : {false, true})
        for (const auto& [m, k, n] :
             std::vector<std::tuple<int64_t, int64_t, int64_t>>{{1, 1, 1}, {13, 17, 5}, {64, 32, 7}, {5, 97, 1}}) {
          SparseMatmulParams params;
          params.m = m;
          params.k = k;
          params.n = n;
          params.block = block;
          params.dynamic = dynamic;
          std::vector<int64_t> pattern; // a third of the blocks, most of them in the first rows: buckets overflow
          const int64_t all = ((m + block - 1) / block) * ((k + block - 1) / block);
          for (int64_t i = 0; i < all; i += i < all / 3 ? 1 : 5) pattern.push_back(i);
          params.blocks = int64_t(pattern.size());
          compare("sparseMatmul", {{params.blocks, block, block}, {k, n}}, [&](const OpBuilder& b, const std::vector<Tensor>& t) {
            return sparseMatmul(b, t[0], t[1], params, [pattern] { return pattern; });
          });
        }
  }

  // In both modes the numbers come from each tile's six generators.
  void randomNumbers() {
    for (const auto kind : {codelets::RandomKind::Uniform, codelets::RandomKind::Normal, codelets::RandomKind::TruncatedNormal,
                            codelets::RandomKind::Bernoulli})
      for (const Shape& s : {Shape{1}, Shape{7}, Shape{13, 311}}) {
        RandomNumbers numbers;
        numbers.kind = kind;
        const Build fill = [&](const OpBuilder& b, const std::vector<Tensor>& t) {
          fillRandom(b, t[0], numbers, 42);
          return t[0];
        };
        compare("random", {s}, fill);
        const HostTensor once = result({s}, ElementType::Float, fill, 16, false);
        double sum = 0, largest = 0;
        for (int64_t i = 0; i < once.count(); ++i) {
          sum += once.at(i);
          largest = std::max(largest, std::abs(once.at(i)));
        }
        const double mean = kind == codelets::RandomKind::Bernoulli ? 0.5 : 0;
        if (once.count() > 1000) QVERIFY(std::abs(sum / double(once.count()) - mean) < 0.1);
        QVERIFY(largest <= (kind == codelets::RandomKind::Normal ? 5.82 : kind == codelets::RandomKind::TruncatedNormal ? 2 : 1));
      }
  }

  // Fails if a library function that takes a builder has no case in a test of this folder.
  void everyFunctionOfTheLibraryIsCompared() {
    const QDir tests(QString(TILESCOPE_SOURCE_DIR) + "/tests/simcore/ops");
    QString cases;
    for (const QString& name : tests.entryList({"*_test.cpp"})) {
      QFile file(tests.filePath(name));
      QVERIFY(file.open(QIODevice::ReadOnly));
      cases += file.readAll();
    }
    // Layers are compared as operators of a model, with all their options: tests/simcore/model/vertex_by_vertex_test.cpp.
    const QStringList elsewhere{"recurrent",
                                "interIpuCopies",
                                "einsum",
                                "quantise",
                                "dequantise",
                                "centred",
                                "toIntegers",
                                "quantiseDynamically",
                                "negativeLogLikelihood",
                                "negativeLogLikelihoodGradient",
                                "whitenGradient",
                                "batchStatistics",
                                "scaleChannels",
                                "batchNormGradient",
                                "trainedGroupNorm",
                                "groupNormGradient",
                                "localResponseNorm",
                                "lpNorm",
                                "transposedConvolution",
                                "convolutionDataGradient",
                                "convolutionWeightsGradient",
                                "resize",
                                "resizeGradient",
                                "gridSample",
                                "rowNumbers",
                                "elementNumbers",
                                "rowsFromHost",
                                "groupedLayout",
                                "groupedRows",
                                "writeAt",
                                "rowsToHost",
                                "updateBySgd",
                                "updateByAdam",
                                "updateBySquares"},
        places{"sliceableVariable", "destinationOn",
               "Superstep",         "ReduceLowering",
               "emitStages",        "makeShare",
               "addShare",          "rowsOf",
               "copyInto",          "copyAlike",
               "variableLike",      "partKernel",
               "selectBest",        "layoutOfSingleElements",
               "ConvGrid",          "ConvTraffic"};
    int found = 0;
    QStringList missing;
    QDirIterator headers(QString(TILESCOPE_SOURCE_DIR) + "/simcore/ops", {"*.h"}, QDir::Files, QDirIterator::Subdirectories);
    while (headers.hasNext()) {
      QFile file(headers.next());
      QVERIFY(file.open(QIODevice::ReadOnly));
      auto it = QRegularExpression("(\\w+)\\(const OpBuilder& \\w+,").globalMatch(QString(file.readAll()));
      while (it.hasNext()) {
        const QString function = it.next().captured(1);
        ++found;
        if (!cases.contains(QRegularExpression("\\b" + function + "\\(")) && !elsewhere.contains(function) &&
            !places.contains(function))
          missing << function;
      }
    }
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(", ")));
    QVERIFY(found > 30);
  }
};

TILESCOPE_TEST(VertexByVertexTest)
#include "vertex_by_vertex_test.moc"
