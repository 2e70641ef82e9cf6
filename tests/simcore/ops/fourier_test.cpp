// Fourier transforms compared with the defining sum, at once and vertex by vertex; the planner's cuts.
#include "reports/core/error.h"
#include "simcore/ops/linalg/fourier.h"
#include "tests/simcore/ops/library_world.h"
#include "tests/support/test_main.h"

#include <cmath>
#include <complex>
#include <numeric>
#include <random>
#include <set>

using namespace simcore;
using namespace simcore::ops;
using numerics::HostTensor;

namespace {

HostTensor samplesOf(const FourierParams& p) {
  std::mt19937_64 random(7);
  HostTensor t(ElementType::Float, {p.rows, p.samples, p.parts});
  for (float& v : t.mutableValues<float>()) v = float(double(random() >> 11) * 0x1p-52 - 1.0);
  return t;
}

std::vector<double> sums(const HostTensor& x, const FourierParams& p) {
  std::vector<double> out;
  for (int64_t r = 0; r < p.rows; ++r)
    for (int64_t k = 0; k < p.outputs; ++k) {
      std::complex<double> sum = 0;
      for (int64_t n = 0; n < std::min(p.samples, p.length); ++n) {
        const int64_t at = (r * p.samples + n) * p.parts;
        sum += std::complex<double>(x.at(at), p.parts == 2 ? x.at(at + 1) : 0) *
               std::polar(1.0, (p.inverse ? 2 : -2) * M_PI * double(n * k % p.length) / double(p.length));
      }
      if (p.inverse) sum /= double(p.length);
      out.push_back(sum.real());
      out.push_back(sum.imag());
    }
  return out;
}

HostTensor transformed(const HostTensor& x, const FourierParams& p, int tiles, bool vertexByVertex,
                       std::string* method = nullptr) {
  tests::LibraryWorld w(tiles, vertexByVertex);
  const Tensor out = fourier(w.builder, w.input(p.type, x), p);
  if (method) *method = w.graph->plans().at(0).method;
  return w.run({out})[0];
}

FourierParams problem(int64_t rows, int64_t samples, int64_t parts, int64_t length, int64_t outputs, bool inverse = false) {
  FourierParams p;
  p.rows = rows;
  p.samples = samples;
  p.parts = parts;
  p.length = length;
  p.outputs = outputs;
  p.inverse = inverse;
  return p;
}

} // namespace

class FourierTest : public QObject {
  Q_OBJECT
private slots:
  void sumsOfOddLengths() {
    std::set<std::string> methods;
    for (FourierParams p :
         {problem(1, 1, 1, 1, 1), problem(3, 7, 1, 7, 4), problem(2, 13, 2, 13, 13, true), problem(1, 60, 2, 60, 60),
          problem(2, 9, 1, 12, 7), problem(1, 40, 2, 31, 31), problem(1, 512, 1, 512, 257), problem(2, 500, 2, 720, 720, true),
          problem(1, 1009, 2, 1009, 1009), problem(1, 1009, 1, 1009, 505, true)}) {
      const HostTensor x = samplesOf(p);
      const std::vector<double> wanted = sums(x, p);
      double largest = 1;
      for (const double v : wanted) largest = std::max(largest, std::abs(v));
      for (const ElementType type : {ElementType::Float, ElementType::Half})
        for (const bool cells : {false, true}) {
          p.type = type;
          std::string method;
          const HostTensor y = transformed(x, p, 16, cells, &method);
          methods.insert(method);
          QCOMPARE(y.shape(), (Shape{p.rows, p.outputs, 2}));
          const double tolerance = (type == ElementType::Half ? 1e-2 : 1e-5) * largest;
          for (int64_t i = 0; i < y.count(); ++i)
            if (std::abs(y.at(i) - wanted[std::size_t(i)]) > tolerance)
              QFAIL(qPrintable(
                  QString("length %1: element %2 is %3, not %4").arg(p.length).arg(i).arg(y.at(i)).arg(wanted[std::size_t(i)])));
        }
    }
    QCOMPARE(methods, (std::set<std::string>{"one product", "product of each digit", "chirp"}));
  }

  void planCutsWhatIsWorthIt() {
    const arch::Machine m = arch::findMachine("gc200", 1);
    const FourierPlan small = planFourier(m, problem(64, 16, 1, 16, 9)),
                      large = planFourier(m, problem(64, 16384, 2, 16384, 16384)),
                      prime = planFourier(m, problem(16, 10007, 2, 10007, 10007));
    QCOMPARE(small.factors, std::vector<int64_t>{16});
    QVERIFY(large.factors.size() > 1);
    QCOMPARE(std::accumulate(large.factors.begin(), large.factors.end(), int64_t(1), std::multiplies<>()), int64_t(16384));
    QCOMPARE(large.chirp, int64_t(0));
    QVERIFY(prime.chirp >= 2 * 10007 - 1);
    // 720,720 has 240 divisors: products that cannot win are not planned.
    const FourierPlan composite = planFourier(m, problem(1, 720720, 2, 720720, 720720));
    QCOMPARE(std::accumulate(composite.factors.begin(), composite.factors.end(), int64_t(1), std::multiplies<>()),
             int64_t(720720));
    for (const FourierPlan* p : {&small, &large, &prime}) {
      QVERIFY(p->fits && p->cycles() > 0 && p->tableBytes > 0);
      QVERIFY(p->text().find("factors") != std::string::npos);
    }
    // Less work than all samples times all roots.
    QVERIFY(large.tableBytes < int64_t(16384) * 1024);
  }

  void wrongShapesAreErrors() {
    Graph g(arch::tinyMachine(4));
    Sequence s;
    const OpBuilder b(g, s, g.addContext({}, "test", "model", "Test"));
    const Tensor x = g.addVariable(ElementType::Float, {2, 8, 2}, "x");
    QVERIFY_THROWS_EXCEPTION(reports::Error, fourier(b, x, problem(2, 7, 2, 7, 7)));
    QVERIFY_THROWS_EXCEPTION(reports::Error, fourier(b, x, problem(2, 8, 2, 8, 9)));
  }
};

TILESCOPE_TEST(FourierTest)
#include "fourier_test.moc"
