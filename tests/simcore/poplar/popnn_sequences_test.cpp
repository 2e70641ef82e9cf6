// Plain recurrent layers, beam search, regions, splines and copies of runs, against plain loops.
#include "popnn/CTCInference.hpp"
#include "popnn/Recurrent.hpp"
#include "popnn/SpatialSoftMax.hpp"
#include "popnn/experimental/ROIAlign.hpp"
#include "popops/Expr.hpp"
#include "popops/ExprOpUtils.hpp"
#include "popops/SequenceSlice.hpp"
#include "popops/SplineBasis.hpp"
#include "popops/SplineWeighting.hpp"
#include "poputil/exceptions.hpp"
#include "tests/simcore/poplar/library_bench.h"

#include <functional>
#include <limits>
#include <map>

namespace {

using namespace poplar;
using tests::LibraryBench;
using Row = std::vector<double>;

Row waves(std::size_t n, double scale, int seed) {
  Row v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = scale * std::sin(double(i) * 1.3 + seed);
  return v;
}
std::vector<float> singles(const Row& v) { return {v.begin(), v.end()}; }
Tensor whole(LibraryBench& bench, const Type& type, const std::vector<std::size_t>& shape, const std::vector<unsigned>& values) {
  const Tensor t = bench.graph.addVariable(type, shape, VariableMappingMethod::LINEAR, "numbers");
  if (type == INT)
    bench.graph.setInitialValue(t, ArrayRef<int>(std::vector<int>(values.begin(), values.end())));
  else if (type == UNSIGNED_CHAR)
    bench.graph.setInitialValue(t, ArrayRef<unsigned char>(std::vector<unsigned char>(values.begin(), values.end())));
  else
    bench.graph.setInitialValue(t, ArrayRef<unsigned>(values));
  return t;
}
std::vector<float> slopes(Row& of, const std::function<double()>& loss) {
  std::vector<float> d;
  for (double& x : of) {
    const double was = x;
    x = was + 1e-5;
    const double up = loss();
    x = was - 1e-5;
    d.push_back(float((up - loss()) / 2e-5));
    x = was;
  }
  return d;
}

// Bilinear samples of a map, and the mean of those of each bin, as ROIAlign is published (He et al. 2017).
Row regions(const Row& maps, std::size_t channels, std::size_t height, std::size_t width, const Row& rois,
            const std::vector<unsigned>& images, std::size_t bins, std::size_t samples, bool shifted, double scale) {
  const auto sample = [&](const double* map, double y, double x) {
    if (y < -1 || y > double(height) || x < -1 || x > double(width)) return 0.0;
    y = std::clamp(y, 0.0, double(height - 1));
    x = std::clamp(x, 0.0, double(width - 1));
    const auto y0 = std::size_t(y), x0 = std::size_t(x), y1 = std::min(y0 + 1, height - 1), x1 = std::min(x0 + 1, width - 1);
    const double fy = y - double(y0), fx = x - double(x0);
    return map[y0 * width + x0] * (1 - fy) * (1 - fx) + map[y0 * width + x1] * (1 - fy) * fx +
           map[y1 * width + x0] * fy * (1 - fx) + map[y1 * width + x1] * fy * fx;
  };
  Row out;
  for (std::size_t r = 0; r < images.size(); ++r)
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t h = 0; h < bins; ++h)
        for (std::size_t w = 0; w < bins; ++w) {
          const double shift = shifted ? 0.5 : 0, x1 = rois[r * 4] * scale - shift, y1 = rois[r * 4 + 1] * scale - shift;
          double high = rois[r * 4 + 3] * scale - shift - y1, wide = rois[r * 4 + 2] * scale - shift - x1;
          if (!shifted) high = std::max(high, 1.0), wide = std::max(wide, 1.0);
          double sum = 0;
          for (std::size_t i = 0; i < samples * samples; ++i)
            sum += sample(maps.data() + (images[r] * channels + c) * height * width,
                          y1 + high / double(bins) * (double(h) + (double(i / samples) + 0.5) / double(samples)),
                          x1 + wide / double(bins) * (double(w) + (double(i % samples) + 0.5) / double(samples)));
          out.push_back(sum / double(samples * samples));
        }
  return out;
}

} // namespace

