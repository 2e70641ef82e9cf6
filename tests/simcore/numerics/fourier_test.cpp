// Transforms of any length against the sum that defines them.
#include "simcore/numerics/fourier.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using Complex = std::complex<double>;

class FourierNumbersTest : public QObject {
  Q_OBJECT

  static std::vector<Complex> wave(std::size_t count) {
    std::vector<Complex> x(count);
    for (std::size_t n = 0; n < count; ++n) x[n] = {std::sin(0.7 * double(n)), std::cos(0.3 * double(n * n % 97))};
    return x;
  }
  static Complex coefficient(const std::vector<Complex>& x, std::size_t length, std::size_t k, bool inverse) {
    Complex sum;
    for (std::size_t n = 0; n < std::min(x.size(), length); ++n)
      sum += x[n] * std::polar(1.0, (inverse ? 2 : -2) * M_PI * double(k * n % length) / double(length));
    return inverse ? sum / double(length) : sum;
  }

private slots:
  void itIsTheSum_data() {
    QTest::addColumn<int>("samples");
    QTest::addColumn<int>("length");
    QTest::addColumn<int>("outputs");
    const auto row = [](int samples, int length, int outputs) {
      QTest::addRow("%d of %d, %d given", outputs, length, samples) << samples << length << outputs;
    };
    row(1, 1, 1);
    row(7, 7, 7);
    row(2048, 2048, 2048); // the longest that is summed up
    row(2049, 2049, 2049);
    row(4096, 4096, 4096);
    row(5003, 5003, 5003); // a prime
    row(5003, 5003, 2502); // one-sided
    row(100, 6000, 6000);  // followed by zeros
    row(7000, 2500, 2500); // cut
  }
  void itIsTheSum() {
    QFETCH(int, samples);
    QFETCH(int, length);
    QFETCH(int, outputs);
    const auto x = wave(std::size_t(samples));
    for (const bool inverse : {false, true}) {
      const auto y = numerics::fourier(x, std::size_t(length), std::size_t(outputs), inverse);
      QCOMPARE(int(y.size()), outputs);
      for (std::size_t k = 0; k < y.size(); k += 1 + y.size() / 50) {
        const double away = std::abs(y[k] - coefficient(x, std::size_t(length), k, inverse));
        QVERIFY2(away < (inverse ? 1e-12 : 1e-9), qPrintable(QStringLiteral("coefficient %1: %2 away").arg(k).arg(away)));
      }
    }
  }
};

TILESCOPE_TEST(FourierNumbersTest)
#include "fourier_test.moc"
