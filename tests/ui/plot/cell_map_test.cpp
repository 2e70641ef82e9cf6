// The map of rows by time: outlines, and rows in another order than that of their numbers.
#include "ui/plot/cell_map.h"

#include "tests/support/test_main.h"
#include "ui/theme/theme.h"

#include <QSignalSpy>
#include <QTest>

#include <atomic>

using namespace ui::plot;

namespace {
// Ten rows over 1000 ticks; the later half of the time has another colour.
class Bands : public CellSource {
public:
  reports::TickRange extent() const override { return {0, 1000}; }
  int rows() const override { return 10; }
  QString rowTitle(int row) const override { return QString::number(row); }
  Picture cells(reports::Range<int>, reports::TickRange, int width, int height, Detail, std::stop_token) const override {
    std::vector<Cell> cells(std::size_t(width) * std::size_t(height), Cell{0, 255});
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (int(i % std::size_t(width)) >= width / 2) cells[i] = {1, 100};
    return {std::move(cells)};
  }
  Card card(int row, int64_t, Cell) const override { return {QString::number(row), {}, {}}; }
  std::vector<QColor> palette(bool) const override { return {Qt::red, Qt::blue}; }
};
} // namespace

namespace {
// Sixteen groups of two rows.
class Groups : public Bands {
public:
  int rows() const override { return 32; }
  std::vector<std::pair<int, QString>> groups() const override {
    std::vector<std::pair<int, QString>> groups;
    for (int i = 0; i < 16; ++i) groups.emplace_back(2 * i, QStringLiteral("IPU %1").arg(i));
    return groups;
  }
};
} // namespace

class CellMapTest : public QObject {
  Q_OBJECT

  static constexpr int kGutter = 192; // the default of a time view
  ui::theme::Theme m_theme;

private slots:
  // Titles were missing at heights that are not a multiple of sixteen.
  void groupsHaveTitlesAtEvenDistances() {
    CellMap map(m_theme, "Tiles", nullptr);
    map.setSource(std::make_shared<Groups>());
    map.show();
    for (int height = 90; height < 420; height += 11) {
      map.resize(700, height);
      const QImage image = map.grab().toImage();
      std::vector<int> lines; // where the ink of each begins
      bool before = false;
      for (int y = 40; y < height - 2; ++y) {
        bool hasInk = false;
        for (int x = 20; x < kGutter - 12; ++x) hasInk |= image.pixelColor(x, y) != m_theme.tokens().surface;
        if (hasInk && !before) lines.push_back(y);
        before = hasInk;
      }
      QVERIFY2(lines.size() > 1 && lines.back() > height - 30, qPrintable(QString::number(height)));
      int least = height, most = 0;
      for (std::size_t i = 1; i < lines.size(); ++i)
        least = std::min(least, lines[i] - lines[i - 1]), most = std::max(most, lines[i] - lines[i - 1]);
      QVERIFY2(most <= 2 * least + 3, qPrintable(QString("%1: %2 to %3").arg(height).arg(least).arg(most)));
    }
  }

  // The outline stays at its time and rows, and is visible on cells of every colour.
  void aTimeOverRowsIsOutlined() {
    CellMap map(m_theme, "Tiles", nullptr);
    map.resize(1160, 300);
    map.setSource(std::make_shared<Bands>());
    map.show();
    QTRY_VERIFY(!map.isBusy());
    QVERIFY(map.outlinePlace().isEmpty());
    map.setOutline({2, 5}, {400, 600});
    const QRect place = map.outlinePlace();
    const auto x = [&](int64_t tick) { return kGutter + int(map.scale().xOf(tick)); };
    QCOMPARE(place.left(), x(400));
    QCOMPARE(place.right() + 1, x(600));
    for (const bool dark : {false, true}) {
      m_theme.setScheme(dark ? ui::theme::Scheme::Dark : ui::theme::Scheme::Light);
      const QImage image = map.grab().toImage();
      const auto at = [&](int px, int py) { return image.pixelColor(QPoint(px, py) * map.devicePixelRatioF()); };
      for (const int px : {place.left(), place.right()}) {
        QCOMPARE(at(px, place.center().y()), m_theme.tokens().accent);
        QCOMPARE(at(px == place.left() ? px - 1 : px + 1, place.center().y()), m_theme.tokens().surface);
      }
      QCOMPARE(at(place.center().x(), place.top()), m_theme.tokens().accent);
      QVERIFY(at(place.center().x() - 10, place.center().y()) != m_theme.tokens().accent);
    }
    map.setOutline({2, 5}, {500, 501}); // a step of one cycle is still seen
    map.setVisibleRange({0, 1000});
    QVERIFY(map.outlinePlace().width() >= 2);
    map.setVisibleRange({0, 400});
    QVERIFY(map.outlinePlace().isEmpty());
    map.setOutline({}, {});
    map.setVisibleRange({0, 1000});
    QVERIFY(map.outlinePlace().isEmpty());
  }

  // If the source orders the rows differently, clicks and selections still use the rows' own numbers.
  void rowsStandInTheOrderOfTheSource() {
    struct Upside : Bands {
      Picture cells(reports::Range<int> rows, reports::TickRange range, int width, int height, Detail detail,
                    std::stop_token stop) const override {
        Picture picture = Bands::cells(rows, range, width, height, detail, stop);
        if (m_isUpside)
          for (int row = 9; row >= 0; --row) picture.order.push_back(row);
        return picture;
      }
      std::atomic<bool> m_isUpside = true;
    };
    CellMap map(m_theme, "Tiles", nullptr);
    map.resize(1160, 300);
    const auto source = std::make_shared<Upside>();
    map.setSource(source);
    map.show();
    QTRY_VERIFY(!map.isBusy());
    QSignalSpy clicked(&map, &CellMap::cellClicked);
    const QPoint low(700, 290);
    QTest::mouseClick(&map, Qt::LeftButton, {}, low);
    QCOMPARE(clicked.last()[0].toInt(), 0);
    map.setSelectedRows({0});
    const auto isBar = [&] { return map.grab().toImage().pixelColor(QPoint(kGutter + 1, 290) * map.devicePixelRatioF()); };
    QCOMPARE(isBar(), m_theme.tokens().accent);
    source->m_isUpside = false;
    map.refetch();
    QTRY_VERIFY(!map.isBusy());
    QTest::mouseClick(&map, Qt::LeftButton, {}, low);
    QCOMPARE(clicked.last()[0].toInt(), 9);
    QVERIFY(isBar() != m_theme.tokens().accent);
  }
};

TILESCOPE_TEST(CellMapTest)
#include "cell_map_test.moc"
