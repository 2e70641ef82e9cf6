// The options of `tilescope-cli run` that have a field, in the groups of the form.
#pragma once

#include <QJsonArray>
#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>

#include <utility>

namespace ui::shell {

// The groups are in the order of use.
enum class OptionGroup { Ipus, Model, Memory, Engine };
inline constexpr OptionGroup kOptionGroups[] = {OptionGroup::Ipus, OptionGroup::Model, OptionGroup::Memory, OptionGroup::Engine};
QString optionGroupTitle(OptionGroup group);

// The options of a group as ParameterList takes them: name without --, default, meaning, choices.
QJsonArray optionParameters(OptionGroup group);
// Moves the options of all groups out of `options`, by name without --. A repeatable option is one value: its words quoted as in a
// shell, separated by spaces, or by commas if the option takes these.
QMap<QString, QString> takeOptions(QStringList& options);
QMap<QString, QString> ofGroup(const QMap<QString, QString>& values, OptionGroup group);
// The command line words for values that differ from their default: that in `defaults`, else that of `run`.
QStringList optionArguments(const QList<std::pair<QString, QString>>& values, const QMap<QString, QString>& defaults = {});
// Why runs reject the value of an option, whose name is without --; empty if it may be valid.
QString optionProblem(const QString& name, const QString& value);
// The options that a sweep may vary, with their --: those of the groups and those with a field of their own, such as --machine.
QStringList sweptOptions();
// The values that an option of sweptOptions() may have; empty: any. A switch has true and false.
QStringList valuesOfOption(const QString& name, const QStringList& machines);
// Why a sweep rejects an option with this value, both as typed. `machines`: the known names; empty: any name may be valid.
QString sweptOptionProblem(const QString& name, const QString& value, const QStringList& machines);
// Why a sweep rejects a value of a sample's parameter: if its default is a number, a value must be a number or a word from its
// text.
QString parameterProblem(const QString& name, const QString& standard, const QString& text, const QString& value);

} // namespace ui::shell
