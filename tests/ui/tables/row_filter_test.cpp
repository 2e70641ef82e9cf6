#include "tests/support/test_main.h"
#include "ui/tables/column_completer.h"
#include "ui/tables/row_filter.h"
#include "ui/tables/table_view.h"
#include "ui/theme/theme.h"

#include <QLineEdit>
#include <QTest>

using namespace ui::tables;

class RowFilterTest : public QObject {
  Q_OBJECT

  std::vector<Column> m_columns{{"name", "Name", Kind::Name},       {"bytes", "Bytes", Kind::Bytes},
                                {"cycles", "Cycles", Kind::Cycles}, {"until", "Live until", Kind::Count},
                                {"share", "Share", Kind::Percent},  {"took", "Took", Kind::Nanoseconds}};
  std::vector<Row> m_rows;

  // The ids of the rows that the filter keeps, as "1 3"; the problem if it has one.
  QString kept(const QString& text) const {
    const ui::theme::Format format({}, 1e9); // a cycle is a nanosecond
    const RowFilter filter(text, m_columns, format);
    if (!filter.problem().isEmpty()) return filter.problem();
    QStringList ids;
    for (const Row& row : m_rows)
      if (filter.isEmpty() || filter.matches(row)) ids.append(QString::number(row.id));
    return ids.join(' ');
  }

private slots:
  void initTestCase() {
    const auto add = [&](int64_t id, const char* name, Cell bytes, int64_t cycles, int64_t until, double share, int64_t took) {
      Row row;
      row.id = id;
      row.cells = {QString(name), bytes, cycles, until, share, took};
      m_rows.push_back(row);
    };
    add(1, "fwd/conv/weights", int64_t(2 << 20), 1500, 700, 0.5, 2'000'000);
    add(2, "fwd/conv/bias", int64_t(1 << 10), 900, 800, 0.25, 900);
    add(3, "vertex<float,1>", int64_t(1 << 20), 10, 800, 0.001, 0);
    add(4, "unknown or not", Cell(), 0, 740, 0, 5);
  }

