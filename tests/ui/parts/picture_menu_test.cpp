#include "ui/parts/picture_menu.h"

#include "tests/support/test_main.h"
#include "tests/ui/plot/ten_slices.h"
#include "ui/plot/histogram.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QDir>
#include <QImageReader>
#include <QPainter>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QVBoxLayout>

#include <csignal>
#include <sys/resource.h>

using namespace ui::shell;

namespace {
// A widget that draws outside its bounds, which the SVG writer does not prevent.
class Spilling : public QWidget {
protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.fillRect(rect(), Qt::white);
    painter.fillRect(QRect(-500, -500, 2000, 2000), Qt::red);
  }
};
} // namespace

class PictureMenuTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;
  QTemporaryDir m_folder;

private slots:
  void aPlotIsFoundFromWhatLiesOnIt() {
    QWidget view;
    auto* plot = new ui::plot::Histogram(m_theme, "Tiles by memory used", &view);
    auto* inner = new QWidget(plot);
    auto* other = new QWidget(&view);
    QCOMPARE(pictured(inner, view), plot);
    QCOMPARE(pictured(plot, view), plot);
    QVERIFY(!pictured(other, view));
    QVERIFY(!pictured(nullptr, view));
  }

  // A plot in a scroll area has a transparent background; its image has an opaque one.
  void aPictureHasAnOpaqueGround() {
    ui::plot::Histogram plot(m_theme, "Bars");
    plot.resize(200, 100);
    QPalette clear = plot.palette();
    clear.setColor(QPalette::Base, Qt::transparent);
    plot.setPalette(clear);
    plot.setAttribute(Qt::WA_NoSystemBackground);
    const QString png = m_folder.filePath("ground.png");
    Picture picture{&plot};
    picture.title = "Bars";
    QCOMPARE(writePicture(picture, png), QString());
    const QImage image(png);
    QCOMPARE(image.pixelColor(0, 0), QApplication::palette().color(QPalette::Base));
    QCOMPARE(image.pixelColor(image.width() - 1, image.height() - 1), QApplication::palette().color(QPalette::Base));
  }

  void picturesAreWrittenAsTheirNameSays() {
    ui::plot::Histogram plot(m_theme, "Tiles by memory used");
    plot.resize(300, 160);
    plot.setBars(ui::plot::histogramOf({1, 2, 2, 3, 9}, 1, 10), "tiles");
    const QString png = m_folder.filePath("a.png"), pdf = m_folder.filePath("a.pdf");
    QCOMPARE(writePicture({&plot}, png), QString());
    QCOMPARE(QImageReader(png).size(), QSize(600, 320) * plot.devicePixelRatioF());
    QCOMPARE(writePicture({&plot}, pdf), QString());
    QFile file(pdf);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.read(5) == "%PDF-" && file.size() > 1000);
    const QString svg = m_folder.filePath("a.svg");
    QCOMPARE(writePicture({&plot}, svg), QString());
    QFile drawing(svg);
    QVERIFY(drawing.open(QIODevice::ReadOnly));
    const QByteArray text = drawing.readAll();
    QVERIFY2(text.startsWith("<?xml") && text.contains("<svg"), text.left(80).constData());
    QVERIFY(writePicture({&plot}, m_folder.filePath("a.jpeg")).contains(".svg"));
    QVERIFY(!QFile::exists(m_folder.filePath("a.jpeg")));
    QVERIFY(writePicture({&plot}, m_folder.filePath("no such folder/a.png")).contains("no such folder"));
    QVERIFY(!writePicture({&plot}, m_folder.filePath("no such folder/a.pdf")).isEmpty());
  }

  // An image has the requested size, and afterwards the plot has its old size.
  void aPictureHasTheSizeThatIsWanted() {
    ui::plot::StepPlot plot(m_theme, "Memory per tile");
    plot.setMaximumHeight(200);
    plot.resize(300, 160);
    plot.show();
    const QString png = m_folder.filePath("sized.png");
    QCOMPARE(writePicture({&plot, nullptr, {}, QSize(700, 420)}, png), QString());
    QCOMPARE(QImageReader(png).size(), QSize(1400, 840) * plot.devicePixelRatioF());
    QCOMPARE(plot.size(), QSize(300, 160));
    QCOMPARE(plot.maximumHeight(), 200);
    // A title is part of the image.
    QCOMPARE(writePicture({&plot, nullptr, "Memory per tile", QSize(700, 420)}, png), QString());
    QCOMPARE(QImageReader(png).size(), QSize(1400, 840) * plot.devicePixelRatioF());
  }

  // In an SVG drawing curves are lines and text is text, not one bitmap.
  void aCurveIsDrawnWithTitleAndLegend() {
    QWidget view;
    QVBoxLayout layout(&view);
    auto* legend = new ui::plot::Legend(m_theme);
    legend->setEntries({{"Vertex code", "1 KiB", [] { return QColor(Qt::red); }, ui::plot::Mark::Area, false}});
    auto* plot = new ui::plot::StepPlot(m_theme, "Memory per tile");
    plot->setAxes("Tile", 4, "Memory", ui::plot::ValueKind::Bytes);
    plot->setCurves({{"total", [] { return QColor(Qt::blue); }, std::make_shared<std::vector<int64_t>>(4, 77), false, false}});
    layout.addWidget(legend);
    layout.addWidget(plot, 1);
    view.resize(500, 360);
    view.show();
    QCOMPARE(legendOf(*plot, view), legend);
    const QString file = m_folder.filePath("curve.svg");
    QCOMPARE(writePicture({plot, legend, "Memory per tile – a.tsr"}, file), QString());
    QFile drawing(file);
    QVERIFY(drawing.open(QIODevice::ReadOnly));
    const QByteArray text = drawing.readAll();
    for (const char* word : {"Memory per tile – a.tsr", "Vertex code", "Tile"}) QVERIFY2(text.contains(word), word);
    QVERIFY(text.contains("<polyline") || text.contains("<path"));
    QVERIFY(!text.contains("<image"));
    const QString png = m_folder.filePath("curve.png");
    QCOMPARE(writePicture({plot, legend, "Memory per tile – a.tsr"}, png), QString());
    QVERIFY(QImageReader(png).size().height() > 2 * plot->height());
  }

  // The SVG writer does not clip, so the drawing paints over strokes outside the plot.
  void aDrawingKeepsWithinItsFrame() {
    Spilling plot;
    plot.setProperty("picture", true);
    plot.resize(300, 200);
    plot.show();
    const QString file = m_folder.filePath("spilling.svg");
    QCOMPARE(writePicture({&plot, nullptr, "Within its frame"}, file), QString());
    QFile drawing(file);
    QVERIFY(drawing.open(QIODevice::ReadOnly));
    const QByteArray text = drawing.readAll();
    // The surroundings and the title are painted after the plot, over its strokes.
    const qsizetype red = text.lastIndexOf("#ff0000"), title = text.lastIndexOf("Within its frame");
    QVERIFY(red > 0 && title > red);
    QVERIFY2(text.mid(red, title - red).count("<path") + text.mid(red, title - red).count("<rect") >= 4,
             "nothing lies around it");
  }

  // The drawing of a plot with a thousand columns must be small enough for a page.
  void aDrawingOfManyTilesIsSmall() {
    ui::plot::StepPlot plot(m_theme, "Memory per tile");
    const int tiles = 1472, layers = 5;
    plot.setAxes("Tile", tiles, "Memory", ui::plot::ValueKind::Bytes);
    std::vector<ui::plot::AreaLayer> areas;
    for (int l = 0; l < layers; ++l) {
      auto values = std::make_shared<std::vector<int64_t>>();
      for (int t = 0; t < tiles; ++t) values->push_back(1000 + t * 7919 % (100 * (l + 1)));
      areas.push_back({"layer", [] { return QColor(Qt::blue); }, values});
    }
    plot.setLayers(std::move(areas));
    plot.resize(1000, 400);
    plot.show();
    const QString file = m_folder.filePath("tiles.svg");
    QCOMPARE(writePicture({&plot}, file), QString());
    const qint64 rects = 940 * layers; // a column of pixels each
    QVERIFY2(QFileInfo(file).size() < 90 * rects, qPrintable(QString::number(QFileInfo(file).size())));
  }

  // An image for paper is light even if the window is dark, and the window does not change.
  void aPictureForPaperIsLight() {
    ui::theme::Theme dark;
    dark.setScheme(ui::theme::Scheme::Dark);
    QWidget view;
    view.setPalette(dark.palette()); // as the application gives it to its windows
    QVBoxLayout layout(&view);
    auto* legend = new ui::plot::Legend(dark);
    legend->setEntries({{"total", {}, [&dark] { return dark.series(0); }, ui::plot::Mark::Area, false}});
    auto* plot = new ui::plot::StepPlot(dark, "Memory per tile");
    plot->setAxes("Tile", 4, "Memory", ui::plot::ValueKind::Bytes);
    plot->setCurves({{"total", [&dark] { return dark.series(0); }, std::make_shared<std::vector<int64_t>>(4, 77), false, true}});
    auto* bars = new ui::plot::Histogram(dark, "Tiles by memory used");
    bars->setBars(ui::plot::histogramOf({1, 2, 2, 3, 9}, 1, 10), "tiles");
    layout.addWidget(legend), layout.addWidget(plot, 1), layout.addWidget(bars, 1);
    view.resize(500, 500);
    view.show();
    const auto cornersOf = [this](const Picture& picture, const char* name) {
      const QString file = m_folder.filePath(name);
      if (const QString why = writePicture(picture, file); !why.isEmpty()) return QList<int>{-1};
      const QImage image(file);
      return QList<int>{image.pixelColor(2, 2).lightness(), image.pixelColor(image.width() - 3, image.height() - 3).lightness()};
    };
    const QColor before = plot->grab().toImage().pixelColor(3, 3);
    QSignalSpy changed(&dark, &ui::theme::Theme::changed);
    for (QWidget* widget : std::initializer_list<QWidget*>{plot, bars}) {
      for (const int lightness : cornersOf({widget, legend, "A title"}, "dark.png")) QVERIFY(lightness >= 0 && lightness < 100);
      Picture paper{widget, legend, "A title"};
      paper.paper = &dark;
      for (const int lightness : cornersOf(paper, "light.png")) QVERIFY2(lightness > 200, qPrintable(widget->accessibleName()));
    }
    QVERIFY(dark.isDark());
    QCOMPARE(changed.count(), 0); // views would read again
    QCOMPARE(plot->grab().toImage().pixelColor(3, 3), before);
  }

  // A right click on a curve reaches the view that offers to save its image.
  // Lanes are rectangles, like the bars of other plots; only the small map above them is a bitmap.
  void lanesAreShapes() {
    const auto timeline = tests::tenSlicesTimeline(m_theme);
    QTRY_VERIFY(!timeline->isBusy());
    const QString file = m_folder.filePath("trace.svg");
    QCOMPARE(writePicture({timeline.get()}, file), QString());
    QFile drawing(file);
    QVERIFY(drawing.open(QIODevice::ReadOnly));
    const QByteArray text = drawing.readAll();
    QVERIFY2(text.count("<image") <= 1, qPrintable(QString::number(text.count("<image"))));
    QVERIFY2(text.count("<rect") >= 30, qPrintable(QString::number(text.count("<rect")))); // ten slices on each of three lanes
    QVERIFY(text.contains("#ff0000") && text.contains("#0000ff"));
  }

  void aCurveLetsTheMenuThrough() {
    QWidget view;
    QVBoxLayout layout(&view);
    auto* plot = new ui::plot::StepPlot(m_theme, "Memory per tile");
    layout.addWidget(plot);
    view.resize(400, 300);
    view.setContextMenuPolicy(Qt::CustomContextMenu);
    view.show();
    QSignalSpy asked(&view, &QWidget::customContextMenuRequested);
    QContextMenuEvent event(QContextMenuEvent::Mouse, plot->rect().center(), plot->mapToGlobal(plot->rect().center()));
    QApplication::sendEvent(plot, &event);
    QCOMPARE(asked.count(), 1);
  }

  // If the file cannot be written completely, as on a full disk, the old file stays and no part of the new one.
  void aFullDiskLeavesNoBrokenPicture() {
    ui::plot::Histogram plot(m_theme, "Tiles by memory used");
    plot.resize(300, 160);
    const QString path = m_folder.filePath("full.png");
    QFile before(path);
    QVERIFY(before.open(QIODevice::WriteOnly) && before.write("as before") == 9);
    before.close();
    rlimit limit{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN); // so that the write fails
    const rlimit few{100, limit.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &few), 0);
    const QString why = writePicture({&plot}, path);
    setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, handler);
    QVERIFY2(why.contains("could not be written"), qPrintable(why));
    QFile after(path);
    QVERIFY(after.open(QIODevice::ReadOnly));
    QCOMPARE(after.readAll(), QByteArray("as before"));
    QCOMPARE(QDir(m_folder.path()).entryList({"full*"}, QDir::Files).size(), 1);
  }

  void namesOfFilesArePlain() {
    QCOMPARE(pictureName("Memory per tile"), QString("memory-per-tile"));
    QCOMPARE(pictureName("Größe (B)"), QString("gr-e-b"));
    QCOMPARE(pictureName("…"), QString("picture"));
  }
};

TILESCOPE_TEST(PictureMenuTest)
#include "picture_menu_test.moc"
