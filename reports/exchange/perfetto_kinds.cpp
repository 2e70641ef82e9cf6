#include "reports/exchange/perfetto_kinds.h"

#include <algorithm>
#include <array>
#include <span>

namespace reports::exchange {

namespace {

struct KindName {
  uint32_t field;
  std::string_view name;
};

// From protos/perfetto/trace/trace_packet.proto.
constexpr std::array kPacketKinds{
    KindName{4, "inode_file_map"},
    KindName{5, "chrome_events"},
    KindName{7, "sys_stats"},
    KindName{9, "process_stats"},
    KindName{11, "track_event"},
    KindName{37, "profile_packet"},
    KindName{38, "battery"},
    KindName{39, "android_log"},
    KindName{40, "power_rails"},
    KindName{43, "process_descriptor"},
    KindName{45, "system_info"},
    KindName{46, "trigger"},
    KindName{47, "packages_list"},
    KindName{48, "chrome_benchmark_metadata"},
    KindName{49, "perfetto_metatrace"},
    KindName{51, "chrome_metadata"},
    KindName{52, "gpu_counter_event"},
    KindName{53, "gpu_render_stage_event"},
    KindName{57, "graphics_frame_event"},
    KindName{61, "module_symbols"},
    KindName{62, "vulkan_memory_event"},
    KindName{63, "gpu_log"},
    KindName{64, "deobfuscation_mapping"},
    KindName{65, "vulkan_api_event"},
    KindName{67, "cpu_info"},
    KindName{68, "smaps_packet"},
    KindName{70, "initial_display_state"},
    KindName{71, "gpu_mem_total_event"},
    KindName{73, "memory_tracker_snapshot"},
    KindName{74, "streaming_allocation"},
    KindName{75, "streaming_free"},
    KindName{77, "android_energy_estimation_breakdown"},
    KindName{78, "ui_state"},
    KindName{82, "translation_table"},
    KindName{83, "android_game_intervention_list"},
    KindName{84, "statsd_atom"},
    KindName{86, "android_system_property"},
    KindName{90, "track_event_range_of_interest"},
    KindName{91, "entity_state_residency"},
    KindName{95, "etw_events"},
    KindName{99, "v8_js_code"},
    KindName{100, "v8_internal_code"},
    KindName{101, "v8_wasm_code"},
    KindName{102, "v8_reg_exp_code"},
    KindName{103, "v8_code_move"},
    KindName{107, "remote_clock_sync"},
    KindName{109, "chrome_trigger"},
    KindName{110, "pixel_modem_events"},
    KindName{111, "pixel_modem_token_database"},
    KindName{113, "clone_snapshot_trigger"},
    KindName{115, "kernel_wakelock_data"},
    KindName{117, "generic_kernel_task_state_event"},
    KindName{118, "generic_kernel_cpu_freq_event"},
    KindName{119, "cpu_per_uid_data"},
    KindName{120, "generic_kernel_task_rename_event"},
    KindName{122, "generic_kernel_process_tree"},
    KindName{123, "user_list"},
    KindName{126, "trace_attributes"},
    KindName{127, "android_aflags"},
    KindName{128, "gpu_info"},
    KindName{129, "generic_gpu_frequency_event"},
    KindName{130, "interrupt_info"},
    KindName{131, "art_process_metadata"},
    KindName{132, "journald_event"},
    KindName{133, "zstd_compressed_packets"},
    KindName{135, "stack_sample"},
    KindName{900, "for_testing"},
};

// From protos/perfetto/trace/track_event/track_event.proto: messages of Chrome.
constexpr std::array kEventFields{
    KindName{24, "cc_scheduler_state"},
    KindName{25, "chrome_user_event"},
    KindName{26, "chrome_keyed_service"},
    KindName{27, "chrome_legacy_ipc"},
    KindName{28, "chrome_histogram_sample"},
    KindName{29, "chrome_latency_info"},
    KindName{32, "chrome_frame_reporter"},
    KindName{35, "chrome_message_pump"},
    KindName{38, "chrome_mojo_event_info"},
    KindName{39, "chrome_application_state_info"},
    KindName{40, "chrome_renderer_scheduler_state"},
    KindName{41, "chrome_window_handle_event_info"},
    KindName{49, "chrome_active_processes"},
    KindName{50, "screenshot"},
};

std::string nameIn(std::span<const KindName> kinds, uint32_t field, const char* otherwise) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const KindName& k) { return k.field == field; });
  return found == kinds.end() ? otherwise + std::to_string(field) : std::string(found->name);
}

} // namespace

std::string perfettoPacketKind(uint32_t field) { return nameIn(kPacketKinds, field, "packet field "); }
std::string perfettoEventField(uint32_t field) { return nameIn(kEventFields, field, "track_event field "); }

bool isPerfettoBookkeeping(uint32_t field) {
  // trusted_uid, timestamp, sequence id, interned_data, flags, config, statistics, synchronization_marker, state cleared,
  // dropped, clock, defaults, service_event, extension_descriptor, trusted_pid, first_packet_on_sequence, trace_uuid, machine_id,
  // provenance, protovms, concurrent_session_event
  static constexpr uint32_t kFields[] = {3,  8,  10, 12, 13, 33, 34, 35, 36,  41,  42, 58,
                                         59, 69, 72, 79, 87, 88, 89, 98, 124, 125, 134};
  return std::find(std::begin(kFields), std::end(kFields), field) != std::end(kFields);
}

} // namespace reports::exchange