class PopnnSequencesTest : public QObject {
  Q_OBJECT

  static constexpr std::size_t kT = 4, kN = 2, kI = 3, kH = 5;
  struct Plain {
    Row x = waves(kT * kN * kI, 0.8, 1), w = waves(kI * kH, 0.6, 2), r = waves(kH * kH, 0.5, 3), b = waves(kH, 0.3, 4),
        h = waves(kN * kH, 0.4, 5);
    Row outputs() const {
      Row y(kT * kN * kH);
      for (std::size_t t = 0; t < kT; ++t)
        for (std::size_t n = 0; n < kN; ++n)
          for (std::size_t j = 0; j < kH; ++j) {
            double sum = b[j];
            for (std::size_t i = 0; i < kI; ++i) sum += x[(t * kN + n) * kI + i] * w[i * kH + j];
            for (std::size_t i = 0; i < kH; ++i) sum += (t ? y[((t - 1) * kN + n) * kH + i] : h[n * kH + i]) * r[i * kH + j];
            y[(t * kN + n) * kH + j] = std::tanh(sum);
          }
      return y;
    }
  };

private slots:
  void plainRecurrentLayer() {
    Plain p;
    LibraryBench bench;
    Graph& graph = bench.graph;
    const Tensor x = bench.input({kT, kN, kI}, singles(p.x)), w = bench.input({kI, kH}, singles(p.w)),
                 r = bench.input({kH, kH}, singles(p.r)), b = bench.input({kH}, singles(p.b)),
                 h = bench.input({kN, kH}, singles(p.h));
    const auto tanh = popnn::NonLinearityType::TANH;
    const Tensor weighted = popnn::rnn::forwardWeightInput(graph, x, w, bench.prog);
    bench.keep("iterated", popnn::rnn::forwardIterate(graph, weighted, h, r, b, bench.prog, tanh));
    const Tensor y = popnn::rnn::rnnFwdSequence(graph, bench.prog, h, nullptr, b, w, r, x, tanh, FLOAT, false);
    bench.keep("y", y);
    bench.keep("weighted", popnn::rnn::rnnFwdSequence(graph, bench.prog, h, &weighted, b, w, r, x, tanh, FLOAT, false));
    const Row given = waves(kN * kT * kH, 1, 6); // [N, T, H]
    const auto [dx, dw, dr, db] = popnn::rnn::rnnBwdSequence(graph, true, false, bench.prog, h, y, b, w, r,
                                                             bench.input({kN, kT, kH}, singles(given)), x, tanh, FLOAT);
    for (const auto& [name, t] : {std::pair("dx", dx), {"dw", dw}, {"dr", dr}, {"db", db}}) bench.keep(name, t);
    // one step by hand: the gradients of the last step's sum
    const Tensor state = popnn::rnn::createBwdState(graph, FLOAT, kN, kH, bench.prog);
    const auto [dxLast, sum] = popnn::rnn::backwardGradientStep(graph, bench.input({kN, kH}, std::vector<float>(kN * kH, 1)),
                                                                state, y[kT - 1], w, r, bench.prog, tanh);
    bench.keep("sum", sum);
    Tensor accW = bench.input({kI, kH}, std::vector<float>(kI * kH, 1)),
           accR = bench.input({kH, kH}, std::vector<float>(kH * kH, 1)), accB = bench.input({kH}, std::vector<float>(kH, 1));
    popnn::rnn::paramDeltaUpdate(graph, sum, x[kT - 1], y[kT - 2], accW, accR, accB, bench.prog);
    bench.keep("accB", accB);
    bench.run();
    const Row wanted = p.outputs();
    for (const char* name : {"y", "iterated", "weighted"}) QVERIFY2(tests::isNear(bench.values(name), singles(wanted)), name);
    const auto loss = [&] {
      const Row now = p.outputs();
      double total = 0;
      for (std::size_t t = 0; t < kT; ++t)
        for (std::size_t n = 0; n < kN; ++n)
          for (std::size_t j = 0; j < kH; ++j) total += now[(t * kN + n) * kH + j] * given[(n * kT + t) * kH + j];
      return total;
    };
    for (const auto& [name, of] : {std::pair("dx", &p.x), {"dw", &p.w}, {"dr", &p.r}, {"db", &p.b}})
      QVERIFY2(tests::isNear(bench.values(name), slopes(*of, loss), 2e-5F), name);
    std::vector<float> sums, biases(kH, 1);
    for (std::size_t i = 0; i < kN * kH; ++i) {
      const double v = wanted[(kT - 1) * kN * kH + i];
      sums.push_back(float(1 - v * v));
      biases[i % kH] += sums.back();
    }
    QVERIFY(tests::isNear(bench.values("sum"), sums));
    QVERIFY(tests::isNear(bench.values("accB"), biases));
    QCOMPARE(popnn::rnn::getFwdFlops(1, 1, 3, 5), std::uint64_t(15 + 10 + 25 + 20 + 10));
    QCOMPARE(popnn::rnn::getBwdFlops(1, 1, 3, 5), std::uint64_t(15 + 10 + 25 + 20));
    QCOMPARE(popnn::rnn::getWuFlops(2, 1, 3, 5), std::uint64_t(30 + 15 + 50 + 25 + 5 + 45));
  }

