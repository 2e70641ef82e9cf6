// Folders of another computer in the window. A script replaces tilescope-cli here; the tests of the command line use a real sshd.
#include "ui/window/remote_sheet.h"

#include "tests/support/test_main.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/theme.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui::shell;

namespace {

// Answers `fetch ADDRESS --list --json …`; the list of /data names the times it was asked.
const char* const kScript =
    "#!/bin/sh\n"
    "case \"$2\" in\n"
    "ssh://host/~/) echo "
    "'[{\"name\":\"x.tsr\",\"address\":\"ssh://host/~/x.tsr\",\"kind\":\"file\",\"bytes\":1,\"modified\":\"Nov 1 10:00\"}]' ;;\n"
    "ssh://host/data) echo asked >> \"$0.log\"\n"
    "  echo '[{\"name\":\"b.json\",\"address\":\"ssh://host/data/b.json\",\"kind\":\"file\",\"bytes\":2048,\"modified\":\"Nov 2 "
    "11:00\"},\n"
    "         {\"name\":\"link\",\"address\":\"ssh://host/data/link\",\"kind\":\"link\",\"bytes\":4,\"modified\":\"Nov 2 "
    "11:00\"},\n"
    "         {\"name\":\"runs\",\"address\":\"ssh://host/data/runs\",\"kind\":\"folder\",\"bytes\":4096,\"modified\":\"Nov 3 "
    "12:00\"}]' ;;\n"
    "ssh://host/data/runs) echo '[]' ;;\n"
    "ssh://host/data/link) echo "
    "'[{\"name\":\"link\",\"address\":\"ssh://host/data/link\",\"kind\":\"link\",\"bytes\":4,\"modified\":\"\"}]' ;;\n"
    "*) echo \"tilescope-cli: Permission denied (publickey): $2; try: ssh host\" >&2; exit 2 ;;\n"
    "esac\n";

} // namespace

class RemoteSheetTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  ui::theme::Theme m_theme;

  struct World {
    QWidget window;
    RemoteSheet sheet;
    QSignalSpy chosen;
    QLineEdit& address;
    ui::tables::TableView& table;

    explicit World(const ui::theme::Theme& theme)
        : sheet(theme, &window), chosen(&sheet, &RemoteSheet::chosen), address(*sheet.findChild<QLineEdit*>()),
          table(*sheet.findChild<ui::tables::TableView*>()) {
      window.resize(1024, 700);
      window.show();
    }
    QPushButton* button(const QString& text) const {
      for (QPushButton* one : sheet.findChildren<QPushButton*>())
        if (one->text() == text) return one;
      return nullptr;
    }
    QStringList names() const {
      QStringList all;
      if (const auto rows = table.rows().table())
        for (const auto& row : rows->rows) all << std::get<QString>(row.cells[0]);
      return all;
    }
    bool shows(const QStringList& wanted) const {
      return QTest::qWaitFor([&] { return names() == wanted && address.text().startsWith("ssh://"); });
    }
    bool says(const QString& words) const {
      return QTest::qWaitFor([&] {
        for (const QLabel* label : sheet.findChildren<QLabel*>())
          if (label->text().contains(words)) return true;
        return false;
      });
    }
    void type(const QString& place) {
      address.setText(place);
      QTest::keyClick(&address, Qt::Key_Return);
    }
  };

private slots:
  void initTestCase() {
    QFile script(m_folder.filePath("cli"));
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write(kScript);
    script.close();
    QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    qputenv("TILESCOPE_CLI", script.fileName().toUtf8());
  }
  void cleanupTestCase() { qunsetenv("TILESCOPE_CLI"); }

  void foldersAreEnteredAndLeft() {
    World world(m_theme);
    world.sheet.open({});
    QVERIFY(world.sheet.isVisible() && !world.button("Up")->isEnabled() && !world.button("Refresh")->isEnabled());
    world.type("host"); // a host alone is its home folder
    QVERIFY(world.shows({"x.tsr"}));
    QCOMPARE(world.address.text(), QString("ssh://host/~/"));
    world.type("ssh://host/data");
    QVERIFY(world.shows({"runs/", "b.json", "link"})); // folders first
    QVERIFY(world.says(ui::theme::plural(2, "file", "files")));
    QCOMPARE(std::get<int64_t>(world.table.rows().table()->rows[1].cells[1]), int64_t(2048));
    emit world.table.idActivated(0);
    QVERIFY(world.shows({}));
    QCOMPARE(world.address.text(), QString("ssh://host/data/runs"));
    QVERIFY(QTest::qWaitFor([&] { return world.button("Up")->isEnabled(); }));
    world.button("Up")->click();
    QVERIFY(world.shows({"runs/", "b.json", "link"}));
    world.button("Refresh")->click();
    QVERIFY(QTest::qWaitFor([&] {
      QFile log(m_folder.filePath("cli.log"));
      return log.open(QIODevice::ReadOnly) && log.readAll().count("asked") == 3;
    }));
    QCOMPARE(world.chosen.count(), 0);
    QTest::keyClick(&world.sheet, Qt::Key_Escape);
    QVERIFY(!world.sheet.isVisible());
  }

  void filesAreOpened() {
    World world(m_theme);
    world.sheet.open("ssh://host/data");
    QVERIFY(world.shows({"runs/", "b.json", "link"}));
    emit world.table.idActivated(1); // row ids count the sorted entries
    QCOMPARE(world.chosen.takeFirst().at(0).toString(), QString("ssh://host/data/b.json"));
    QVERIFY(!world.sheet.isVisible());
    world.sheet.open({}); // where it was
    QVERIFY(world.shows({"runs/", "b.json", "link"}));
    emit world.table.idActivated(2); // this link leads to a file
    QVERIFY(QTest::qWaitFor([&] { return world.chosen.count() == 1; }));
    QCOMPARE(world.chosen.takeFirst().at(0).toString(), QString("ssh://host/data/link"));
  }

  // The message of ssh stays readable, and the list before stays usable.
  void errorsAreSaid() {
    World world(m_theme);
    world.sheet.open("ssh://host/data");
    QVERIFY(world.shows({"runs/", "b.json", "link"}));
    world.type("ssh://other/x");
    QVERIFY(world.says("Permission denied (publickey): ssh://other/x; try: ssh host"));
    QVERIFY(world.says("ssh://host/data"));
    QVERIFY(world.shows({"runs/", "b.json", "link"}));
  }

  void addresses() {
    QCOMPARE(remoteAddress(" ann@host:2222 "), QString("ssh://ann@host:2222/~/"));
    QCOMPARE(remoteAddress("host/data"), QString("ssh://host/data"));
    QCOMPARE(remoteAddress(""), QString());
    QCOMPARE(remoteParent("ssh://host/a/b/"), QString("ssh://host/a"));
    QCOMPARE(remoteParent("ssh://host/a"), QString("ssh://host/"));
    QCOMPARE(remoteParent("ssh://host/"), QString("ssh://host/"));
    QCOMPARE(remoteParent("ssh://host/~/runs"), QString("ssh://host/~/"));
    QCOMPARE(remoteParent("ssh://host/~/"), QString("ssh://host/"));
  }
};

TILESCOPE_TEST(RemoteSheetTest)
#include "remote_sheet_test.moc"
