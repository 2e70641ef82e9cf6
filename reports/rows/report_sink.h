// Receives the rows of a report. The simulator and importers write to it; the SQLite writer and the tests' collector implement
// it. Rows of a table come in primary-key order if it has a key. Only one function is virtual: one for each table made compilers
// emit thousands of functions for every sink.
#pragma once

#include "reports/rows/tables.h"

#include <array>

namespace reports {

// sink.add(MachineRow{…}) and so on for every row type of tables.h. A sink numbers report_issue rows itself, in order of arrival:
// several parts of a program report issues without agreeing on ids.
class ReportSink {
public:
  virtual ~ReportSink() = default;
  template<class Row> void add(const Row& row) { take(kTableNumber<Row>, &row); }

private:
  virtual void take(std::size_t table, const void* row) = 0; // `row` is a row of that table
};

// Gives each row its type back: Derived has `template<class Row> void receive(const Row&)`.
template<class Derived> class ForwardingSink : public ReportSink {
private:
  using Receiver = void (*)(Derived& to, const void* row);
  template<class Row> static void receiveAs(Derived& to, const void* row) { to.receive(*static_cast<const Row*>(row)); }
  template<class... Rows> static constexpr std::array<Receiver, sizeof...(Rows)> receivers(TypeList<Rows...>) {
    return {&receiveAs<Rows>...};
  }
  void take(std::size_t table, const void* row) final {
    static constexpr auto kReceivers = receivers(AllTables{});
    kReceivers[table](static_cast<Derived&>(*this), row);
  }
};

} // namespace reports
