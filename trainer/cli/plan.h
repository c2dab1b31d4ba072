#pragma once

#include "cli/options.h"
#include "data/dataset.h"
#include "geometry/divergence.h"

#include <string>
#include <vector>

namespace bzscr {

/// What this machine was measured at, on a part of the data set's own samples.
struct MachineFigures {
  int processes = 1;          ///< that measured
  int threads = 1;            ///< of each
  double sample_seconds = 0;  ///< of a process, for a sample in an evaluation: products and losses
  double step_seconds =
      0;  ///< of every process alike, between two evaluations: L-BFGS in its coordinates
  double latency =
      0;  ///< seconds of each of the steps in which processes sum a message, however short
  double bandwidth = 0;  ///< bytes a second between two processes
  bool network_measured =
      false;  ///< else latency and bandwidth are those of a usual network of 10 Gbit/s
};

/// What an evaluation, the value and gradient of the objective (Sweep::slopes), costs on some
/// number of processes.
struct PlannedRun {
  int processes = 1;
  double memory_bytes = 0;   ///< of a process, beside its features
  double feature_bytes = 0;  ///< that a process reads in an evaluation: its share of the file
  double message_bytes = 0;  ///< that a process puts together with the others' in an evaluation
  double compute_seconds = 0, communication_seconds = 0;
  double speedup = 1;          ///< against one process
  double weak_efficiency = 1;  ///< seconds of one process over those of these, were there as many
                               ///< samples for each as there are now for one
  double seconds() const { return compute_seconds + communication_seconds; }
};

struct Plan {
  Index samples = 0, features = 0, weak_models = 0, embedding = 0, classes = 0;
  MachineFigures machine;
  std::vector<PlannedRun> runs;  ///< of 1, 2, 4 to 1024 processes
  int worth_using = 1;  ///< the most processes of these of which at least half the time is of use:
                        ///< speedup >= processes / 2
};

/// Seconds in which P processes sum `bytes` each: up and down a tree, each byte twice over the wire
/// (Rabenseifner 2004).
///   2 ceil(log2 P) latency + 2 (P - 1)/P bytes / bandwidth
double allreduce_seconds(int processes, double bytes, const MachineFigures& machine);

/// Measures, and works out the rest. All processes call it; each comes to the plan of process 0's
/// measurement.
Plan plan(const Dataset& data, const Divergence& divergence, const TrainOptions& options);

/// The plan as a table for people, or as one JSON object.
std::string table_of(const Plan& plan);
std::string json_of(const Plan& plan);

}  // namespace bzscr