  void conditionsKeepTheRowsForWhichTheyHold_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("expected");
    const std::pair<const char*, const char*> cases[] = {
        {"bytes > 1MiB", "1"},
        {"Bytes >= 1 MiB", "1 3"},
        {"bytes >= 1,048,576", "1 3"},
        {"bytes < 1e6", "2"}, // an unknown value is not small
        {"bytes > 1KiB and until > 740", "3"},
        {"bytes > 1MiB or until = 740", "1 4"},
        {"name ~ conv and until > 700 or name ~ unknown", "2 4"},
        {"Live until <= 740", "1 4"},
        {"\"Live until\" != 800", "1 4"},
        {"name = FWD/CONV/BIAS", "2"},
        {"name ~ \"or not\"", "4"}, // quoted: no "or"
        {"cycles > 1k", "1"},
        {"cycles >= 0.9us", "1 2"}, // of the machine's clock
        {"share > 10 %", "1 2"},
        {"share > 10", "1 2"},
        {"took > 1ms", "1"},
        {"took < 1µs", "2 3 4"},
        {"BYTES > 1kb AND share < 50%", "2 3"},
        // Words and expressions stay what they were.
        {"", "1 2 3 4"},
        {"conv weights", "1"},
        {"unknown or", "4"},
        {"/conv.*s$/", "1 2"},
        {"vertex<float", "3"},
        {"float,1>", "3"},
        {"batch=64", ""},
    };
    for (const auto& [typed, expected] : cases) QTest::newRow(typed) << QString::fromUtf8(typed) << QString::fromUtf8(expected);
  }
  void conditionsKeepTheRowsForWhichTheyHold() {
    QFETCH(QString, typed);
    QFETCH(QString, expected);
    QCOMPARE(kept(typed), expected);
  }

  void aFilterThatCannotHoldSaysWhy_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("part");
    const std::pair<const char*, const char*> cases[] = {{"byte > 1MiB", "No column is called “byte”: Name, Bytes, Cycles"},
                                                         {"bytes > 1 parsec", "“1 parsec” is not a number, but Bytes needs one"},
                                                         {"bytes > many", "“many” is not a number, but Bytes needs one"},
                                                         {"name > 3", "Name is text: use =, != or ~"},
                                                         {"share > 3 KiB", "“3 KiB” is not a number, but Share needs one"},
                                                         {"bytes > 1 and nme ~ w", "No column is called “nme”: Name"},
                                                         {"nme = w", "No column is called “nme”: Name"},
                                                         {"bytes > 1 or weights", "“weights” is not a condition"},
                                                         {"/(/", "Not a regular expression"}};
    for (const auto& [typed, part] : cases) QTest::newRow(typed) << QString(typed) << QString::fromUtf8(part);
  }
  void aFilterThatCannotHoldSaysWhy() {
    QFETCH(QString, typed);
    QFETCH(QString, part);
    QVERIFY2(kept(typed).startsWith(part), qPrintable(kept(typed)));
    const ui::theme::Format format;
    QVERIFY(!RowFilter(typed, m_columns, format).isEmpty() && !RowFilter(typed, m_columns, format).matches(m_rows[0]));
  }

  // "Only rows with this value" of a row's menu.
  void aCellIsAConditionOfItsOwn() {
    const ui::theme::Format format({}, 1e9);
    for (std::size_t c = 0; c < m_columns.size(); ++c)
      for (const Row& row : m_rows) {
        const QString condition = conditionOn(m_columns[c], row.cells[c], m_columns[c].kind);
        QStringList same;
        for (const Row& other : m_rows)
          if (other.cells[c] == row.cells[c]) same.append(QString::number(other.id));
        if (row.cells[c] == Cell())
          QVERIFY(condition.isEmpty());
        else
          QVERIFY2(kept(condition) == same.join(' '), qPrintable(condition));
      }
    const auto with = [&](const QString& typed) { return withCondition(typed, "until = \"800\"", m_columns, format); };
    QCOMPARE(kept(with("bytes > 1KiB or name ~ bias")), QString("2 3")); // each alternative gets it
    QCOMPARE(with("bytes > 1KiB"), QString("bytes > 1KiB and until = \"800\""));
    for (const char* words : {"", "conv", "batch=17", "/x=1/", "byte > 1MiB"}) QCOMPARE(with(words), QString("until = \"800\""));
    for (const double share : {0.1, 1.0 / 3, 0.07, 1e-9, 0.1 + 0.2}) {
      const QString condition = conditionOn(m_columns[4], share, Kind::Percent);
      Row row;
      row.cells = {QString(), Cell(), Cell(), Cell(), share, Cell()};
      QVERIFY2(RowFilter(condition, m_columns, format).matches(row), qPrintable(condition));
    }
    QCOMPARE(conditionOn({"count(*)", "count(*)", Kind::Count}, int64_t(3), Kind::Count), QString("\"count(*)\" = \"3\""));
  }

  // An expression for which matching by trial takes hours; a link may carry it.
  void anyExpressionEnds() {
    const TypedPattern pattern(QStringLiteral("^([\\w-]+\\/?)+[#!]"));
    QVERIFY(pattern.problem().isEmpty());
    const QString name = QStringLiteral("encoder/layer7/attention/").repeated(40);
    for (int row = 0; row < 10'000; ++row) QVERIFY(!pattern.matches(name));
    QVERIFY(pattern.matches(name + '!'));
    QVERIFY(TypedPattern("GRÖSSE").matches(QStringLiteral("die größse") + "Grösse"));
    QVERIFY(!TypedPattern("(?=a)").problem().isEmpty() && !TypedPattern("(?=a)").matches(QString("a")));
  }

  void namesOfColumnsAreCompleted() {
    QCOMPARE(columnBeginning("by"), QString("by"));
    QCOMPARE(columnBeginning("bytes > 1MiB and un"), QString("un"));
    QCOMPARE(columnBeginning("bytes > 1"), QString());
    QCOMPARE(columnBeginning("/by"), QString());
    ui::theme::Theme theme;
    FilteredTable table(theme, "Rows");
    auto rows = std::make_shared<Table>();
    rows->columns = m_columns;
    rows->rows = m_rows;
    table.setTable(rows);
    auto* completer = qobject_cast<ColumnCompleter*>(table.filter().completer());
    QVERIFY(completer);
    const auto offered = [&](const QString& typed) {
      table.filter().setText(typed);
      completer->setCompletionPrefix(completer->splitPath(typed).value(0));
      QStringList list;
      for (int i = 0; completer->setCurrentRow(i); ++i) list.append(completer->currentCompletion());
      return list;
    };
    QCOMPARE(offered("bytes > 1MiB and li"), QStringList{"bytes > 1MiB and Live until "});
    QCOMPARE(offered("b"), QStringList());
  }
};

TILESCOPE_TEST(RowFilterTest)
#include "row_filter_test.moc"
