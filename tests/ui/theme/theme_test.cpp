#include "ui/theme/theme.h"

#include "tests/support/test_main.h"
#include "ui/theme/elide.h"
#include "ui/theme/icons.h"

#include <QDirIterator>
#include <QFontMetrics>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>

using namespace ui::theme;

class ThemeTest : public QObject {
  Q_OBJECT

  // How an eye without one kind of cone sees a colour: Machado, Oliveira, Fernandes 2009, severity 1, in linear light.
  using Eye = std::array<std::array<double, 3>, 3>;
  static QColor seenBy(const Eye& eye, const QColor& c) {
    const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    const auto gamma = [](double v) {
      v = std::clamp(v, 0.0, 1.0);
      return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
    };
    const std::array in{linear(c.redF()), linear(c.greenF()), linear(c.blueF())};
    const auto row = [&](int i) {
      const auto& r = eye[std::size_t(i)];
      return float(gamma(r[0] * in[0] + r[1] * in[1] + r[2] * in[2]));
    };
    return QColor::fromRgbF(row(0), row(1), row(2));
  }

  // CIE 1976 distance: 2 is just noticeable side by side, 20 can be distinguished from memory.
  static double distance(const QColor& a, const QColor& b) {
    const auto lab = [](const QColor& c) {
      const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
      const double r = linear(c.redF()), g = linear(c.greenF()), u = linear(c.blueF());
      const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
      const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * u) / 0.9505), y = f(0.2126 * r + 0.7152 * g + 0.0722 * u);
      const double z = f((0.0193 * r + 0.1192 * g + 0.9505 * u) / 1.089);
      return std::array{116 * y - 16, 500 * (x - y), 200 * (y - z)};
    };
    const auto p = lab(a), q = lab(b);
    return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  }