  void beamSearchFindsTheLikeliestLabels() {
    // With as many beams as there are texts the search is exact: compare with the sum over all ways through the steps.
    constexpr std::size_t kSteps = 4, kClasses = 3, kBatch = 2, kPaths = 3;
    LibraryBench bench;
    Row logs = waves(kSteps * kBatch * kClasses, 2, 3);
    for (std::size_t r = 0; r < kSteps * kBatch; ++r) {
      double sum = 0;
      for (std::size_t c = 0; c < kClasses; ++c) sum += std::exp(logs[r * kClasses + c]);
      for (std::size_t c = 0; c < kClasses; ++c) logs[r * kClasses + c] -= std::log(sum);
    }
    const Tensor x = bench.input({kSteps, kBatch, kClasses}, singles(logs)), n = whole(bench, UNSIGNED_INT, {kBatch}, {4, 3});
    const auto plan = popnn::ctc_infer::plan(bench.graph, FLOAT, kBatch, kSteps, kClasses, 100);
    const auto [probs, lengths, labels] =
        popnn::ctc_infer::beamSearchDecoderLogProbabilities(bench.graph, x, n, bench.prog, 1, 100, kPaths, plan);
    const auto fromLogits = popnn::ctc_infer::beamSearchDecoderLogits(bench.graph, x, n, bench.prog, 1, 100, kPaths, plan);
    bench.keep("probs", probs);
    bench.keep("lengths", lengths);
    bench.keep("labels", labels);
    bench.keep("fromLogits", std::get<0>(fromLogits));
    bench.run();
    std::vector<float> wantedProbs, wantedLengths;
    const std::vector<float> found = bench.values("labels");
    for (std::size_t b = 0; b < kBatch; ++b) {
      const std::size_t steps = b == 0 ? 4 : 3;
      std::map<std::vector<int>, double> texts;
      for (std::size_t way = 0; way < std::size_t(std::pow(kClasses, steps)); ++way) {
        std::vector<int> text;
        double log = 0;
        int last = 1;
        for (std::size_t t = 0, rest = way; t < steps; ++t, rest /= kClasses) {
          const int c = int(rest % kClasses);
          log += logs[(t * kBatch + b) * kClasses + std::size_t(c)];
          if (c != 1 && c != last) text.push_back(c);
          last = c;
        }
        texts[text] += std::exp(log);
      }
      std::vector<std::pair<double, std::vector<int>>> order;
      for (const auto& [text, p] : texts) order.emplace_back(-p, text);
      std::sort(order.begin(), order.end());
      for (std::size_t k = 0; k < kPaths; ++k) {
        wantedProbs.push_back(float(std::log(-order[k].first)));
        wantedLengths.push_back(float(order[k].second.size()));
        for (std::size_t i = 0; i < order[k].second.size(); ++i)
          QCOMPARE(int(found[(b * kPaths + k) * kSteps + i]), order[k].second[i]);
      }
    }
    QVERIFY(tests::isNear(bench.values("probs"), wantedProbs));
    QVERIFY(tests::isNear(bench.values("fromLogits"), wantedProbs));
    QCOMPARE(bench.values("lengths"), wantedLengths);
    QVERIFY_EXCEPTION_THROWN(popnn::ctc_infer::beamSearchDecoderLogits(bench.graph, x, n, bench.prog, 1, 2, 3, plan),
                             poputil::poplibs_error);
  }

