// The selection of the host view: a slice, an instant, or a step of the device.
#include "ui/parts/detail_panel.h"
#include "ui/parts/page.h"
#include "ui/parts/slice_browser.h"
#include "ui/parts/track_source.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/host/host_view.h"

#include <QTabWidget>

namespace ui::host {

using theme::messageText;
using theme::reportText;

void HostView::readInstant(int track, const plot::Slice& mark) {
  m_picked.reset();
  showPicked();
  const auto* source = m_browser->source();
  if (!m_host || !source) return;
  page().tabs()->setCurrentWidget(m_details);
  const shell::SliceNote note = source->note(mark.id);
  m_instantJob.start(
      [host = m_host, ref = note.ref](const std::stop_token&, reports::Progress&) {
        return host->reader().use(
            [&](analyser::host::HostTimeline& timeline) { return analyser::host::argumentsOf(timeline.details(ref)); });
      },
      [this, mark, note, thread = threadOf(source->trackId(track))](const Arguments& arguments) {
        showInstant({mark, note, thread, arguments});
      },
      [this](const reports::Error& error) { m_details->showProblem(messageText(error.what())); });
}

void HostView::showInstant(const PickedInstant& instant) {
  m_instant = instant;
  const plot::Slice& mark = instant.mark;
  std::vector<shell::Fact> facts{{tr("At"), format().nanoseconds(reports::Nanoseconds(mark.begin - m_host->range().begin)),
                                  theme::count(mark.begin) + QStringLiteral(" ns"), false},
                                 {tr("Channel"), m_host->channelName(instant.note.category), {}, false},
                                 {tr("Thread"), instant.thread, {}, false}};
  if (mark.count > 1) facts.push_back({tr("Drawn here"), theme::plural(mark.count, tr("instant"), tr("instants")), {}, false});
  m_details->show(tr("Instant: %1").arg(nameOf(instant)), facts);
  m_arguments->setArguments(instant.arguments);
  emit selectionTextChanged();
}

void HostView::showAbout(const About& about) {
  emit selectionTextChanged();
  m_arguments->setArguments(about.arguments);
  if (!m_host || !m_picked) return m_details->showHint();
  const auto& slice = m_picked->slice;
  const QString name = nameOf(slice);
  const auto time = [this](int64_t ns) { return format().nanoseconds(reports::Nanoseconds(ns)); };
  const auto exact = [](int64_t ns) { return theme::count(ns) + QStringLiteral(" ns"); };
  const auto& t = slice.ticks;
  const auto moment = [&](int64_t ns) {
    return theme::Format::moment(reports::Nanoseconds(ns - m_host->range().begin), reports::Nanoseconds(t.size()));
  };
  const auto* value = m_host->valueOf(m_picked->track);
  const shell::Fact channel{tr("Channel"), m_host->channelName(slice.category), {}, false},
      thread{tr("Thread"), threadOf(m_picked->track), {}, false}, depth{tr("Depth"), theme::count(slice.depth), {}, false};
  const QString title = m_picked->folded ? tr("Longest of the grouped slices: %1").arg(name) : name;
  if (value && !value->isInTime) { // a part of a profile is at no time
    const QString share = theme::percent(double(t.size()) / double(std::max<int64_t>(1, value->range.size())));
    return m_details->show(
        title, {{reportText(value->name), amountText(*value, t.size(), format()), exactText(*value, t.size(), format()), false},
                {tr("Share of the profile"), share, {}, false},
                channel,
                thread,
                depth});
  }
  std::vector<shell::Fact> facts{{tr("Duration"), time(t.size()), exact(t.size()), false},
                                 {tr("From"), moment(t.begin), exact(t.begin), false},
                                 {tr("To"), moment(t.end), exact(t.end), false},
                                 {tr("Share of the trace"),
                                  theme::percent(double(t.size()) / double(std::max<int64_t>(1, m_host->range().size()))),
                                  {},
                                  false},
                                 channel,
                                 thread,
                                 depth};
  if (value) {
    const QString events = theme::count(value->amountIn(m_picked->track, t));
    facts.insert(facts.begin(), {reportText(value->name), events, {}, false});
    facts[1].name = tr("Drawn over");
  }
  if (about.run)
    for (auto& fact : runFacts(*about.run, format())) facts.push_back(std::move(fact));
  m_details->show(title, facts);
}

void HostView::readStep(int track, int lane, const plot::Slice& mark) {
  m_picked.reset();
  showPicked();
  if (!rows()) return;
  page().tabs()->setCurrentWidget(m_details);
  m_stepJob.start(
      [host = m_host, id = rows()->trackId(track), lane, at = mark.begin + (mark.end - mark.begin) / 2](const std::stop_token&,
                                                                                                        reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          const auto* run = timeline.device().at(at);
          const auto slice = timeline.device().sliceAt(id, lane, at);
          return run && slice ? std::optional(DeviceStep{*run, *slice}) : std::nullopt;
        });
      },
      [this](const std::optional<DeviceStep>& step) {
        if (step) showStep(*step);
      },
      [this](const reports::Error& error) { m_details->showProblem(messageText(error.what())); });
}

void HostView::showStep(const DeviceStep& step) {
  m_step = step;
  m_details->show(nameOf(step.slice), stepFacts(step, m_host->range(), format()));
  emit selectionTextChanged();
}

QString HostView::nameOf(const analyser::trace::Slice& slice) const { return m_host->nameOf(slice.name); }

QString HostView::nameOf(const PickedInstant& instant) const {
  return instant.note.name.valid() ? m_host->nameOf(instant.note.name) : QString();
}

QString HostView::selectionText() const {
  QStringList parts;
  if (const auto range = m_browser->timeline().measured(); m_host && !range.empty()) {
    const auto moment = [&](int64_t tick) {
      return theme::Format::moment(reports::Nanoseconds(tick - m_host->range().begin), reports::Nanoseconds(range.size()));
    };
    if (const auto& timeline = m_browser->timeline(); timeline.tickFormat().amount)
      parts << tr("A–B: %1").arg(timeline.tickFormat().duration(range.size()));
    else
      parts << tr("A %1, B %2: %3 apart")
                   .arg(moment(range.begin), moment(range.end), format().nanoseconds(reports::Nanoseconds(range.size())));
  }
  if (const QString selected = selectedText(); !selected.isEmpty()) parts << selected;
  return parts.join(QStringLiteral("  ·  "));
}

QString HostView::selectedText() const {
  if (!m_host) return {};
  if (const auto* value = m_picked ? m_host->valueOf(m_picked->track) : nullptr) {
    const auto& slice = m_picked->slice;
    const int64_t amount = value->events ? value->amountIn(m_picked->track, slice.ticks) : slice.duration();
    return tr("%1: %2 %3").arg(nameOf(slice), amountText(*value, amount, format()), reportText(value->name));
  }
  if (m_picked)
    return tr("%1: %2").arg(nameOf(m_picked->slice), format().nanoseconds(reports::Nanoseconds(m_picked->slice.duration())));
  if (m_step)
    return tr("%1, %2: %3")
        .arg(shell::sliceTitle(m_step->link.name), nameOf(m_step->slice),
             format().cycles(reports::Cycles(m_step->slice.duration())));
  if (m_instant)
    return tr("%1: at %2")
        .arg(nameOf(*m_instant), format().nanoseconds(reports::Nanoseconds(m_instant->mark.begin - m_host->range().begin)));
  return {};
}

} // namespace ui::host
