// The texts of the summary page: titles for keys of a report's metadata, short names for tiles and operations. Parameters of the workload
// ("parameter.batch"), tags of the run ("tag.commit") and results of passes ("pass.gelu") are shown in separate cards.
#pragma once

#include "analyser/operations/ipu_layers.h"
#include "analyser/summary/summary.h"
#include "ui/parts/fact_list.h"
#include "ui/theme/format.h"

#include <QString>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ui::summary {

// "created_utc" is "Made"; keys of other tools are unchanged except for underscores.
QString metadataTitle(const std::string& key);
QString metadataText(const std::string& key, const std::string& value);
// "batch" of "parameter.batch".
std::optional<QString> parameterName(const std::string& key);
// "commit" of "tag.commit".
std::optional<QString> tagName(const std::string& key);
// Whether the 0 of a parameter means that a preset or an option of the run sets it: "layers 0" would mislead.
bool isLeftToOthers(const std::string& key, const std::string& value);
// The displayed name of a run: the span "step #0" is shown as "Engine::run #0".
QString runTitle(const std::string& name);
// Reports of other tools may hold empty names and values: rows without a value are removed.
void removeEmpty(std::vector<shell::Fact>& facts);
// Cuts a list of facts that is too long to read, and says so.
void boundFacts(std::vector<shell::Fact>& facts, const QString& table);
// Metadata that the card shows in another form, or that only readers of the file need.
bool isOfTheFile(const std::string& key);
bool isPass(const std::string& key);
// The placement and batching of the program: stages, micro-batches, recomputation, offload.
bool isOfTheRun(const std::string& key);
// "33 conv-activation, 53 conv-batch-norm"; "nothing" if no pass changed the graph; empty if the report does not list passes.
QString firedPasses(const analyser::summary::Summary& summary);
// Whether the program fits, and how long its runs take.
analyser::Sentence verdictWithTime(const analyser::summary::Summary& summary);
// Facts about the program: workload, runs, placement and batching.
std::vector<shell::Fact> programFacts(const analyser::summary::Summary& summary, const theme::Format& format);
// The cut of the model over IPUs: which layers are on each; empty if all are on one IPU or split over all of them.
using LayersByIpu = std::map<reports::IpuId, std::vector<std::string>>;
std::vector<shell::Fact> cutFacts(const LayersByIpu& layers);
// The data sheet of the machine: its sizes, and each peak with the share that the run uses of it.
std::vector<shell::Fact> machineFacts(const analyser::summary::Summary& summary, const theme::Format& format);
// "Tile 1 480, IPU 1".
QString tileTitle(const analyser::Machine& machine, reports::TileId tile);

} // namespace ui::summary
