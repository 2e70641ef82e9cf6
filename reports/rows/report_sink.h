// Receives the rows of a report. The simulator and importers write to it; the SQLite writer and the tests' collector implement
// it. Rows of a table come in primary-key order if it has a key.
#pragma once

#include "reports/rows/tables.h"

namespace reports {

template<class Row> class RowReceiver {
public:
  virtual ~RowReceiver() = default;
  virtual void add(const Row& row) = 0;
};

template<class List> class RowReceivers;
template<class... Rows> class RowReceivers<TypeList<Rows...>> : public RowReceiver<Rows>... {
public:
  using RowReceiver<Rows>::add...;
};

// sink.add(MachineRow{…}) and so on for every row type of tables.h. A sink numbers report_issue rows itself, in order of arrival:
// several parts of a program report issues without agreeing on ids.
using ReportSink = RowReceivers<AllTables>;

// Implements all add() functions by one template: Derived has `template<class Row> void receive(const Row&)`.
template<class Derived, class... Rows> class ForwardingSinkChain;
template<class Derived> class ForwardingSinkChain<Derived> : public ReportSink {
public:
  using ReportSink::add;
};
template<class Derived, class Row, class... Rest>
class ForwardingSinkChain<Derived, Row, Rest...> : public ForwardingSinkChain<Derived, Rest...> {
public:
  using ForwardingSinkChain<Derived, Rest...>::add;
  void add(const Row& row) override { static_cast<Derived*>(this)->receive(row); }
};
template<class Derived, class List> struct ForwardingSinkOf;
template<class Derived, class... Rows> struct ForwardingSinkOf<Derived, TypeList<Rows...>> {
  using Type = ForwardingSinkChain<Derived, Rows...>;
};
template<class Derived> using ForwardingSink = typename ForwardingSinkOf<Derived, AllTables>::Type;

} // namespace reports
