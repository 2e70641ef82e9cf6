#include "ui/theme/elide.h"

#include <QFontMetrics>
#include <QStringList>

#include <algorithm>
#include <vector>

namespace ui::theme {

namespace {

// "layer10", "block 3": the part that distinguishes equal layers.
bool endsInNumber(const QString& part) { return !part.isEmpty() && part.back().isDigit(); }

// If a later part ends in a number, the first part is the name of the model: "resnet50" of "resnet50/stage3/conv" is not a layer.
bool tellsLayer(const QStringList& parts, qsizetype part) {
  return endsInNumber(parts[part]) && (part > 0 || std::none_of(parts.begin() + 1, parts.end(), endsInNumber));
}

// Joins the kept parts, with one "…" for each run of dropped ones.
QString joinKept(const QStringList& parts, const std::vector<bool>& kept) {
  QStringList shown;
  for (qsizetype i = 0; i < parts.size(); ++i) {
    if (kept[std::size_t(i)])
      shown.append(parts[i]);
    else if (i == 0 || kept[std::size_t(i - 1)])
      shown.append(QString(QChar(0x2026)));
  }
  return shown.join('/');
}

// The parts of "OnTileExecute · net/layer3/add #412": the kind, the path, which may be elided, and the number that makes it unique.
struct StepWords {
  QString kind, path, number;
};
StepWords wordsOfStep(const QString& text) {
  constexpr qsizetype kLongestKind = 24; // letters
  const qsizetype dot = text.indexOf(QStringLiteral(" \u00b7 "));
  if (dot < 1 || dot > kLongestKind) return {};
  StepWords words{text.left(dot + 3), text.mid(dot + 3), {}};
  for (const QString& sign : {QStringLiteral(" #"), QStringLiteral(" \u00d7 ")}) // number of the step; number of its repeats
    if (const qsizetype at = words.path.lastIndexOf(sign); at > 0 && words.path.size() - at < kLongestKind)
      words.number = words.path.mid(at) + words.number, words.path.truncate(at);
  return words;
}

// The path of the kept parts plus as many letters of `part` as fit; empty if only few fit.
QString withLettersOf(qsizetype part, QStringList parts, std::vector<bool> kept,
                      const std::function<bool(const QString&)>& fits) {
  constexpr qsizetype kFewest = 3, kMostLetters = 256;
  kept[std::size_t(part)] = true;
  const QString whole = parts[part];
  const auto withSome = [&](qsizetype letters) {
    parts[part] = whole.left(letters) + QChar(0x2026);
    return joinKept(parts, kept);
  };
  qsizetype fitting = kFewest - 1, tooMany = std::min(whole.size() - 1, kMostLetters);
  while (tooMany - fitting > 1) {
    const qsizetype letters = (fitting + tooMany) / 2;
    (fits(withSome(letters)) ? fitting : tooMany) = letters;
  }
  return fitting >= kFewest ? withSome(fitting) : QString();
}

// Adds letters of the last dropped part, to distinguish equal names: "…/block0/sho…/conv" and "…/block0/spa…/conv".
QString withLetters(const QStringList& parts, const std::vector<bool>& kept, const std::function<bool(const QString&)>& fits) {
  QString shown;
  for (qsizetype part = parts.size(); part-- > 1;)
    if (!kept[std::size_t(part)]) {
      shown = withLettersOf(part, parts, kept, fits);
      break;
    }
  return shown.isEmpty() ? joinKept(parts, kept) : shown;
}

// All parts that end in a number and letters of the last part, "…/stage4/block0/…/Con…"; empty if few fit.
QString withShortEnd(const QStringList& parts, const std::function<bool(const QString&)>& fits) {
  std::vector<bool> numbers;
  for (qsizetype part = 0; part < parts.size(); ++part) numbers.push_back(tellsLayer(parts, part));
  return withLettersOf(parts.size() - 1, parts, std::move(numbers), fits);
}

} // namespace

QString endOfPath(const QFontMetrics& metrics, const QString& path, int width) {
  if (path.size() < 2) return path;
  QString shown = path.mid(path.lastIndexOf('/', -2) + 1); // a slash at the very end separates nothing
  while (shown.size() < path.size()) {
    const qsizetype slash = path.size() - shown.size() - 1;
    const QString longer = slash == 0 ? path : path.mid(path.lastIndexOf('/', slash - 1) + 1);
    if (metrics.horizontalAdvance(longer) > width) break;
    shown = longer;
  }
  return shown;
}

namespace {

// "dumps (/usr/lib/json/__init__.py:183)" or "json/__init__.py(183): dumps": a function and the location of its code.
struct FunctionWords {
  QString function, place;
  bool isPlaceFirst = false;
};
FunctionWords functionAndPlace(const QString& name) {
  constexpr qsizetype kLongest = 4096; // letters of a name worth looking at
  if (name.size() > kLongest) return {};
  if (const qsizetype open = name.lastIndexOf(QStringLiteral(" (")); open > 0 && name.endsWith(')')) {
    const QString place = name.mid(open + 2, name.size() - open - 3);
    if (place.contains('/') || place.contains(QStringLiteral(".py:")) || place.contains('\\')) return {name.left(open), place};
  }
  const qsizetype colon = name.indexOf(QStringLiteral("): "));
  const qsizetype open = colon < 0 ? -1 : name.lastIndexOf('(', colon);
  if (open <= 0 || colon - open < 2) return {};
  for (qsizetype i = open + 1; i < colon; ++i)
    if (!name[i].isDigit()) return {};
  return {name.mid(colon + 3), name.left(colon + 1), true};
}

// The last parts of a path behind "…/" that fit; at least its last part.
QString endOfPlace(const QString& place, const std::function<bool(const QString&)>& fits) {
  QString best = place.mid(place.lastIndexOf('/') + 1);
  for (qsizetype slash = place.lastIndexOf('/'); slash > 0;) {
    slash = place.lastIndexOf('/', slash - 1);
    const QString longer = place.mid(slash + 1);
    if (!fits(QStringLiteral("\u2026/") + longer)) break;
    best = longer;
  }
  return best.size() == place.size() ? best : QStringLiteral("\u2026/") + best;
}

// Shortens "ns::Conv<a::b>::run(int)" to its last names that fit after "…::", at least the last one; empty if the name has no
// scopes.
QString withoutScopes(const QString& name, const std::function<bool(const QString&)>& fits) {
  int depth = 0;
  QString best;
  for (qsizetype i = name.size() - 1; i > 0; --i) {
    const QChar c = name[i];
    if (c == ')' || c == '>' || c == '}') ++depth;
    if (c == '(' || c == '<' || c == '{') --depth;
    if (depth != 0 || c != ':' || name[i - 1] != ':') continue;
    const QString shorter = name.mid(i + 1);
    if (!best.isEmpty() && !fits(QStringLiteral("\u2026::") + shorter)) break;
    best = shorter;
    --i;
  }
  if (best.isEmpty()) return {};
  const QString marked = QStringLiteral("\u2026::") + best;
  return fits(marked) ? marked : best;
}

} // namespace

QString functionThatFits(const QFontMetrics& metrics, const QString& name, int width) {
  const auto fits = [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; };
  if (fits(name)) return name;
  if (const FunctionWords words = functionAndPlace(name); !words.function.isEmpty()) {
    const auto joined = [&](const QString& place) {
      return words.isPlaceFirst ? QStringLiteral("%1: %2").arg(place, words.function)
                                : QStringLiteral("%1 (%2)").arg(words.function, place);
    };
    const QString both = joined(endOfPlace(words.place, [&](const QString& place) { return fits(joined(place)); }));
    return fits(both) ? both : metrics.elidedText(words.function, Qt::ElideRight, width);
  }
  if (const QString function = withoutScopes(name, fits); !function.isEmpty())
    return metrics.elidedText(function, Qt::ElideRight, width);
  return endOfPath(metrics, name, width);
}

QString pathWithoutMiddle(const QString& text, const std::function<bool(const QString&)>& fits) {
  const QStringList parts = text.split('/');
  const auto count = std::size_t(parts.size());
  constexpr std::size_t kMostParts = 64; // parts of a real name; a damaged one has thousands
  if (count < 3 || count > kMostParts) return {};
  std::vector<bool> kept(count, false);
  const auto keep = [&](std::size_t part) {
    if (kept[part]) return true;
    kept[part] = true;
    const QString shown = joinKept(parts, kept);
    kept[part] = shown != text && fits(shown);
    return bool(kept[part]);
  };
  // The end of a path is the most specific part. The numbers of its layers come next: without them equal layers have one name.
  // The first part, which all names of a program share, is kept last.
  if (!keep(count - 1)) return {};
  bool hasAllNumbers = true;
  for (std::size_t part = count - 1; part-- > 0;)
    if (tellsLayer(parts, qsizetype(part))) hasAllNumbers &= keep(part);
  // If the numbers do not all fit beside a whole end, the end is shortened.
  if (!hasAllNumbers)
    if (const QString shown = withShortEnd(parts, fits); !shown.isEmpty()) return shown;
  for (std::size_t part = count - 1; part-- > 1;)
    if (!keep(part)) break;
  for (std::size_t part = 0; part + 1 < count; ++part)
    if (!keep(part)) break;
  return withLetters(parts, kept, fits);
}

namespace {
QString elidedPath(const QFontMetrics& metrics, const QString& text, int width) {
  const auto fits = [&](const QString& t) { return metrics.horizontalAdvance(t) <= width; };
  if (fits(text)) return text;
  if (text.endsWith('.') && text.contains(' ')) return metrics.elidedText(text, Qt::ElideRight, width);
  const QString path = pathWithoutMiddle(text, fits);
  return path.isEmpty() ? metrics.elidedText(text, Qt::ElideMiddle, width) : path;
}
} // namespace

QString elided(const QFontMetrics& metrics, const QString& text, int width) {
  if (metrics.horizontalAdvance(text) <= width) return text;
  if (!functionAndPlace(text).function.isEmpty()) return functionThatFits(metrics, text, width);
  const StepWords step = wordsOfStep(text);
  if (step.path.isEmpty()) return elidedPath(metrics, text, width);
  const int left = width - metrics.horizontalAdvance(step.kind) - metrics.horizontalAdvance(step.number);
  if (left > width / 3) return step.kind + elidedPath(metrics, step.path, left) + step.number;
  return elidedPath(metrics, step.path + step.number, width); // the swatch before it also shows the kind
}

} // namespace ui::theme
