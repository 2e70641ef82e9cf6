// Two thousand random actions in a window with all views: clicks, keys, wheels, drags, other units, reloads and other reports
// while the reading of the last one still goes on. Nothing may crash, and afterwards a report still opens in every view.
// TILESCOPE_MONKEY_SEED and TILESCOPE_MONKEY_ACTIONS repeat one walk, or make it longer.
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/plot/cell_map.h"
#include "ui/plot/legend.h"
#include "ui/plot/timeline.h"
#include "ui/state/settings.h"
#include "ui/window/main_window.h"

#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPointer>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

using namespace ui;
using tests::listed;

namespace {

constexpr int kActions = 2000;

class Monkey {
public:
  Monkey(shell::MainWindow& window, theme::Theme& theme, QStringList files, quint32 seed)
      : m_window(window), m_theme(theme), m_files(std::move(files)), m_random(seed) {}

  void act() {
    const int dice = below(100);
    if (dice < 12)
      m_window.showView(m_window.views()[std::size_t(below(int(m_window.views().size())))].id);
    else if (dice < 17)
      openSome();
    else if (dice < 20)
      reload();
    else if (dice < 45)
      click();
    else if (dice < 62)
      press();
    else if (dice < 74)
      turnWheel();
    else if (dice < 82)
      drag();
    else if (dice < 88)
      choose();
    else if (dice < 92)
      type();
    else if (dice < 94)
      changeLook();
    else if (dice < 96)
      m_window.resize(900 + below(900), 600 + below(500));
    else
      wait();
  }

private:
  int below(int n) { return n > 0 ? int(m_random.bounded(quint32(n))) : 0; }
  void openSome() {
    const QString first = m_files[below(int(m_files.size()))], second = m_files[below(int(m_files.size()))];
    m_window.openReports(below(3) == 0 ? QStringList{first, second} : QStringList{first});
    if (below(2)) wait();
  }
  void reload() { QTest::keyClick(&m_window, Qt::Key_R, Qt::ControlModifier); }

  // Widgets that draw something of the report. No buttons: some open dialogs, which would wait for an answer.
  QWidget* target() {
    if (!m_window.currentView()) return nullptr;
    std::vector<QWidget*> shown;
    for (auto* widget : m_window.currentView()->findChildren<QWidget*>()) {
      if (!widget->isVisible() || widget->width() < 4 || widget->height() < 4) continue;
      const auto* items = qobject_cast<QAbstractItemView*>(widget->parentWidget());
      const bool isChip = widget->inherits("QAbstractButton") && qobject_cast<plot::Legend*>(widget->parentWidget());
      if (widget->property("picture").toBool() || qobject_cast<QTabBar*>(widget) || isChip ||
          (items && items->viewport() == widget))
        shown.push_back(widget);
    }
    if (shown.empty()) return nullptr;
    // The trace has most to do, and most jobs under way.
    QWidget* chosen = shown[std::size_t(below(int(shown.size())))];
    if (auto* area = qobject_cast<QAbstractScrollArea*>(chosen)) return area->viewport();
    return chosen;
  }
  QPoint place(const QWidget& widget) { return {below(widget.width()), below(widget.height())}; }
  Qt::KeyboardModifiers modifiers() {
    switch (below(5)) {
    case 0: return Qt::ShiftModifier;
    case 1: return Qt::ControlModifier;
    default: return {};
    }
  }

