// The result of a query and the schema of reports as the rows of tables.
#pragma once

#include "analyser/query/query.h"
#include "ui/tables/table.h"

#include <memory>

namespace ui::query {

// Numbers get the unit that ends their column's name: _bytes, _cycles, _nanoseconds.
std::shared_ptr<const tables::Table> resultTable(const analyser::query::Result& result, const std::string& sql = {});
// Tables with their columns below them. A row's id is its index.
std::shared_ptr<const tables::Tree> schemaTree(const std::vector<analyser::query::SchemaTable>& tables);

} // namespace ui::query
