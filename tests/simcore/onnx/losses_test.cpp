// Losses that training adds, against their definitions.
#include "simcore/model/graph/evaluate.h"
#include "simcore/model/graph/graph_builder.h"
#include "simcore/prepare/prepare.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace simcore;
using numerics::ElementType;
using numerics::HostTensor;
using numerics::Shape;

namespace {

model::Model scoresOnly(const Shape& shape) {
  model::Model m;
  m.opset = 17;
  m.inputTypes["x"] = {ElementType::Float, shape};
  model::GraphBuilder b(m.graph);
  b.output(b.add("Identity", {b.input("x", ElementType::Float, shape)}, {}, "scores"));
  return m;
}

model::LossRequest ctc(const std::optional<std::int64_t>& ignored = {}) {
  model::LossRequest request;
  request.kind = "ctc";
  request.ignoreIndex = ignored;
  return request;
}

// Minus the logarithm of the sum over all paths that give `text` after repeats and blanks (0) are removed.
double lossOfPaths(const std::vector<std::vector<double>>& logarithms, const std::vector<int>& text) {
  const std::size_t steps = logarithms.size(), classes = logarithms[0].size();
  double sum = 0;
  for (std::size_t path = 0; path < std::size_t(std::pow(classes, steps)); ++path) {
    double chance = 0;
    std::vector<int> read;
    int before = 0;
    std::size_t rest = path;
    for (std::size_t t = 0; t < steps; ++t, rest /= classes) {
      const int c = int(rest % classes);
      chance += logarithms[t][std::size_t(c)];
      if (c != 0 && c != before) read.push_back(c);
      before = c;
    }
    if (read == text) sum += std::exp(chance);
  }
  return -std::log(sum);
}

} // namespace

class LossesTest : public QObject {
  Q_OBJECT
private slots:
  // [batch 2, steps 5, classes 3]: two equal labels need a blank between them; 9 fills the shorter text.
  void textsAreReadFromAllPaths() {
    model::Model m = scoresOnly({2, 5, 3});
    const auto loss = model::addLoss(m, ctc(9), Shape{2, 2});
    QVERIFY2(loss.guess.empty(), loss.guess.c_str());
    HostTensor x(ElementType::Float, {2, 5, 3});
    for (std::size_t i = 0; i < 30; ++i) x.mutableValues<float>()[i] = float(std::sin(double(i) * 1.7));
    const auto labels = HostTensor::of<std::int64_t>({2, 2}, {1, 1, 2, 9});
    const double got = model::evaluate(m, {{"x", x}, {"labels", labels}}).back().at(0);
    double wanted = 0;
    for (std::size_t n = 0; n < 2; ++n) {
      std::vector<std::vector<double>> logarithms(5, std::vector<double>(3));
      for (std::size_t t = 0; t < 5; ++t) {
        double sum = 0;
        for (std::size_t c = 0; c < 3; ++c) sum += std::exp(x.at(std::int64_t((n * 5 + t) * 3 + c)));
        for (std::size_t c = 0; c < 3; ++c) logarithms[t][c] = x.at(std::int64_t((n * 5 + t) * 3 + c)) - std::log(sum);
      }
      const std::vector<int> text = n == 0 ? std::vector<int>{1, 1} : std::vector<int>{2};
      wanted += lossOfPaths(logarithms, text) / double(text.size()) / 2;
    }
    QVERIFY2(std::abs(got - wanted) < 1e-5, qPrintable(QString("%1, not %2").arg(got).arg(wanted)));
  }
  // Of logarithms that a softmax made, cross-entropy is the loss of the classes alone: no second softmax, which would change nothing.
  void logarithmsHaveNoSecondSoftmax() {
    for (const std::int64_t axis : {-1, 0}) {
      model::Model m;
      m.opset = 17;
      m.inputTypes["x"] = {ElementType::Float, {3, 4}};
      model::GraphBuilder b(m.graph);
      const std::string x = b.input("x", ElementType::Float, {3, 4});
      b.output(b.add("LogSoftmax", {x}, model::attributes({{"axis", axis}}), "logarithms"));
      model::LossRequest request;
      request.kind = "cross-entropy";
      (void)model::addLoss(m, request, Shape{3});
      const bool isOfClasses = axis == -1;
      QCOMPARE(m.graph.nodes.back().opType, std::string("NegativeLogLikelihoodLoss"));
      QCOMPARE(std::count_if(m.graph.nodes.begin(), m.graph.nodes.end(), [](const auto& n) { return n.opType == "LogSoftmax"; }),
               isOfClasses ? 1 : 2);
      if (!isOfClasses) continue;
      const auto values = HostTensor::of<float>({3, 4}, {1, 0, -1, 2, 0.5F, 3, 1, 1, -2, 0, 0, 1});
      const double got =
          model::evaluate(m, {{"x", values}, {"labels", HostTensor::of<std::int64_t>({3}, {3, 1, 0})}}).back().at(0);
      double wanted = 0;
      const std::int64_t labels[] = {3, 1, 0};
      for (std::int64_t r = 0; r < 3; ++r) {
        double sum = 0;
        for (std::int64_t c = 0; c < 4; ++c) sum += std::exp(values.at(4 * r + c));
        wanted += (std::log(sum) - values.at(4 * r + labels[r])) / 3;
      }
      QVERIFY2(std::abs(got - wanted) < 1e-6, qPrintable(QString("%1, not %2").arg(got).arg(wanted)));
    }
  }

  // The tutorial's form: a network returns its predictions and its loss.
  void theOutputOfOneNumberIsTheLoss() {
    model::Model m = scoresOnly({2, 3});
    model::GraphBuilder b(m.graph);
    b.output(b.add("ReduceSum", {"scores"}, model::attributes({{"keepdims", std::int64_t(0)}}), "loss"));
    model::LossRequest request;
    request.kind = "output";
    QCOMPARE(model::addLoss(m, request, {}).name, std::string("loss"));
    b.output(b.add("ReduceSum", {"scores"}, model::attributes({{"keepdims", std::int64_t(0)}}), "other"));
    QVERIFY(tests::has(tests::errorOf([&] { (void)model::addLoss(m, request, {}); }), "not a single number"));
  }

  void stepsAndBatchAreToldApart() {
    model::Model m = scoresOnly({2, 2, 3});
    QVERIFY(!model::addLoss(m, ctc(), Shape{2, 1}).guess.empty());
    const auto refused = [](const Shape& scores, const std::optional<Shape>& labels) {
      return tests::errorOf([&] {
        model::Model other = scoresOnly(scores);
        (void)model::addLoss(other, ctc(), labels);
      });
    };
    QVERIFY(tests::has(refused({2, 3}, Shape{2, 1}), "not steps, batch and classes"));
    QVERIFY(tests::has(refused({2, 5, 3}, {}), "the labels are missing"));
    QVERIFY(tests::has(refused({2, 5, 3}, Shape{4, 1}), "different batch sizes"));
    QVERIFY(tests::has(refused({2, 5, 3}, Shape{2, 6}), "6 labels, more than the 5 steps"));
  }
};

TILESCOPE_TEST(LossesTest)
#include "losses_test.moc"