  void regionsOfMaps() {
    constexpr std::size_t kChannels = 2, kHigh = 6, kWide = 5;
    Row x = waves(2 * kChannels * kHigh * kWide, 1, 1);
    const Row rois{1, 2, 7, 9, 0, 0, 4, 4, 3, 1, 9, 11};
    const std::vector<unsigned> images{1, 0, 1};
    for (const bool shifted : {false, true}) {
      LibraryBench bench;
      Tensor data = bench.input({2, kChannels, kHigh, kWide}, singles(x)), boxes = bench.input({3, 4}, singles(rois)),
             which = whole(bench, INT, {3}, images);
      const popnn::experimental::roiAlignParams params(2, 2, 2, shifted, 0.5F);
      bench.keep("y", popnn::experimental::roiAlignFwd(bench.graph, bench.prog, data, boxes, which, params));
      const Row given = waves(3 * kChannels * 4, 1, 8);
      Tensor dy = bench.input({3, kChannels, 2, 2}, singles(given));
      bench.keep("dx", popnn::experimental::roiAlignInputGradient(bench.graph, bench.prog, data, boxes, which, dy, params));
      bench.run();
      const auto plain = [&] { return regions(x, kChannels, kHigh, kWide, rois, images, 2, 2, shifted, 0.5); };
      QVERIFY(tests::isNear(bench.values("y"), singles(plain())));
      QVERIFY(tests::isNear(bench.values("dx"), slopes(x, [&] {
                              double sum = 0;
                              const Row y = plain();
                              for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * given[i];
                              return sum;
                            })));
    }
  }

