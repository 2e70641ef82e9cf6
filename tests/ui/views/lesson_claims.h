// What the lessons of the samples say, as queries of the report of the default run.
#pragma once

namespace tests {

// The claim of a step as a query of the report of the default run; its answer is 1.
struct Claim {
  const char* sample;
  int step; // from 1
  const char* sql;
};

#define OP_CYCLES "sum(compute_cycles + exchange_cycles + sync_cycles + host_cycles)"
#define OF_OPERATIONS(condition) "(SELECT " OP_CYCLES " FROM operation WHERE " condition ")"
#define COSTLIEST(position)                                                                                                      \
  "(SELECT name FROM operation ORDER BY compute_cycles + exchange_cycles + sync_cycles + host_cycles DESC LIMIT 1 "              \
  "OFFSET " #position ")"
#define OF_STEPS(condition) "(SELECT sum(cycles) FROM execution_step WHERE " condition ")"
#define CATEGORY(name) "(SELECT sum(value) FROM tile_value WHERE series = 'memory.category." name "')"
#define BYTES(condition) "(SELECT sum(total_bytes) FROM variable WHERE " condition ")"
#define AT_PEAK                                                                                                                  \
  "FROM variable_lifetime, (SELECT peak_step AS p FROM liveness_curve WHERE scope = 'all') WHERE first_step <= p AND end_step "  \
  "> p"
#define PEAK_STEP                                                                                                                \
  "(SELECT text(s.name_id) FROM liveness_curve c JOIN liveness_step s ON s.ordinal = c.peak_step WHERE c.scope = 'all')"
// The largest variable at the peak that is not always live.
#define LARGEST_AT_PEAK                                                                                                          \
  "(SELECT name " AT_PEAK " AND name IN (SELECT text(name_id) FROM variable WHERE always_live = 0) ORDER BY bytes DESC LIMIT 1)"

inline constexpr Claim kClaims[] = {
    {"mnist-train", 1,
     "SELECT " CATEGORY("vertexCode") " + " CATEGORY("internalExchangeCode") " + " CATEGORY("controlCode") " > " CATEGORY(
         "variable")},
    {"mnist-train", 2, "SELECT " PEAK_STEP " LIKE '%/bwd/%/Convolve'"},
    {"mnist-train", 2, "SELECT count(*) > 0 " AT_PEAK " AND name LIKE '%/fwd/%/out'"},
    {"mnist-train", 3, "SELECT " OF_OPERATIONS("name LIKE '%/bwd/%'") " > " OF_OPERATIONS("name LIKE '%/fwd/%'")},
    {"mnist-train", 3, "SELECT " OF_OPERATIONS("name LIKE '%/wu/%'") " * 5 < " OF_OPERATIONS("name LIKE '%/fwd/%'")},
    {"matmul", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'Sync'"},
    {"matmul", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'OnTileExecute'"},
    {"matmul", 2, "SELECT " OF_STEPS("kind = 'OnTileExecute'") " > 2 * " OF_STEPS("kind = 'DoExchange'")},
    {"matmul", 3, "SELECT " BYTES("text(name_id) LIKE '%/in'") " > " BYTES("memory_category_name(category) = 'variable'")},
    {"matmul", 4, "SELECT count(*) = 1 FROM variable_lifetime WHERE name LIKE '%/matmul/in' AND end_step - first_step = 2"},
    {"matmul", 4, "SELECT " PEAK_STEP " LIKE '%/Convolve'"},
    {"bert-pipeline", 4,
     "SELECT (SELECT sum(value) FROM tile_value WHERE series = 'memory.total' AND tile < 1472) > max(bytes) FROM (SELECT "
     "sum(value) AS bytes FROM tile_value WHERE series = 'memory.total' AND tile >= 1472 GROUP BY tile / 1472)"},
    {"bert-pipeline", 4,
     "SELECT " BYTES("text(name_id) LIKE '%/stash/layer1/feedForward/up%'") " > " BYTES(
         "text(name_id) LIKE '%/stash/layer3/feedForward/up%'")},
    {"attention", 1, "SELECT " OF_OPERATIONS("kind = 'Softmax'") " > " OF_OPERATIONS("kind = 'Gemm'")},
    {"attention", 1,
     "SELECT 10 * sum(CASE WHEN kind = 'Softmax' THEN flops END) < sum(CASE WHEN kind = 'Gemm' THEN flops END) "
     "FROM operation"},
    {"attention", 3, "SELECT " LARGEST_AT_PEAK " LIKE '%/matmul/in'"},
    {"heat", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'DoExchange'"},
    {"heat", 2, "SELECT " OF_STEPS("kind = 'OnTileExecute'") " > 3 * " OF_STEPS("kind = 'DoExchange'")},
    {"heat", 4, "SELECT " CATEGORY("vertexCode") " > " CATEGORY("variable")},
    {"offload", 1, "SELECT " OF_OPERATIONS("kind = 'AdamUpdate'") " > " OF_OPERATIONS("kind = 'Gemm'")},
    {"offload", 2, "SELECT " BYTES("text(name_id) LIKE '%.weight/%Moment'") " = 2 * " BYTES("text(name_id) LIKE '%.weight'")},
    {"offload", 3, "SELECT min(always_live) = 1 FROM variable WHERE text(name_id) LIKE '%Moment'"},
    {"data-parallel", 1, "SELECT " OF_OPERATIONS("kind = 'AllReduce'") " > " OF_OPERATIONS("kind <> 'AllReduce'")},
    {"data-parallel", 4,
     "SELECT " BYTES("always_live = 1 AND text(name_id) LIKE '%Moment'") " > " BYTES(
         "always_live = 1 AND text(name_id) LIKE '%.weight'")},
    {"resnet50", 1, "SELECT " COSTLIEST(0) " LIKE '%/stem/conv'"},
    {"resnet50", 2, "SELECT " OF_OPERATIONS("kind = 'Conv'") " > " OF_OPERATIONS("kind <> 'Conv'")},
    {"resnet50", 2, "SELECT sum(flops) > 0.98 * (SELECT sum(flops) FROM operation) FROM operation WHERE kind = 'Conv'"},
    {"resnet50", 3,
     "SELECT min(spatial > others) = 1 AND count(*) = 4 FROM (SELECT substr(name, instr(name, '/stage'), 7) AS stage, sum(CASE "
     "WHEN "
     "name LIKE '%/spatial/%' THEN flops END) * 1.0 / sum(CASE WHEN name LIKE '%/spatial/%' THEN compute_cycles + "
     "exchange_cycles + "
     "sync_cycles END) AS spatial, sum(CASE WHEN name NOT LIKE '%/spatial/%' THEN flops END) * 1.0 / sum(CASE WHEN name NOT LIKE "
     "'%/spatial/%' THEN compute_cycles + exchange_cycles + sync_cycles END) AS others FROM operation WHERE kind = 'Conv' AND "
     "name "
     "LIKE '%/stage%' GROUP BY 1)"},
    {"resnet50", 4, "SELECT " LARGEST_AT_PEAK " LIKE '%/shortcut/%/in'"},
    {"resnet50", 5, "SELECT " CATEGORY("internalExchangeCode") " > " CATEGORY("vertexCode") " + " CATEGORY("controlCode")},
    {"bert", 1, "SELECT " COSTLIEST(0) " LIKE '%/wu/embeddings/words.weight/%'"},
    {"bert", 1, "SELECT " BYTES("text(name_id) LIKE '%/words.weight'") " > " BYTES("text(name_id) LIKE '%/layer%.weight'")},
    {"bert", 2, "SELECT " OF_OPERATIONS("name LIKE '%/bwd/%'") " > " OF_OPERATIONS("name LIKE '%/fwd/%'")},
    {"bert", 2,
     "SELECT " OF_OPERATIONS("name LIKE '%/wu/%'") " BETWEEN 0.9 * " OF_OPERATIONS(
         "name LIKE '%/fwd/%'") " AND 1.1 * " OF_OPERATIONS("name LIKE '%/fwd/%'")},
    {"bert", 3, "SELECT " PEAK_STEP " LIKE '%/bwd/embeddings/words/Add/%'"},
    {"gpt2", 1, "SELECT " COSTLIEST(0) " LIKE '%/wu/embeddings/words.weight/%'"},
    {"gpt2", 1,
     "SELECT " COSTLIEST(1) " LIKE '%/head/decoder/%' AND " COSTLIEST(2) " LIKE '%/head/decoder/%' AND " COSTLIEST(
         3) " LIKE '%/head/decoder'"},
    {"gpt2", 2,
     "SELECT " OF_OPERATIONS("name LIKE '%/fwd/%' AND (name LIKE '%/head/%' OR name LIKE '%/logSoftmax%' OR name LIKE "
                             "'%/loss%')") " > " OF_OPERATIONS("name LIKE '%/fwd/layer%'")},
    {"gpt2", 3, "SELECT " LARGEST_AT_PEAK " LIKE '%/bwd/head/%/in'"},
    {"llm", 1, "SELECT " OF_OPERATIONS("name LIKE '%/prompt/%'") " > " OF_OPERATIONS("name LIKE '%/token/%'")},
    {"llm", 2,
     "SELECT group_concat(kind) = 'MatMul,CacheWrite' FROM (SELECT kind FROM operation GROUP BY kind ORDER BY " OP_CYCLES
     " DESC LIMIT 2)"},
    {"llm", 2, "SELECT sum(flops) = 0 FROM operation WHERE kind = 'CacheWrite'"},
    {"llm", 3,
     "SELECT count(*) = 2 FROM (SELECT text(name_id) AS name FROM variable WHERE text(name_id) LIKE '%.weight' ORDER BY "
     "total_bytes DESC LIMIT 2) WHERE name LIKE '%embedding.weight' OR name LIKE '%head.weight'"},
    {"gnn", 1, "SELECT " COSTLIEST(0) " LIKE '%/aggregate' AND " COSTLIEST(1) " LIKE '%/aggregate'"},
    {"gnn", 2, "SELECT " PEAK_STEP " LIKE '%/aggregate/%'"},
    {"gnn", 2,
     "SELECT " BYTES("text(name_id) LIKE '%/layer1/aggregate/%/partials'") " = " BYTES(
         "text(name_id) LIKE '%/layer1/aggregate/%/ReduceOutputIn'")},
    {"autoencoder", 1,
     "SELECT count(*) = 5 FROM (SELECT name FROM operation ORDER BY compute_cycles + exchange_cycles + sync_cycles "
     "+ host_cycles DESC LIMIT 5) WHERE name LIKE '%/decoder/layer6%' OR name LIKE '%/encoder/layer1%'"},
    {"autoencoder", 2,
     "SELECT min(always_live) = 1 AND min(total_bytes) = max(total_bytes) FROM variable WHERE text(name_id) IN "
     "('autoencoder/layer1.weight', 'autoencoder/layer1.weight/velocity')"},
    {"autoencoder", 2,
     "SELECT total_bytes = (SELECT max(total_bytes) FROM variable WHERE always_live = 1 AND "
     "memory_category_name(category) = 'variable') FROM variable WHERE text(name_id) = 'autoencoder/layer1.weight'"},
    {"overlapped-io", 3, "SELECT " COSTLIEST(0) " LIKE '%/fc1'"},
    {"matvec", 1,
     "SELECT group_concat(name) = 'matvec/mulCS,matvec/reduceCS' FROM (SELECT text(name_id) AS name FROM program_step "
     "WHERE kind = 'OnTileExecute' ORDER BY id)"},
    {"matvec", 2, "SELECT 2 * " OF_STEPS("kind = 'DoExchange'") " > " OF_STEPS("kind = 'OnTileExecute'")},
    {"matvec", 3, "SELECT " CATEGORY("variable") " > 0.8 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total')"},
    {"custom-vertex", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'OnTileExecute'"},
    {"custom-vertex", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'DoExchange'"},
    {"custom-vertex", 2, "SELECT " OF_STEPS("kind = 'OnTileExecute'") " > 10 * " OF_STEPS("kind = 'DoExchange'")},
    {"custom-vertex", 2, "SELECT " OF_STEPS("kind LIKE 'StreamCopy%'") " > " OF_STEPS("kind IN ('OnTileExecute', 'DoExchange')")},
    {"custom-vertex", 3,
     "SELECT " CATEGORY("vertexCode") " > 0.5 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total')"},
    {"group-conv", 1,
     "SELECT 100 * (SELECT flops FROM operation WHERE name LIKE '%/groups=128') < (SELECT flops FROM operation WHERE name LIKE "
     "'%/groups=1') AND " OF_OPERATIONS("name LIKE '%/groups=1'") " BETWEEN 11 * " OF_OPERATIONS(
         "name LIKE '%/groups=128'") " AND 13 * " OF_OPERATIONS("name LIKE '%/groups=128'")},
    {"group-conv", 2,
     "SELECT " COSTLIEST(0) " LIKE '%/groups=1' AND 2 * " OF_OPERATIONS("name LIKE '%/groups=1'") " > " OF_OPERATIONS("1")},
    {"group-conv", 2,
     "SELECT (SELECT exchange_cycles * 1.0 / compute_cycles FROM operation WHERE name LIKE '%/groups=1') > (SELECT "
     "exchange_cycles * 1.0 / compute_cycles FROM operation WHERE name LIKE '%/groups=16')"},
    {"group-conv", 3, "SELECT " LARGEST_AT_PEAK " LIKE '%/groups=1/convolution/in'"},
    {"lstm", 1, "SELECT (SELECT kind FROM operation GROUP BY kind ORDER BY " OP_CYCLES " DESC LIMIT 1) = 'Gemm'"},
    {"lstm", 1, "SELECT " COSTLIEST(0) " LIKE '%/loss' AND " COSTLIEST(1) " LIKE '%/predictions'"},
    {"lstm", 2, "SELECT count(*) = 1 FROM program_step WHERE kind = 'Function'"},
    {"lstm", 2, "SELECT count(*) = 31 FROM program_step WHERE kind = 'Call'"},
    {"lstm", 3, "SELECT 2 * " OF_STEPS("kind IN ('DoExchange', 'Sync')") " > " OF_STEPS("kind = 'OnTileExecute'")},
    {"lstm", 4,
     "SELECT " CATEGORY("controlCode") " + " CATEGORY("internalExchangeCode") " + " CATEGORY(
         "vertexCode") " > 0.5 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total')"},
    {"lstm", 4, "SELECT " CATEGORY("controlCode") " > " CATEGORY("variable")},
    {"hello-tiles", 1,
     "SELECT count(DISTINCT kind) = 6 FROM program_step WHERE kind IN ('OnTileCopy', 'Sync', 'DoExchange', "
     "'StreamCopyBegin', 'StreamCopyMid', 'StreamCopyEnd')"},
    {"hello-tiles", 2, "SELECT " OF_STEPS("kind LIKE 'StreamCopy%'") " > 0.5 * " OF_STEPS("1")},
    {"hello-tiles", 3,
     "SELECT " CATEGORY("vertexCode") " + " CATEGORY("controlCode") " > 0.5 * (SELECT sum(value) FROM tile_value WHERE "
                                                                    "series = 'memory.total')"},
    {"mlp", 1, "SELECT " COSTLIEST(0) " LIKE '%/wu/fc1.weight/AdamUpdate'"},
    {"mlp", 2, "SELECT count(*) = 8 FROM operation WHERE kind = 'Gemm'"},
    {"mlp", 3, "SELECT " PEAK_STEP " LIKE '%/bwd/fc1/GemmRhsGrad/matmul/Convolve'"},
    {"mlp", 3, "SELECT " LARGEST_AT_PEAK " LIKE '%/bwd/fc1/GemmRhsGrad/matmul/in'"},
    {"mlp", 4, "SELECT " CATEGORY("vertexCode") " > " CATEGORY("variable")},
    {"vit", 1, "SELECT " COSTLIEST(0) " LIKE '%/embeddings/patches'"},
    {"vit", 2, "SELECT " OF_OPERATIONS("kind = 'Gemm'") " > 3 * " OF_OPERATIONS("kind = 'MatMul'")},
    {"vit", 3, "SELECT count(*) = 1 FROM program_step WHERE kind = 'Function'"},
    {"vit", 3, "SELECT count(*) = 12 FROM program_step WHERE kind = 'Call'"},
    {"vit", 4, "SELECT " PEAK_STEP " LIKE '%/patches/convolution/Convolve'"},
    {"vit", 4, "SELECT " LARGEST_AT_PEAK " LIKE '%/patches/convolution/in'"},
    {"resnext50", 1, "SELECT " COSTLIEST(0) " LIKE '%/stem/conv'"},
    {"resnext50", 2,
     "SELECT group_concat(kind) = 'Conv,BatchNormalization' FROM (SELECT kind FROM operation GROUP BY kind ORDER BY " OP_CYCLES
     " DESC LIMIT 2)"},
    {"resnext50", 2,
     "SELECT 100 * sum(CASE WHEN kind = 'BatchNormalization' THEN flops END) < sum(CASE WHEN kind = 'Conv' THEN flops END) FROM "
     "operation"},
    {"resnext50", 3, "SELECT " PEAK_STEP " LIKE '%/stage2/block0/reduce/conv/convolution/Convolve'"},
    {"resnext50", 3, "SELECT " LARGEST_AT_PEAK " LIKE '%/stage2/block0/reduce/conv/convolution/in'"},
    {"resnext50", 4, "SELECT " CATEGORY("internalExchangeCode") " > " CATEGORY("vertexCode") " + " CATEGORY("controlCode")},
    {"efficientnet", 1,
     "SELECT " COSTLIEST(0) " LIKE '%/spatial/conv' AND " COSTLIEST(1) " LIKE '%/spatial/conv' AND " COSTLIEST(
         2) " LIKE '%/spatial/conv'"},
    {"efficientnet", 1, "SELECT 5 * sum(CASE WHEN name LIKE '%/spatial/conv' THEN flops END) < sum(flops) FROM operation"},
    {"efficientnet", 2,
     "SELECT " OF_OPERATIONS("kind = 'GlobalAveragePool'") " BETWEEN 0.9 * " OF_OPERATIONS(
         "kind = 'BatchNormalization'") " AND 1.1 * " OF_OPERATIONS("kind = 'BatchNormalization'")},
    {"efficientnet", 2, "SELECT count(*) = 17 FROM operation WHERE kind = 'GlobalAveragePool'"},
    {"efficientnet", 4,
     "SELECT (SELECT series FROM tile_value WHERE series LIKE 'memory.category.%' GROUP BY series ORDER BY sum(value) DESC LIMIT "
     "1) = 'memory.category.internalExchangeCode'"},
    {"vae", 1,
     "SELECT group_concat(kind) = 'MatMul' FROM (SELECT kind FROM operation GROUP BY kind ORDER BY " OP_CYCLES " DESC LIMIT 1)"},
    {"vae", 1,
     "SELECT 2 * sum(CASE WHEN name LIKE '%/chain/%' THEN 1 ELSE 0 END) > count(*) FROM operation WHERE kind = 'MatMul'"},
    {"vae", 2, "SELECT count(*) = 11 FROM program_step WHERE kind = 'Function'"},
    {"vae", 2, "SELECT count(*) = 60 FROM program_step WHERE kind = 'Call'"},
    {"vae", 3, "SELECT 2 * " OF_STEPS("kind IN ('DoExchange', 'Sync')") " > " OF_STEPS("kind = 'OnTileExecute'")},
    {"vae", 4,
     "SELECT " CATEGORY("internalExchangeCode") " > " CATEGORY("variable") " AND " CATEGORY("controlCode") " > " CATEGORY(
         "variable")},
    {"sales-forecast", 1,
     "SELECT " COSTLIEST(0) " LIKE '%/fc2/GemmLhsGrad' AND " COSTLIEST(1) " LIKE '%/fwd/fc2' AND " COSTLIEST(
         2) " LIKE '%/fc2.weight/AdamUpdate'"},
    {"sales-forecast", 2, "SELECT " OF_OPERATIONS("kind = 'MovementGrad'") " > " OF_OPERATIONS("kind = 'AdamUpdate'")},
    {"sales-forecast", 3, "SELECT " LARGEST_AT_PEAK " LIKE '%/fc2/GemmRhsGrad/matmul/in'"},
    {"rl-policy", 1,
     "SELECT " COSTLIEST(0) " LIKE '%/AllReduce' AND " OF_OPERATIONS("kind = 'AllReduce'") " > 4 * " OF_OPERATIONS(
         "kind = 'LSTM'")},
    {"rl-policy", 2, "SELECT " OF_STEPS("kind = 'GlobalExchange'") " > " OF_STEPS("kind = 'OnTileExecute'")},
    {"rl-policy", 4, "SELECT " PEAK_STEP " LIKE '%/bwd/lstm/%'"},
    {"rl-policy", 4, "SELECT " LARGEST_AT_PEAK " LIKE '%/bwd/lstm/%/matmul/in'"},
    {"schnet", 1,
     "SELECT group_concat(kind) = 'Gemm,ReduceSum,ScatterND' FROM (SELECT kind FROM operation GROUP BY kind ORDER BY " OP_CYCLES
     " DESC LIMIT 3)"},
    {"schnet", 2, "SELECT " COSTLIEST(0) " LIKE '%/cutoff/cos'"},
    {"schnet", 3, "SELECT count(*) = 6 FROM program_step WHERE kind = 'Function'"},
    {"schnet", 3, "SELECT count(*) = 13 FROM program_step WHERE kind = 'Call'"},
    {"kge", 1, "SELECT " COSTLIEST(0) " LIKE '%/entities0.weight/AdaGradUpdate'"},
    {"kge", 2,
     "SELECT count(*) = 2 " AT_PEAK " AND name LIKE '%/MovementGrad/%/out' AND bytes = (SELECT total_bytes FROM variable WHERE "
     "text(name_id) LIKE '%/entities0.weight')"},
    {"kge", 3,
     "SELECT " BYTES("text(name_id) LIKE '%/entities0.weight/secondMoment' AND always_live = 1") " = " BYTES(
         "text(name_id) LIKE '%/entities0.weight'")},
    {"chained-matmul", 1, "SELECT count(*) = 4 FROM program_step WHERE kind = 'DoExchange'"},
    {"chained-matmul", 1, "SELECT count(*) = 4 FROM program_step WHERE kind = 'OnTileExecute'"},
    {"chained-matmul", 2, "SELECT 2 * " OF_STEPS("kind = 'DoExchange'") " > " OF_STEPS("kind = 'OnTileExecute'")},
    {"chained-matmul", 3, "SELECT " PEAK_STEP " LIKE '%/Convolve'"},
    {"chained-matmul", 3, "SELECT count(*) = 2 " AT_PEAK " AND (name LIKE '%/matmul/in' OR name LIKE '%/matmul/partials')"},
    {"sparse-matmul", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'DoExchange'"},
    {"sparse-matmul", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'OnTileExecute'"},
    {"sparse-matmul", 2, "SELECT " OF_STEPS("kind = 'OnTileCopy'") " > " OF_STEPS("kind = 'OnTileExecute'")},
    {"sparse-matmul", 3, "SELECT " CATEGORY("vertexCode") " > " CATEGORY("variable")},
    {"tile-matmul", 1, "SELECT count(*) = 1 FROM program_step WHERE kind <> 'ControlProgram'"},
    {"tile-matmul", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'OnTileExecute'"},
    {"tile-matmul", 2,
     "SELECT " CATEGORY("variable") " > 0.8 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total')"},
    {"tile-matmul", 3, "SELECT " LARGEST_AT_PEAK " LIKE '%/c'"},
    {"elementwise", 1, "SELECT count(*) = 1 FROM program_step WHERE kind <> 'ControlProgram'"},
    {"elementwise", 2,
     "SELECT count(*) = 3 AND min(total_bytes) = max(total_bytes) FROM variable WHERE text(name_id) IN ('elementwise/x', "
     "'elementwise/y', 'elementwise/z')"},
    {"elementwise", 3, "SELECT " LARGEST_AT_PEAK " = 'elementwise/z'"},
    {"scaled-add", 1, "SELECT count(*) = 1 FROM program_step WHERE kind <> 'ControlProgram'"},
    {"scaled-add", 3,
     "SELECT " CATEGORY("vertexCode") " > 0.5 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total')"},
    {"scaled-add", 3, "SELECT " CATEGORY("variable") " = 4096"},
    {"triad", 1, "SELECT count(*) = 1 FROM program_step WHERE kind <> 'ControlProgram'"},
    {"triad", 2, "SELECT " CATEGORY("variable") " > 0.99 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total')"},
    {"triad", 3,
     "SELECT count(*) = 3 AND min(total_bytes) = max(total_bytes) AND min(total_bytes) > 100 * (SELECT max(total_bytes) FROM "
     "variable WHERE text(name_id) NOT IN ('triad/a', 'triad/b', 'triad/c')) FROM variable WHERE text(name_id) IN ('triad/a', "
     "'triad/b', 'triad/c')"},
    {"prng", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'OnTileExecute'"},
    {"prng", 1, "SELECT count(*) = 2 FROM program_step WHERE kind <> 'ControlProgram'"},
    {"prng", 2, "SELECT max(cycles) > 0.95 * sum(cycles) FROM execution_step WHERE kind = 'OnTileExecute'"},
    {"prng", 3,
     "SELECT total_bytes > 0.9 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total') FROM variable WHERE "
     "text(name_id) = 'prng/numbers'"},
    {"pointer-chase", 1, "SELECT count(*) = 1 FROM program_step WHERE kind <> 'ControlProgram'"},
    {"pointer-chase", 3,
     "SELECT " CATEGORY("vertexCode") " > 0.5 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total')"},
    {"pointer-chase", 3, "SELECT " BYTES("text(name_id) = 'pointer-chase/next'") " = 400"},
    {"sparse-bfs", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'RepeatWhile'"},
    {"sparse-bfs", 2,
     "SELECT " OF_STEPS("kind = 'DoExchange'") " BETWEEN 0.8 * " OF_STEPS("kind = 'OnTileExecute'") " AND " OF_STEPS(
         "kind = 'OnTileExecute'")},
    {"sparse-bfs", 3, "SELECT " LARGEST_AT_PEAK " LIKE '%/expand/received'"},
    {"sparse-bfs", 3, "SELECT " BYTES("text(name_id) LIKE '%/expand/received'") " > " BYTES("text(name_id) LIKE '%/neighbours'")},
    {"triangle-count", 1, "SELECT " OF_STEPS("kind = 'DoExchange'") " > " OF_STEPS("kind = 'OnTileExecute'")},
    {"triangle-count", 2,
     "SELECT " CATEGORY("message") " > 0.9 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total')"},
    {"triangle-count", 3, "SELECT count(*) = 1 FROM program_step WHERE kind = 'OnTileExecute' AND text(name_id) LIKE '%/count'"},
    {"triangle-count", 3,
     "SELECT count(*) = 3 FROM program_step WHERE kind = 'OnTileExecute' AND text(name_id) LIKE '%/reduce/%'"},
    {"belief-propagation", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'Repeat'"},
    {"belief-propagation", 1,
     "SELECT count(*) = 1 FROM program_step WHERE kind = 'OnTileExecute' AND text(name_id) LIKE '%/messages'"},
    {"belief-propagation", 2, "SELECT " OF_STEPS("kind = 'OnTileExecute'") " > 10 * " OF_STEPS("kind = 'DoExchange'")},
    {"belief-propagation", 3, "SELECT " OF_STEPS("kind = 'Sync'") " > " OF_STEPS("kind = 'DoExchange'")},
    {"x-drop", 1, "SELECT count(*) = 1 FROM program_step WHERE kind <> 'ControlProgram'"},
    {"x-drop", 3, "SELECT " CATEGORY("variable") " > 0.5 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total')"},
    {"stencil", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'Repeat'"},
    {"stencil", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'DoExchange'"},
    {"stencil", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'OnTileExecute'"},
    {"stencil", 2, "SELECT " OF_STEPS("kind = 'OnTileExecute'") " > 6 * " OF_STEPS("kind = 'DoExchange'")},
    {"stencil", 3,
     "SELECT " OF_STEPS("kind = 'OnTileCopy'") " BETWEEN 0.75 * " OF_STEPS("kind = 'DoExchange'") " AND 0.85 * " OF_STEPS(
         "kind = 'DoExchange'")},
    {"stencil", 4, "SELECT " LARGEST_AT_PEAK " LIKE '%/rim'"},
    {"stencil", 4,
     "SELECT " BYTES("text(name_id) = 'stencil/rim'") " * 1.0 / " BYTES("text(name_id) = 'stencil/front'") " BETWEEN 1.9 AND 2"},
    {"gaussian-blur", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'Repeat'"},
    {"gaussian-blur", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'DoExchange'"},
    {"gaussian-blur", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'OnTileExecute'"},
    {"gaussian-blur", 2, "SELECT " OF_STEPS("kind = 'OnTileCopy'") " > 8 * " OF_STEPS("kind = 'DoExchange'")},
    {"gaussian-blur", 4,
     "SELECT (SELECT series FROM tile_value WHERE series LIKE 'memory.category.%' GROUP BY series ORDER BY sum(value) DESC LIMIT "
     "1) = 'memory.category.variable'"},
    {"halo-exchange", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'Repeat'"},
    {"halo-exchange", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'DoExchange'"},
    {"halo-exchange", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'OnTileExecute'"},
    {"halo-exchange", 2,
     "SELECT " OF_STEPS("kind = 'DoExchange'") " BETWEEN 0.45 * " OF_STEPS("kind = 'OnTileExecute'") " AND 0.5 * " OF_STEPS(
         "kind = 'OnTileExecute'")},
    {"halo-exchange", 2, "SELECT count(*) = 2 FROM program_step WHERE kind = 'Sync'"},
    {"halo-exchange", 3, "SELECT " CATEGORY("vertexCode") " > " CATEGORY("variable")},
    {"monte-carlo", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'OnTileExecute' AND text(name_id) LIKE '%/setSeed'"},
    {"monte-carlo", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'OnTileExecute' AND text(name_id) LIKE '%/paths'"},
    {"monte-carlo", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'OnTileExecute' AND text(name_id) LIKE '%/price'"},
    {"monte-carlo", 2, "SELECT " OF_STEPS("kind = 'OnTileExecute'") " > 10 * " OF_STEPS("kind = 'DoExchange'")},
    {"monte-carlo", 4,
     "SELECT " CATEGORY("vertexCode") " > 0.5 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total')"},
    {"hmc", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'Repeat'"},
    {"hmc", 2, "SELECT 3 * " OF_STEPS("kind IN ('DoExchange', 'Sync')") " > 2 * " OF_STEPS("kind = 'OnTileExecute'")},
    {"hmc", 4,
     "SELECT (SELECT series FROM tile_value WHERE series LIKE 'memory.category.%' GROUP BY series ORDER BY sum(value) DESC LIMIT "
     "1) = 'memory.category.internalExchangeCode'"},
    {"spiking", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'OnTileExecute' AND text(name_id) LIKE '%/integrate/%'"},
    {"spiking", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'OnTileExecute' AND text(name_id) LIKE '%/fire/%'"},
    {"spiking", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'OnTileExecute' AND text(name_id) LIKE '%/reset/%'"},
    {"spiking", 2, "SELECT " OF_STEPS("kind = 'OnTileExecute'") " > 5 * " OF_STEPS("kind = 'DoExchange'")},
    {"spiking", 4,
     "SELECT text(name_id) = 'spiking/weights' AND always_live = 1 FROM variable ORDER BY total_bytes DESC LIMIT 1"},
};

} // namespace tests
