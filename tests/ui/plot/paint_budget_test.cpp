// The work of a paint depends on the visible part, not on the size of the data. Counts the calls of a paint engine and the requests
// to a source, at several sizes of the widget and of the data.
#include "tests/support/test_main.h"
#include "ui/plot/cell_map.h"
#include "ui/plot/tile_map.h"
#include "ui/plot/timeline.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QPaintEngine>
#include <QTest>

#include <atomic>

using namespace ui::plot;

namespace {

// Counts what is drawn and draws nothing.
class CountingEngine : public QPaintEngine {
public:
  CountingEngine() : QPaintEngine(AllFeatures) {}
  bool begin(QPaintDevice*) override { return true; }
  bool end() override { return true; }
  void updateState(const QPaintEngineState&) override {}
  Type type() const override { return User; }

  void drawRects(const QRect*, int n) override { m_shapes += n; }
  void drawRects(const QRectF*, int n) override { m_shapes += n; }
  void drawLines(const QLine*, int n) override { m_shapes += n; }
  void drawLines(const QLineF*, int n) override { m_shapes += n; }
  void drawPath(const QPainterPath&) override { ++m_shapes; }
  void drawPoints(const QPointF*, int n) override { m_shapes += n; }
  void drawPolygon(const QPointF*, int, PolygonDrawMode) override { ++m_shapes; }
  void drawEllipse(const QRectF&) override { ++m_shapes; }
  void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override { ++m_images; }
  void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override { ++m_images; }
  void drawTextItem(const QPointF&, const QTextItem&) override { ++m_labels; }

  int m_shapes = 0, m_images = 0, m_labels = 0;
};

class CountingDevice : public QPaintDevice {
public:
  explicit CountingDevice(QSize size) : m_size(size) {}
  QPaintEngine* paintEngine() const override { return &m_engine; }
  const CountingEngine& counts() const { return m_engine; }

protected:
  int metric(PaintDeviceMetric metric) const override {
    switch (metric) {
    case PdmWidth: return m_size.width();
    case PdmHeight: return m_size.height();
    case PdmDepth: return 32;
    case PdmDevicePixelRatio: return 1;
    case PdmDevicePixelRatioScaled: return int(devicePixelRatioFScale());
    default: return 96; // dots per inch; millimetres are unused
    }
  }

private:
  QSize m_size;
  mutable CountingEngine m_engine;
};

// As many lanes and slices as in a long run of a large machine; reduced to two per pixel, as the interface demands.
class LongRun : public SliceSource {
public:
  explicit LongRun(int tracks) : m_tracks(tracks) {}
  reports::TickRange extent() const override { return {0, int64_t(1) << 40}; }
  std::vector<Track> tracks() const override { return std::vector<Track>(std::size_t(m_tracks), Track{"track", {}, 3, false}); }
  std::vector<Slice> slices(int, int lane, reports::TickRange range, int pixels, int64_t labelTicks,
                            std::stop_token) const override {
    ++m_reads;
    std::vector<Slice> list;
    const int64_t each = std::max<int64_t>(2, range.size() / std::max(1, 2 * pixels));
    for (int64_t at = range.begin; at + each <= range.end; at += each) {
      Slice s;
      s.begin = at, s.end = at + each - 1, s.id = at, s.colour = lane, s.count = 100;
      if (each >= labelTicks) s.label = "a name";
      list.push_back(s);
    }
    return list;
  }
  Card card(int, int, const Slice&) const override { return {}; }
  std::vector<QColor> palette(bool) const override { return {Qt::red, Qt::blue, Qt::green}; }

  mutable std::atomic<int> m_reads = 0;

private:
  int m_tracks;
};

class ManyRows : public CellSource {
public:
  reports::TickRange extent() const override { return {0, int64_t(1) << 40}; }
  int rows() const override { return 100'000; }
  QString rowTitle(int row) const override { return QString::number(row); }
  Picture cells(reports::Range<int>, reports::TickRange, int width, int height, Detail, std::stop_token) const override {
    m_most = std::max(m_most.load(), int64_t(width) * height);
    return {std::vector<Cell>(std::size_t(width) * std::size_t(height), Cell{0, 255}), true};
  }
  Card card(int, int64_t, Cell) const override { return {}; }
  std::vector<QColor> palette(bool) const override { return {Qt::red}; }

  mutable std::atomic<int64_t> m_most = 0; // cells of one answer
};

} // namespace

class PaintBudgetTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;