  void splines() {
    constexpr std::size_t kEdges = 5, kIn = 3, kOut = 2;
    for (unsigned degree = 1; degree <= 3; ++degree) {
      LibraryBench bench;
      Row at(kEdges * 2);
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = std::fmod(0.37 * double(i + 1), 1.0);
      const std::vector<unsigned> sizes{5, 4}, open{1, 0};
      const std::size_t count = std::size_t(degree + 1) * (degree + 1);
      const Tensor basis = bench.input({kEdges, count}, std::vector<float>(kEdges * count, 0)),
                   index = whole(bench, INT, {kEdges, count}, std::vector<unsigned>(kEdges * count, 0));
      popops::splineBasis(bench.graph, bench.input({kEdges, 2}, singles(at)), whole(bench, INT, {2}, sizes),
                          whole(bench, UNSIGNED_CHAR, {2}, open), basis, index, degree, bench.prog);
      const Row x = waves(kEdges * kIn, 1, 2), w = waves(20 * kIn * kOut, 1, 3);
      bench.keep("y", popops::splineWeighting(bench.graph, bench.input({kEdges, kIn}, singles(x)),
                                              bench.input({20, kIn, kOut}, singles(w)), basis, index, bench.prog));
      bench.keep("basis", basis);
      bench.run();
      // B-splines by the recursion of Cox and de Boor, on knots at whole numbers
      const std::function<double(unsigned, double)> bump = [&](unsigned n, double t) -> double {
        if (n == 0) return t >= 0 && t < 1 ? 1 : 0;
        return (t * bump(n - 1, t) + (double(n) + 1 - t) * bump(n - 1, t - 1)) / double(n);
      };
      std::vector<float> wanted(kEdges * kOut, 0);
      std::vector<float> found = bench.values("basis");
      for (std::size_t e = 0; e < kEdges; ++e) {
        double all = 0;
        for (std::size_t a = 0; a <= degree; ++a)
          for (std::size_t b = 0; b <= degree; ++b) {
            const double u = at[e * 2] * double(5 - degree), v = at[e * 2 + 1] * 4;
            const double share =
                bump(degree, u - std::floor(u) + double(degree - a)) * bump(degree, v - std::floor(v) + double(degree - b));
            all += double(found[e * count + b * (degree + 1) + a]);
            QVERIFY(std::abs(double(found[e * count + b * (degree + 1) + a]) - share) < 1e-6);
            const std::size_t k = (std::size_t(u) + a) % 5 + (std::size_t(v) + b) % 4 * 5;
            for (std::size_t o = 0; o < kOut; ++o)
              for (std::size_t i = 0; i < kIn; ++i)
                wanted[e * kOut + o] += float(share * x[e * kIn + i] * w[(k * kIn + i) * kOut + o]);
          }
        QVERIFY(std::abs(all - 1) < 1e-5); // the functions share out one
      }
      QVERIFY(tests::isNear(bench.values("y"), wanted));
    }
  }

  void runsOfRows() {
    for (const bool zeros : {false, true}) {
      LibraryBench bench;
      const Tensor in = bench.input({6, 2}, LibraryBench::numbers(12)), out = bench.input({5, 2}, std::vector<float>(10, 9));
      popops::sequenceSlice(bench.graph, in, out, whole(bench, UNSIGNED_INT, {3}, {2, 0, 1}),
                            whole(bench, UNSIGNED_INT, {3}, {3, 5, 0}), whole(bench, UNSIGNED_INT, {3}, {0, 2, 4}), zeros,
                            bench.prog);
      bench.keep("out", out);
      bench.run();
      const std::vector<float> n = LibraryBench::numbers(12);
      const float left = zeros ? 0 : 9;
      QCOMPARE(bench.values("out"), (std::vector<float>{n[6], n[7], n[8], n[9], left, left, left, left, n[0], n[1]}));
    }
  }

  void runsOutsideOfTheRowsAreRefused() {
    const auto error = [](const Type& type, std::vector<unsigned> count, std::vector<unsigned> from, std::vector<unsigned> to) {
      LibraryBench bench;
      const Tensor in = bench.input({6, 2}, LibraryBench::numbers(12)), out = bench.input({5, 2}, std::vector<float>(10, 9));
      try {
        popops::sequenceSlice(bench.graph, in, out, whole(bench, type, {2}, count), whole(bench, type, {2}, from),
                              whole(bench, type, {2}, to), false, bench.prog);
        bench.run();
      } catch (const std::exception& e) {
        return std::string(e.what());
      }
      return std::string();
    };
    QVERIFY(error(UNSIGNED_INT, {6, 0}, {0, 9}, {0, 9}).find("run 0") != std::string::npos);
    QVERIFY(error(UNSIGNED_INT, {5, 0}, {0, 9}, {0, 9}).empty());
    QVERIFY(error(UNSIGNED_INT, {1, 2}, {0, 5}, {0, 1}).find("run 1 has 2 rows and does not fit: it copies from row 5 of 6") !=
            std::string::npos);
    QVERIFY(error(UNSIGNED_INT, {1, 2}, {0, 0}, {0, 4}).find("run 1 has 2 rows") != std::string::npos);
    QVERIFY(error(UNSIGNED_INT, {1, 1}, {0, 4294967295U}, {0, 0}).find("run 1") != std::string::npos);
    QVERIFY(error(INT, {1, 1}, {0, 0}, {0, 0}).find("UNSIGNED_INT") != std::string::npos);
  }

