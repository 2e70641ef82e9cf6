// The C interface of Tilescope: compile an ONNX model for a simulated machine and run it, in a session that keeps weights, optimiser
// state and random state between calls.
//
// Errors: a function that can fail returns 0 if it did not, or a pointer that is not null. The text of the last error of the calling
// thread is tilescope_last_error(). No exception leaves the library.
// Threads: a session belongs to one thread at a time; different sessions may be used by different threads. A run uses all processors.
// Memory: names, shapes and texts that a session returns live until the next call with this session. Buffers of the caller are read or
// written during the call only.
// Versions: tilescope_api_version() grows when functions are added; the library's soname changes when one changes or goes.
#ifndef TILESCOPE_H
#define TILESCOPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TILESCOPE_API_VERSION 1

/* Of the library that was loaded. */
int tilescope_api_version(void);
const char* tilescope_version(void);
/* "" before the first error of this thread. */
const char* tilescope_last_error(void);

typedef struct tilescope_session tilescope_session;

/* Bytes of an ONNX file (.onnx); they are copied. `name` stands for the file in messages and names the report. External data is not read.
   Null if the model is not one. */
tilescope_session* tilescope_open(const void* onnx, size_t bytes, const char* name);
/* The same from a file, whose external data is read from its folder. */
tilescope_session* tilescope_open_file(const char* path);
/* Writes the reports that POPLAR_ENGINE_OPTIONS asked for (autoReport.all, autoReport.directory) if that is still to do. Null is allowed. */
void tilescope_close(tilescope_session* session);

/* An option by its name on the command line of `tilescope-cli run`, without the dashes: machine, ipus, replicas, precision, seed,
   pipeline, shard, accumulation, batches-per-step, recompute, train, loss, loss-output, optimiser, learning-rate … A flag has the value "1"
   or "0". These options are the session's own:
     anchor              all, final, sum or every:N: which values of an output leave the machine (training)
     reduction           mean or sum: what gradients of micro-batches and replicas become
     loss-scale, automatic-loss-scale, clip-norm, beta1, beta2, nesterov, no-bias-correction
     centred, tensorflow-variant, decay-beside   of rmsprop, the last also of adagrad
     gradient-of         a value whose gradient is an output too, called Gradient___NAME; may be repeated
     group               NUMBER:NAME=VALUE: a group of parameters with optimiser values of its own, numbers from 0 on. NAME is parameter
                         (once for each of the group), learning-rate, weight-decay, momentum, nesterov, beta1, beta2 or epsilon
     report-folder       below autoReport.directory, for a process with several sessions
     profiled-runs       how many runs the report describes (2)
   Options that may be repeated (parameters, freeze, buffers, shape, checkpoint, engine-option, …) add a value at each call; "" as the
   value forgets them. After a compilation a new learning rate, also of a group, holds from the next run on; any other option compiles again at the next run
   and keeps weights and optimiser state. */
int tilescope_set(tilescope_session* session, const char* option, const char* value);

/* Plans and compiles. Fails if the model does not fit; there is a report then. */
int tilescope_compile(tilescope_session* session);

/* What a value is. `type` is the number of TensorProto.DataType in ONNX: 1 float, 6 int32, 7 int64, 9 bool, 10 half, 11 double. */
typedef struct tilescope_tensor {
  const char* name;
  int32_t type;
  int32_t rank;
  const int64_t* shape; /* of one transfer, or of a weight */
  int64_t bytes;        /* of one transfer, or of a weight */
  int64_t transfers;    /* in one run: batches x micro-batches x replicas; in this order, replicas fastest */
  int32_t kind;         /* of a weight: 0 parameter, 1 running statistic, 2 state of the optimiser, 3 constant of the model */
} tilescope_tensor;

/* Inputs and outputs of the compiled model, weights at any time. -1 on an error. */
int64_t tilescope_input_count(tilescope_session* session);
int64_t tilescope_output_count(tilescope_session* session);
int64_t tilescope_weight_count(tilescope_session* session);
int tilescope_input(tilescope_session* session, int64_t index, tilescope_tensor* tensor);
int tilescope_output(tilescope_session* session, int64_t index, tilescope_tensor* tensor);
int tilescope_weight(tilescope_session* session, int64_t index, tilescope_tensor* tensor);

/* Any value of the model by its name, without a compilation: type and shape as far as the model itself says them. */
int tilescope_value(tilescope_session* session, const char* name, tilescope_tensor* tensor);

/* The values of an input for the next run and those after it: `transfers` x `bytes`. */
int tilescope_write_input(tilescope_session* session, const char* name, const void* data, size_t bytes);
/* Compiles if that is to be done, and runs the program once. */
int tilescope_run(tilescope_session* session);
/* What an output delivered in the last run: `transfers` x `bytes`. */
int tilescope_read_output(tilescope_session* session, const char* name, void* data, size_t bytes);

/* Weights and optimiser state by name. Writing what training does not change compiles again at the next run. */
int tilescope_read_weight(tilescope_session* session, const char* name, void* data, size_t bytes);
int tilescope_write_weight(tilescope_session* session, const char* name, const void* data, size_t bytes);
/* The model as an .onnx file with the weights of now. */
int tilescope_save_model(tilescope_session* session, const char* path);

/* Simulated cycles of all runs since the last compilation, and of the last one; -1 before. */
int64_t tilescope_cycles(tilescope_session* session);
int64_t tilescope_run_cycles(tilescope_session* session);
/* Clock of the machine in Hz; -1 before the compilation. */
double tilescope_clock(tilescope_session* session);

/* Notes of the compilation by number, e.g. engine options without effect; null behind the last. */
const char* tilescope_note(tilescope_session* session, int64_t index);
/* A whole report of the program and of the runs that were profiled, at any time after the compilation. */
int tilescope_report(tilescope_session* session, const char* path);

#ifdef __cplusplus
}
#endif

#endif