private slots:
  void contrastIsTheWcagRatio() {
    QCOMPARE(contrast(Qt::black, Qt::white), 21.0);
    QCOMPARE(contrast(Qt::white, Qt::white), 1.0);
    QVERIFY(std::abs(contrast(QColor(0x777777), Qt::white) - 4.48) < 0.01);
  }

  void textReadsOnEverySurface_data() {
    QTest::addColumn<bool>("dark");
    QTest::newRow("light") << false;
    QTest::newRow("dark") << true;
  }
  void textReadsOnEverySurface() {
    QFETCH(bool, dark);
    const Tokens& t = tokens(dark);
    for (const QColor& surface : {t.background, t.surface, t.raised, t.hover, t.selection}) {
      QVERIFY(contrast(t.text, surface) >= 4.5);
      QVERIFY2(contrast(t.secondary, surface) >= 4.5, qPrintable(surface.name()));
    }
    for (const QColor& surface : {t.background, t.surface})
      for (const QColor& word : {t.accent, t.good, t.warning, t.bad})
        QVERIFY2(contrast(word, surface) >= 4.5, qPrintable(word.name() + surface.name()));
    QVERIFY(contrast(t.accentText, t.accent) >= 4.5);
    QVERIFY(contrast(t.disabled, t.surface) >= 3.0);
  }

  void marksReadOnTheSurface_data() { textReadsOnEverySurface_data(); }
  void marksReadOnTheSurface() {
    QFETCH(bool, dark);
    const QColor surface = tokens(dark).surface;
    for (int a = 0; a < reports::kActivityCount; ++a) {
      const QColor c = activityColour(reports::Activity(a), dark);
      QVERIFY2(contrast(c, surface) >= 3.0, qPrintable(c.name()));
      QVERIFY(contrast(textOn(c), c) >= 4.5);
    }
    for (int m = 0; m < reports::kMemoryCategoryCount; ++m)
      QVERIFY(contrast(memoryColour(reports::MemoryCategory(m), dark), surface) >= 3.0);
    for (int s = 0; s < 16; ++s) QVERIFY(contrast(seriesColour(s, dark), surface) >= 3.0);
  }

  void activitiesAreToldApart() {
    for (const bool dark : {false, true})
      for (int a = 0; a < int(reports::Activity::Scope); ++a)
        for (int b = 0; b < a; ++b) {
          const QColor x = activityColour(reports::Activity(a), dark), y = activityColour(reports::Activity(b), dark);
          QVERIFY2(distance(x, y) > 20, qPrintable(x.name() + y.name()));
        }
  }

  // Categories in one legend differ in colour. Those left out share a colour, are small and rarely adjacent.
  void memoryCategoriesAreToldApart() {
    using enum reports::MemoryCategory;
    constexpr std::array apart{
        Variable,      Constant,          VertexCode,          InternalExchangeCode, GlobalExchangeCode,
        ControlCode,   ControlTable,      VertexInstanceState, VertexFieldData,      VectorListDescriptor,
        Stack,         Message,           GlobalMessage,       CopyDescriptor,       InstrumentationResults,
        Rearrangement, SharedDataStorage, ControlId,           HostExchangeCode,     HostMessage};
    for (const bool dark : {false, true})
      for (std::size_t a = 0; a < apart.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) {
          const QColor x = memoryColour(apart[a], dark), y = memoryColour(apart[b], dark);
          QVERIFY2(distance(x, y) > 16, qPrintable(x.name() + y.name()));
        }
  }

  void activitiesAreToldApartByColourBlindEyes() {
    const std::pair<Eye, double> eyes[] = {
        {Eye{{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}}, 12},
        {Eye{{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}}, 12},
        // Without blue cones, one in ten thousand; sky and green stay near each other.
        {Eye{{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}, 9}};
    for (const auto& [eye, least] : eyes)
      for (const bool dark : {false, true})
        for (int a = 0; a < int(reports::Activity::Scope); ++a)
          for (int b = 0; b < a; ++b) {
            const QColor x = activityColour(reports::Activity(a), dark), y = activityColour(reports::Activity(b), dark);
            QVERIFY2(distance(seenBy(eye, x), seenBy(eye, y)) > least, qPrintable(x.name() + y.name()));
          }
  }

  // The function stays, whatever place or scopes a tool puts around it.
  void namesOfFunctionsKeepTheFunction() {
    const QFontMetrics metrics(QFont{});
    const auto fitted = [&](const QString& name, const QString& as) {
      return functionThatFits(metrics, name, metrics.horizontalAdvance(as) + 1);
    };
    const QString python = "dumps (/usr/lib/python3.11/json/__init__.py:183)",
                  kineto = "torch/nn/modules/module.py(1501): _call_impl",
                  cpp = "void ns::(anonymous namespace)::Conv<a::b>::run(std::vector<int> const&)";
    QCOMPARE(fitted(python, python), python);
    QCOMPARE(fitted(python, "dumps (\u2026/json/__init__.py:183)"), QString("dumps (\u2026/json/__init__.py:183)"));
    QCOMPARE(fitted(python, "dumps (\u2026/__init__.py:183)"), QString("dumps (\u2026/__init__.py:183)"));
    QCOMPARE(fitted(python, "dumps (\u2026"), QString("dumps"));
    QCOMPARE(fitted(kineto, "\u2026/module.py(1501): _call_impl"), QString("\u2026/module.py(1501): _call_impl"));
    QCOMPARE(fitted(kineto, "_call_impl.."), QString("_call_impl"));
    QCOMPARE(fitted(cpp, "\u2026::Conv<a::b>::run(std::vector<int> const&)"),
             QString("\u2026::Conv<a::b>::run(std::vector<int> const&)"));
    QVERIFY(fitted(cpp, "run(std::vector").startsWith("run(std::"));
    QCOMPARE(fitted("bert/layer3/attention/softmax", "attention/softmax"), QString("attention/softmax"));
    // Cells of tables and labels keep the function, too.
    const QString cell("dumps (\u2026/__init__.py:183)");
    QCOMPARE(elided(metrics, python, metrics.horizontalAdvance(cell) + 1), cell);
    for (const char* odd : {"", "()", " (", "a (", "(1): ", "::", ":: ::", "a::"}) functionThatFits(metrics, odd, 1); // ends
  }

  void namesAreShortenedBetweenTheirParts() {
    const auto upTo = [](qsizetype letters) { return [letters](const QString& text) { return text.size() <= letters; }; };
    QCOMPARE(pathWithoutMiddle("resnet50/stage3/block1/spatial/conv/Convolve", upTo(32)), // "50" is not a layer number
             QString::fromUtf8("…/stage3/block1/…/conv/Convolve"));
    QCOMPARE(pathWithoutMiddle("into layer2/attention/query/weight", upTo(26)), // here the first part is the layer
             QString::fromUtf8("into layer2/…/query/weight"));
    const QString path = "bert/bwd/head/decoder/Gemm/matmul/Convolve";
    const QString dots(QChar(0x2026));
    QCOMPARE(pathWithoutMiddle(path, upTo(30)),
             dots + "/decoder/Gemm/matmul/Convolve"); // rather than bert/…/Gemm/matmul/Convolve
    QCOMPARE(pathWithoutMiddle(path, upTo(28)), "bert/" + dots + "/Gemm/matmul/Convolve");
    QCOMPARE(pathWithoutMiddle(path, upTo(16)), "bert/" + dots + "/Convolve");
    QCOMPARE(pathWithoutMiddle(path, upTo(17)), dots + "/matmul/Convolve");
    QCOMPARE(pathWithoutMiddle(path, upTo(12)), dots + "/Convolve");
    QCOMPARE(pathWithoutMiddle(path, upTo(5)), QString());
    QCOMPARE(pathWithoutMiddle("a sentence of words", upTo(5)), QString());
    // The number of a layer distinguishes it from similar layers, so it is kept longer than the parts after it.
    const QString layer = "bert/bwd/layer10/attention/query/ReduceSum";
    QCOMPARE(pathWithoutMiddle(layer, upTo(11)), dots + "/ReduceSum");
    QCOMPARE(pathWithoutMiddle(layer, upTo(21)), dots + "/layer10/" + dots + "/ReduceSum");
    QCOMPARE(pathWithoutMiddle(layer, upTo(27)), dots + "/layer10/" + dots + "/query/ReduceSum");
    QCOMPARE(pathWithoutMiddle(layer, upTo(36)), dots + "/layer10/attention/query/ReduceSum");
    QCOMPARE(pathWithoutMiddle("net/stage1/block12/conv", upTo(16)), dots + "/block12/conv");
    // If the last part leaves no room for the numbers, it is shortened itself.
    QCOMPARE(pathWithoutMiddle(layer, upTo(18)), dots + "/layer10/" + dots + "/Reduc" + dots);
    QCOMPARE(pathWithoutMiddle("net/stage1/block12/convolution", upTo(23)), dots + "/stage1/block12/convo" + dots);
    // A part that does not fit is cut after a few letters, which distinguish similar names.
    QCOMPARE(pathWithoutMiddle("net/stage4/block0/shortcut/conv", upTo(27)), "net/stage4/block0/sho" + dots + "/conv");
    QCOMPARE(pathWithoutMiddle("net/stage4/block0/shortcut/conv", upTo(26)), "net/stage4/block0/" + dots + "/conv");
    for (int letters = 10; letters < path.size(); ++letters) {
      const QString text = pathWithoutMiddle(path, upTo(letters));
      QVERIFY2(text.size() <= letters && text.endsWith("/Convolve"), qPrintable(text));
    }
    const QFontMetrics metrics{QFont()};
    QCOMPARE(elided(metrics, path, 10000), path);
    QVERIFY(metrics.horizontalAdvance(elided(metrics, QString(200, 'x'), 100)) <= 100);
    // A step keeps its kind and its distinguishing number as long as its path is readable beside them.
    const QString kind = QString("OnTileCopy %1 ").arg(QChar(0xb7)), stepPath = "net/stage4/block0/shortcut/convolution";
    const QString step = kind + stepPath + " #412";
    const auto wide = [&](const QString& text) { return metrics.horizontalAdvance(text); };
    QCOMPARE(elided(metrics, step, wide(step)), step);
    const QString shorter = elided(metrics, step, wide(kind + "block0/shortcut/convolution #412"));
    QVERIFY2(shorter.startsWith(kind) && shorter.endsWith(" #412") && shorter.contains(dots), qPrintable(shorter));
    const QString shortest = elided(metrics, step, wide(kind) + 40);
    QVERIFY2(!shortest.startsWith("OnTile") && wide(shortest) <= wide(kind) + 40, qPrintable(shortest));
    // A lane shows the end of a path, as many parts as fit.
    const QString scope = "bert/layer0/attention/output";
    for (const QString& end : {QString("output"), QString("attention/output"), QString("layer0/attention/output"), scope}) {
      QCOMPARE(endOfPath(metrics, scope, wide(end)), end);
      QCOMPARE(endOfPath(metrics, scope, wide(end) + 2), end);
    }
    QCOMPARE(endOfPath(metrics, scope, 1), QString("output"));
    for (const char* odd : {"", "/", "a", "a/", "/a", "//", "a//b"}) QCOMPARE(endOfPath(metrics, odd, 10000), QString(odd));
    const QString sentence = elided(metrics, "Tile 0 holds 174 KiB: +60.9 KiB variables, +13.4 KiB a/b/c buffers.", 150);
    QVERIFY2(sentence.startsWith("Tile 0 holds") && sentence.endsWith(dots), qPrintable(sentence));
  }

  void quantitiesGetLighterAndDifferencesAreSymmetric() {
    for (const Scale scale : {Scale::Cividis, Scale::Viridis, Scale::Grey})
      for (int i = 1; i <= 20; ++i)
        QVERIFY(contrast(quantityColour(i / 20.0, scale), Qt::black) >
                contrast(quantityColour((i - 1) / 20.0, scale), Qt::black));
    QCOMPARE(quantityColour(-1), quantityColour(0));
    QCOMPARE(differenceColour(0, false), differenceColour(-0.0, false));
    QVERIFY(differenceColour(-1, true).blue() > differenceColour(-1, true).red());
    QVERIFY(differenceColour(1, true).red() > differenceColour(1, true).blue());
  }

  void theStyleSheetHasNoTokenLeftAndItsImagesExist() {
    Theme theme;
    for (const Scheme scheme : {Scheme::Light, Scheme::Dark}) {
      theme.setScheme(scheme);
      (void)iconPixmap("home", 16, Qt::black, 1); // loads the resources
      const QString sheet = theme.styleSheet();
      QVERIFY2(!sheet.contains('@'), qPrintable(sheet.mid(sheet.indexOf('@'), 40)));
      for (auto match = QRegularExpression("url\\((.*?)\\)").globalMatch(sheet); match.hasNext();) {
        const QString file = match.next().captured(1);
        QVERIFY2(QFile::exists(file), qPrintable(file));
      }
    }
  }

  void everyIconIsDrawnInTheAskedColour() {
    (void)iconPixmap("home", 16, Qt::black, 1);
    int seen = 0;
    for (QDirIterator it(":/icons", {"*.svg"}); it.hasNext();) {
      const QString name = QFileInfo(it.next()).baseName();
      if (name == "tilescope") continue; // the mark has its own colours
      const QImage image = iconPixmap(name, 24, QColor(0, 200, 0), 2).toImage();
      bool drawn = false;
      for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
          if (const QColor c = image.pixelColor(x, y); c.alpha() > 200) {
            drawn = true;
            QVERIFY2(c.green() > 150 && c.red() < 60, qPrintable(name));
          }
      QVERIFY2(drawn, qPrintable(name));
      ++seen;
    }
    QVERIFY(seen >= 30);
  }
};

TILESCOPE_TEST(ThemeTest)
#include "theme_test.moc"