  void anEmptyKernelOfASplineIsRefused() {
    const auto error = [](float at, unsigned size) {
      LibraryBench bench;
      const Tensor basis = bench.input({1, 2}, {0, 0}), index = whole(bench, INT, {1, 2}, {0, 0});
      popops::splineBasis(bench.graph, bench.input({1, 1}, {at}), whole(bench, INT, {1}, {size}),
                          whole(bench, UNSIGNED_CHAR, {1}, {1}), basis, index, 1, bench.prog);
      try {
        bench.run();
      } catch (const std::exception& e) {
        return std::string(e.what());
      }
      return std::string();
    };
    QVERIFY(error(0.5F, 3).empty());
    QVERIFY(error(0.5F, 0).find("kernelSize[0]") != std::string::npos);
    QVERIFY(error(std::numeric_limits<float>::quiet_NaN(), 3).find("pseudo[0][0]") != std::string::npos);
    QVERIFY(error(1e30F, 3).find("pseudo[0][0]") != std::string::npos);
  }

  void placesOfMaxima() {
    LibraryBench bench;
    const Row x = waves(2 * 3 * 4, 1, 4);
    const auto [places, temperature] = popnn::spatialSoftMax2D(bench.graph, bench.prog, bench.input({2, 3, 4}, singles(x)), 0.5F);
    bench.keep("places", places);
    bench.keep("temperature", temperature);
    bench.run();
    double all = 0;
    for (const double v : x) all += std::exp(v / 0.5);
    std::vector<float> wanted(4, 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double p = std::exp(x[i] / 0.5) / all;
      wanted[i / 12 * 2] += float(p * (double(i % 12 / 4) - 1));
      wanted[i / 12 * 2 + 1] += float(p * (double(i % 4) * 2 / 3 - 1));
    }
    QVERIFY(tests::isNear(bench.values("places"), wanted));
    QCOMPARE(bench.values("temperature"), std::vector<float>{0.5F});
  }

  void expressionsAreCompared() {
    namespace pe = popops::expr;
    using namespace pe::ostream_ext;
    const auto one = pe::Add(pe::_1, pe::Mul(pe::_2, pe::Const(2.0F))), two = pe::_1 + pe::_2 * 2.0F;
    QVERIFY(one.deepEquals(two));
    QVERIFY(!one.deepEquals(pe::_1 + pe::_2 * 3.0F));
    QVERIFY(!one.deepEquals(pe::_1 + pe::_2 * 2));    // another type
    QVERIFY(!one.deepEquals(pe::_1 - pe::_2 * 2.0F)); // another operation
    QVERIFY(!pe::Cast(pe::_1, HALF).deepEquals(pe::Cast(pe::_1, FLOAT)));
    const pe::Expr& e = one;
    QVERIFY(e.isA<pe::BinaryOp>() && !e.isA<pe::UnaryOp>() && e.getAs<pe::BinaryOp>()->getRHS().isA<pe::BinaryOp>());
    std::ostringstream text;
    text << pe::UnaryOpType::LOGARITHM_ONE_PLUS << ' ' << pe::BinaryOpType::SUBTRACT << ' ' << pe::TernaryOpType::SELECT << ' '
         << e;
    QCOMPARE(text.str(), std::string("LOGARITHM_ONE_PLUS SUBTRACT SELECT ADD(_1, MULTIPLY(_2, 2))"));
  }
};

TILESCOPE_TEST(PopnnSequencesTest)
#include "popnn_sequences_test.moc"