  static std::unique_ptr<CountingDevice> paint(QWidget& widget) {
    auto device = std::make_unique<CountingDevice>(widget.size());
    widget.render(device.get());
    return device;
  }
  static void sizes() {
    QTest::addColumn<QSize>("size");
    for (const QSize size : {QSize(400, 200), QSize(1192, 600), QSize(2560, 1400)})
      QTest::addRow("%d x %d", size.width(), size.height()) << size;
  }

private slots:
  void aTimelineReadsAndNamesWhatIsInSight_data() { sizes(); }
  void aTimelineReadsAndNamesWhatIsInSight() {
    QFETCH(const QSize, size);
    int shapes = -1, labels = -1;
    for (const int tracks : {50, 5000}) {
      const auto source = std::make_shared<LongRun>(tracks);
      Timeline timeline(m_theme, "Trace", nullptr);
      timeline.resize(size);
      timeline.setSource(source);
      timeline.show();
      QTRY_VERIFY(!timeline.isBusy());
      const auto device = paint(timeline);
      const CountingEngine& counts = device->counts();
      const int rows = size.height() / 10 + 2; // no lane is lower than ten pixels
      QVERIFY2(counts.m_labels > 0 && counts.m_labels <= 4 * rows + size.width() / 20,
               qPrintable(QString("%1 labels").arg(counts.m_labels)));
      QVERIFY2(counts.m_images <= rows + 8, qPrintable(QString("%1 images").arg(counts.m_images)));
      QVERIFY2(counts.m_shapes <= 20 * rows + size.width(), qPrintable(QString("%1 shapes").arg(counts.m_shapes)));
      if (shapes >= 0) { // a hundred times the tracks are not more work
        QVERIFY2(counts.m_shapes <= 2 * shapes + 16, qPrintable(QString("%1 shapes, %2").arg(shapes).arg(counts.m_shapes)));
        QVERIFY2(counts.m_labels <= 2 * labels + 16, qPrintable(QString("%1 labels, %2").arg(labels).arg(counts.m_labels)));
      }
      shapes = counts.m_shapes, labels = counts.m_labels;
    }
  }

  void aMapOfCellsHasOneForAPixel_data() { sizes(); }
  void aMapOfCellsHasOneForAPixel() {
    QFETCH(const QSize, size);
    const auto source = std::make_shared<ManyRows>();
    CellMap map(m_theme, "Tiles", nullptr);
    map.resize(size);
    map.setSource(source);
    map.show();
    QTRY_VERIFY(map.hasPicture() && !map.isBusy());
    QVERIFY(source->m_most > 0 && source->m_most <= int64_t(4) * size.width() * size.height());
    const auto device = paint(map);
    const CountingEngine& counts = device->counts();
    QVERIFY2(counts.m_images <= 8, qPrintable(QString("%1 images").arg(counts.m_images)));
    QVERIFY2(counts.m_labels <= size.height() / 10 + size.width() / 20, qPrintable(QString("%1 labels").arg(counts.m_labels)));
    QVERIFY2(counts.m_shapes <= size.height() + size.width(), qPrintable(QString("%1 shapes").arg(counts.m_shapes)));
  }

  void aFloorPlanDrawsATileOnce_data() { sizes(); }
  void aFloorPlanDrawsATileOnce() {
    QFETCH(const QSize, size);
    for (const int ipus : {1, 64}) {
      constexpr int kTiles = 1472, kColumns = 64;
      TileMap map(m_theme, "Tiles", nullptr);
      map.resize(size);
      map.setGrid(ipus, kTiles, kColumns, kTiles / kColumns);
      map.setValues(std::make_shared<std::vector<int64_t>>(std::size_t(ipus * kTiles), 7));
      map.show();
      const auto device = paint(map);
      const CountingEngine& counts = device->counts();
      QVERIFY2(counts.m_shapes + counts.m_images > 0, "nothing is drawn");
      constexpr int kScale = 400; // strips of the colour scale, and its frame
      QVERIFY2(counts.m_shapes <= ipus * kTiles + 8 * ipus + kScale, qPrintable(QString("%1 shapes").arg(counts.m_shapes)));
      QVERIFY2(counts.m_labels <= 2 * ipus + 16, qPrintable(QString("%1 labels").arg(counts.m_labels)));
    }
  }
};

TILESCOPE_TEST(PaintBudgetTest)
#include "paint_budget_test.moc"