  // While a menu that a press opened is shown, another report may open, and a view makes the pressed part anew. QTest::mouseClick() would
  // go on with the old one.
  void click() {
    const QPointer<QWidget> widget = target();
    if (!widget) return;
    const bool isDouble = below(4) == 0;
    const QPoint at = place(*widget);
    const auto held = isDouble ? Qt::KeyboardModifiers() : modifiers();
    QTest::mousePress(widget, Qt::LeftButton, held, at);
    if (widget) QTest::mouseRelease(widget, Qt::LeftButton, held, at);
    if (!widget || !isDouble) return;
    QMouseEvent second(QEvent::MouseButtonDblClick, at, widget->mapToGlobal(at), Qt::LeftButton, Qt::LeftButton, held);
    QApplication::sendEvent(widget, &second);
    if (widget) QTest::mouseRelease(widget, Qt::LeftButton, held, at);
  }
  void press() {
    static constexpr Qt::Key kKeys[] = {Qt::Key_W,      Qt::Key_S,    Qt::Key_A,     Qt::Key_D,  Qt::Key_F,       Qt::Key_E,
                                        Qt::Key_P,      Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down,    Qt::Key_Return,
                                        Qt::Key_Escape, Qt::Key_Home, Qt::Key_Tab,   Qt::Key_F3, Qt::Key_PageDown};
    QWidget* widget = target();
    if (!widget) return;
    if (below(5) == 0)
      QTest::keyClick(&m_window, below(2) ? Qt::Key_Left : Qt::Key_Right, Qt::AltModifier); // back, forward
    else
      QTest::keyClick(widget, kKeys[below(int(std::size(kKeys)))], below(4) ? Qt::NoModifier : modifiers());
  }
  void turnWheel() {
    QWidget* widget = target();
    if (!widget) return;
    const QPoint at = place(*widget);
    QWheelEvent event(at, widget->mapToGlobal(at), {}, QPoint(0, below(2) ? 240 : -120), Qt::NoButton, modifiers(),
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
  }
  void drag() {
    const QPointer<QWidget> widget = target();
    if (!widget) return;
    const auto held = modifiers();
    const QPoint from = place(*widget), to = place(*widget);
    QTest::mousePress(widget, Qt::LeftButton, held, from);
    if (below(8) == 0) openSome(); // other reports open during the drag
    if (!widget) return;           // a view of two reports made its parts anew
    QMouseEvent move(QEvent::MouseMove, to, widget->mapToGlobal(to), Qt::NoButton, Qt::LeftButton, held);
    QApplication::sendEvent(widget, &move);
    if (widget) QTest::mouseRelease(widget, Qt::LeftButton, held, to);
  }
  void choose() {
    if (!m_window.currentView()) return;
    const auto boxes = m_window.currentView()->findChildren<QComboBox*>();
    if (boxes.isEmpty()) return;
    auto* box = boxes[below(int(boxes.size()))];
    if (box->count() == 0) return;
    const int index = below(box->count());
    box->setCurrentIndex(index);
    emit box->activated(index);
  }
  void type() {
    if (!m_window.currentView()) return;
    const auto fields = m_window.currentView()->findChildren<QLineEdit*>();
    if (fields.isEmpty()) return;
    static const QStringList kWords{"exchange", "0-5", "conv", "", "999999999", "no such name", "7"};
    auto* field = fields[below(int(fields.size()))];
    field->setText(kWords[below(int(kWords.size()))]);
    if (below(2)) emit field->returnPressed();
  }
  void changeLook() {
    if (below(2))
      m_theme.setScheme(below(2) ? theme::Scheme::Dark : theme::Scheme::Light);
    else
      m_window.state().setUnits({below(2) ? theme::TimeUnit::Cycles : theme::TimeUnit::Seconds, theme::MemoryUnit(below(3))});
  }
  void wait() {
    for (int i = below(6); i >= 0; --i) QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    if (below(4) == 0)
      (void)QTest::qWaitFor([this] { return !m_window.currentView() || !m_window.currentView()->isBusy(); }, 500);
  }

  // A key may open a dialog or a menu, which would wait for an answer.
  struct Closer : QTimer {
    Closer() {
      callOnTimeout([] {
        for (QWidget* open : {QApplication::activePopupWidget(), QApplication::activeModalWidget()})
          if (open) open->close();
      });
      start(100);
    }
  } m_closer;
  shell::MainWindow& m_window;
  theme::Theme& m_theme;
  QStringList m_files;
  QRandomGenerator m_random;
};

} // namespace

class MonkeyTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  const tests::TinyReport m_small{{.ipus = 1, .tilesPerIpu = 4, .operations = 2}},
      m_pair{{.ipus = 2, .tilesPerIpu = 8, .operations = 4}},
      m_long{{.ipus = 2, .tilesPerIpu = 64, .operations = 20, .slices = 40'000, .ioTiles = 4}};

  shell::ViewList views() const {
    return {listed("summary"),    listed("memory"), listed("liveness"), listed("program"),
            listed("operations"), listed("trace"),  listed("host"),     listed("compare")};
  }
  QStringList files() const {
    QStringList all;
    for (const auto* report : {&m_small, &m_pair, &m_long}) all.append(QString::fromStdString(report->path().string()));
    return all;
  }

private slots:
  // The job of a picture ends after its source was taken away: the trace is zoomed and the report reloaded at once.
  void reloadWhileTheTraceIsZoomed() {
    shell::Settings settings(m_folder.filePath("reload.ini"));
    shell::MainWindow window(m_theme, settings, views());
    window.resize(1280, 900);
    window.show();
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports({files()[2]});
    QTRY_COMPARE(finished.count(), 1);
    window.showView("trace");
    QTRY_VERIFY(!window.currentView()->isBusy());
    auto* tiles = window.findChild<plot::CellMap*>();
    auto* lanes = window.findChild<plot::Timeline*>();
    for (int i = 0; i < 30; ++i) {
      lanes->zoomBy(0.7);
      window.openReports({files()[2]});
      QTRY_COMPARE(finished.count(), i + 2); // the zoomed picture is still being read
      QTRY_VERIFY(!tiles->isBusy());
    }
  }

  void randomActions_data() {
    QTest::addColumn<quint32>("seed");
    bool given = false;
    const uint seed = qEnvironmentVariable("TILESCOPE_MONKEY_SEED").toUInt(&given);
    for (const quint32 each : given ? std::vector<quint32>{seed} : std::vector<quint32>{11, 2026, 90210})
      QTest::addRow("seed %u", each) << each;
  }
  void randomActions() {
    QFETCH(quint32, seed);
    bool given = false;
    const int wanted = qEnvironmentVariable("TILESCOPE_MONKEY_ACTIONS").toInt(&given);
    shell::Settings settings(m_folder.filePath(QString("monkey-%1.ini").arg(seed)));
    {
      shell::MainWindow window(m_theme, settings, views());
      window.resize(1280, 900);
      window.show();
      window.openReports({files()[1]});
      Monkey monkey(window, m_theme, files(), seed);
      for (int i = 0; i < (given ? wanted : kActions); ++i) monkey.act();
      // The last request wins, and every view still answers.
      QTRY_VERIFY_WITH_TIMEOUT(!window.isOpening(), 20000);
      QSignalSpy finished(&window, &shell::MainWindow::openFinished);
      window.openReports(files().mid(0, 2));
      QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20000);
      for (const auto& entry : window.views()) {
        window.showView(entry.id);
        QTRY_VERIFY_WITH_TIMEOUT(window.currentView() && !window.currentView()->isBusy(), 20000);
        QVERIFY2(!window.currentView()->verdict().isEmpty() || entry.id == "host", qPrintable(entry.id));
      }
    } // closed while jobs may still run
  }
};

TILESCOPE_TEST(MonkeyTest)
#include "monkey_test.moc"
