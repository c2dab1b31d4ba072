// bzscr_train.hpp - training zero-shot classifiers in a process of one's own: what bzscr-train,
// bzscr-compare and bzscr-eval call. C++17, no dependency but the standard library.
//
//   using namespace bzscr::train;
//   const Dataset data = Dataset::read("data/awa", {}, {});
//   const Model model = fit(data, data.partition(), {}, {});
//   const std::vector<std::uint8_t> file = model.serialise();   // for bzscr_rt_open() on a device
//
// Process   Nothing here prints, exits, catches signals, reads options of a program or changes
//           settings of the whole process. OpenBLAS must not start threads of its own
//           (OPENBLAS_NUM_THREADS=1) if results are to be the same for any number of threads:
//           fit() reports it as a note where it would.
// Errors    Wrong input throws bzscr::InputError (error.hpp), with file, row, what was found and
//           what was expected. Out of memory throws std::bad_alloc. Other exceptions are bugs.
// Threads   Calls may run beside one another, each with a Context of its own. Objects are values:
//           const members may be called from several threads.
// Same      The same data and options give the same bytes, for any number of threads.
#ifndef BZSCR_TRAIN_HPP
#define BZSCR_TRAIN_HPP

#include <bzscr_train/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bzscr {
class Communicator;
class CostCounters;
}  // namespace bzscr

namespace bzscr::train {

const char* version();

// ---- How a call runs ----

/// An iteration of BZ-SCR or boosting. Sums are over the samples of the phase.
struct IterationEvent {
  std::int64_t number = 0;       ///< from 1
  std::int64_t samples = 0;      ///< N
  double nu = 0, beta = 0;       ///< per sample
  double violation = 0;          ///< sigma_1(G)
  double objective = 0;          ///< Eq. (5) with the sample weights of the iteration
  double lower_bound = 0;        ///< certified, of the same problem
  double relative_gap = 0;       ///< (objective - lower_bound) / objective
  std::int64_t weak_models = 0;  ///< with w > 0
  double selected = 1;           ///< share of samples with s > 0
  double training_error = -1, validation_error = -1, test_error = -1;  ///< -1: not measured
  std::int64_t evaluations = 0;                                        ///< passes over the samples
};

/// Hyper-parameters that were tried on validation classes.
struct TrialEvent {
  std::vector<std::pair<std::string, double>> parameters;  ///< "nu" 1e-3, "beta" 0.4
  double validation_error = 1;   ///< 1 - per-class accuracy; of one fold for methods of baselines/
  std::int64_t weak_models = 0;  ///< 0: the method has none
  std::int64_t evaluations = 0;  ///< 0: not counted
  std::int64_t done = 0, at_most = 1;
};

/// Told what happens, one call at a time, by the thread that called or by one of its workers.
/// Exceptions end the call.
class Events {
 public:
  virtual ~Events() = default;
  /// "tuning", "validation", "training", "calibration", "comparing": progress begins at 0.
  virtual void phase(const std::string& /*name*/) {}
  /// \param evaluations  passes over the samples that the phase took
  virtual void phase_ended(const std::string& /*name*/, std::int64_t /*evaluations*/) {}
  virtual void progress(double /*fraction*/) {}
  virtual void iteration(const std::string& /*phase*/, const IterationEvent&) {}
  virtual void trial(const TrialEvent&) {}
  /// Something that is allowed but maybe not what was meant; one line.
  virtual void note(const std::string&) {}
};

struct Context {
  int threads = 0;                       ///< 0: one a core, as OMP_NUM_THREADS says; >= 0
  Communicator* communicator = nullptr;  ///< ranks that train together (mpi.hpp); null: one
  std::function<bool()> stop{};          ///< asked between steps; true: the best model so far
  CostCounters* counters = nullptr;      ///< for benchmarks of the library itself; null: its own
  Events* events = nullptr;              ///< null: nobody is told
};

/// The BLAS library underneath, as this process has loaded it.
struct LinearAlgebra {
  std::string description;  ///< its build and the kernels it took
  std::string kernels;      ///< "SkylakeX"
  int threads = 1;          ///< that it starts by itself; results are reproducible with 1
  bool correct = true;      ///< small products are right; some builds are wrong on newer processors
};
LinearAlgebra linear_algebra();

// ---- Data ----

enum class Type : std::uint8_t { kFloat16, kFloat32, kFloat64 };

/// A matrix where it lies, in memory or in a mapped file. The caller keeps it for as long as the
/// data set that was made of it lives; it is never copied as a whole.
struct ArrayView {
  const void* data = nullptr;  ///< aligned to the type's size, little-endian
  Type type = Type::kFloat32;
  bool column_major = false;  ///< Fortran order
  std::int64_t rows = 0, columns = 0;
};

struct NamedArray {
  std::string name;
  ArrayView values;
};

/// A data set in arrays. Checked as one from files is.
struct Arrays {
  ArrayView features;                       ///< N x m, finite, no row of zeros
  std::vector<std::int64_t> labels;         ///< N: rows of `classes`, from 0
  std::vector<std::string> classes;         ///< C names, unique
  std::vector<NamedArray> embeddings;       ///< each C x d; several are joined side by side
  std::vector<std::string> unseen_classes;  ///< of classes; may be empty
  std::vector<std::vector<std::string>> validation_folds{};  ///< seen classes; may be empty
  std::vector<std::int64_t> held_out{};  ///< samples of seen classes that are never trained on
};

struct ReadOptions {
  std::string embedding{};         ///< "glove,hypernyms": joined in this order; empty: the only one
  std::string missing = "refuse";  ///< what becomes of -1 for "not known": refuse, mean, zero, keep
  std::string divergence{};     ///< cosine, wordnet, zero-one, a C x C .npy file; empty: the data
                                ///< set's own, else cosine
  std::string wordnet{};        ///< folder of WordNet's database; empty: where Debian has it
  bool all_embeddings = false;  ///< where `embedding` is empty, all of them in order of name
};

/// Which class and which sample plays which part. A value beside the data: no split copies a data set.
struct Partition {
  std::vector<std::int64_t> unseen{};  ///< classes without training samples, rising
  std::vector<std::vector<std::int64_t>>
      validation_folds{};                ///< seen classes held out to choose by
  std::vector<std::int64_t> held_out{};  ///< samples never trained on, rising
};

/// Counts of a partition, and a hash that tells two splits of the "same" name apart.
struct SplitSummary {
  std::size_t seen_classes = 0, unseen_classes = 0;
  std::size_t training_samples = 0, held_out_samples = 0, unseen_samples = 0;
  std::string hash;  ///< hexadecimal
  std::string text;  ///< one line
};

/// Features, labels, classes with their embeddings, and how far classes are apart. Copies share.
class Dataset {
 public:
  /// A folder, an .npz archive or a folder of MATLAB files; features stay mapped.
  static Dataset read(const std::string& path, const ReadOptions& options, const Context& context);
  /// \param name  stands for the path in messages and records
  static Dataset from_arrays(const Arrays& arrays, const std::string& name,
                             const ReadOptions& options, const Context& context);

  const std::string& path() const;
  std::int64_t samples() const;   ///< N
  std::int64_t features() const;  ///< m
  Type feature_type() const;
  const std::vector<std::string>& classes() const;
  std::vector<std::int32_t> labels() const;                    ///< N
  std::string embedding() const;                               ///< "glove,hypernyms"
  std::int64_t embedding_dimension() const;                    ///< d
  std::vector<std::int64_t> embedding_parts() const;           ///< of those joined; empty: one
  std::vector<float> class_embedding(std::int64_t row) const;  ///< d, as given
  std::string divergence() const;  ///< "cosine", "wordnet", "zero-one", a file's name
  std::string hash() const;        ///< hexadecimal
  const std::vector<std::string>& notes() const;  ///< allowed, but maybe not what was meant
  Partition partition() const;                    ///< as the files name it
  SplitSummary split() const;                     ///< of partition()
  /// Writes a folder that reads as the same data set; it appears whole or not at all.
  void write(const std::string& folder, bool replace) const;

  struct Content;
  const Content& content() const { return *content_; }  ///< for the library itself
  explicit Dataset(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

 private:
  std::shared_ptr<const Content> content_;
};

/// Throws InputError unless Dataset::write() may write there: before the work.
void expect_writable_dataset(const std::string& folder, bool replace);

/// What a data set may be, for the end of a program's help.
const char* dataset_help();

// ---- Fit ----

/// The methods: bzscr, boosting, sje, ale, devise, eszsl, cca, ridge, nr; cca-bilinear and cca-cosine name cca's forms.
struct Method {
  std::string name;
  std::vector<std::string> parameters;  ///< hyper-parameters that are chosen where not given
  bool in_model_file;                   ///< bilinear: fit() can make a model of it
};
const std::vector<Method>& methods();

struct FitOptions {
  std::string method = "bzscr";
  std::string feature_scaling = "unit";           ///< none, unit
  std::string embedding_scaling = "centre-unit";  ///< none, unit, centre-unit

  // BZ-SCR and boosting: Eq. (5), per sample
  std::string solver = "refine";      ///< refine; paper: Algorithm 1 as printed
  std::optional<double> nu{};         ///< regularisation weight of the ensemble, > 0; empty: chosen
  std::optional<double> beta{};       ///< weight of the correlation term, >= 0; empty: chosen
  std::optional<double> ridge{};      ///< of |W|^2 / 2, >= 0; empty: 0.01, and 0 with solver paper
  double initial_share = 0.5;         ///< of samples selected at first, in (0, 1]
  double share_growth = 1.1;          ///< an iteration, > 1
  double final_share = 1;             ///< in [initial_share, 1]
  double full_share = 0.8;            ///< of the selected, those that count in full, in [0, 1)
  double gap = 1e-3;                  ///< refine: certified relative gap to end at, in (0, 1)
  double tolerance = 1e-3;            ///< paper: epsilon, relative, >= 0
  std::int64_t min_iterations = 50;   ///< paper: T_ES
  std::int64_t max_iterations = 500;  ///< >= 1
  bool early_stopping = true;         ///< paper: number of iterations chosen on validation classes

  // The other methods; empty: chosen
  std::optional<double> rate{}, epochs{}, gamma{}, lambda{};
  bool average = false;  ///< sje, ale, devise: the mean of all iterates instead of the last

  int folds = 1;  ///< validation folds drawn where the partition names none, 1 to 5
  std::uint64_t seed = 1;
  bool calibration = true;  ///< choose what is taken off the scores of seen classes

  std::string curves = "none";  ///< errors by iteration: none, validation, test (unseen classes)
  bool test_unseen = false;     ///< Model::unseen is measured; nothing is chosen by it
  std::string history{};        ///< file of JSON lines (README, "History"); empty: none
  std::string checkpoint{};     ///< file; empty: none. BZ-SCR and boosting
  double checkpoint_seconds = 60;
  bool resume = false;  ///< go on from the checkpoint, and append to the history
};

/// Unseen classes scored among themselves.
struct UnseenTest {
  std::vector<std::string> classes;
  std::vector<std::vector<std::int64_t>> confusion;  ///< true class, best class
  std::int64_t samples = 0;
  double error_rate = 0, mean_delta = 0, per_class_top1 = 0;
};

struct Trial {
  std::vector<std::pair<std::string, double>> parameters;
  double validation_error = 1;
  std::int64_t weak_models = 0, evaluations = 0;
};

enum class Ending { kConverged, kEarlyStopping, kIterationLimit, kInterrupted };

/// What passes over the samples cost this rank.
struct Cost {
  std::int64_t evaluations = 0;  ///< passes, tuning and validation included
  double seconds = 0;            ///< of fit()
  double seconds_in_passes = 0;
  std::int64_t message_bytes = 0;  ///< summed over ranks
  double waiting_seconds = 0;      ///< for other ranks
};

/// A trained model, and how it came about.
class Model {
 public:
  std::string method, solver;
  std::vector<std::pair<std::string, double>> parameters;  ///< "nu", "beta"; "rate", "epochs"; ...
  double ridge = 0;
  bool tuned = false;
  std::vector<Trial> tried;
  double validation_error = -1;  ///< -1: not measured
  double seen_penalty = 0;
  double validation_harmonic = -1;  ///< with that penalty, on held-out samples; -1: not measured
  double objective = 0, lower_bound = 0, relative_gap = 0;  ///< of BZ-SCR and boosting
  std::int64_t weak_models = 0;                             ///< or the rank of W
  std::int64_t iterations = 0, samples = 0;
  Ending ending = Ending::kConverged;
  bool correlation = true;  ///< the correlation term took part: two unseen classes or more
  bool without_validation_classes = false;  ///< interrupted before the run on all seen classes
  std::optional<UnseenTest> unseen;
  std::string history;  ///< JSON lines, as in FitOptions::history
  Cost cost;

  /// The bytes of a model file (schema/FORMAT.md). Throws InputError where Method::in_model_file is
  /// false: such a method can be compared, but no device runs it.
  const std::vector<std::uint8_t>& serialise() const {
    if (!bytes_)
      throw InputError("method " + method + " is not bilinear, so no model file can hold it");
    return *bytes_;
  }

  explicit Model(std::shared_ptr<const std::vector<std::uint8_t>> bytes)
      : bytes_(std::move(bytes)) {}

 private:
  std::shared_ptr<const std::vector<std::uint8_t>> bytes_;
};

/// Throws InputError, as fit() would, for what options alone show to be wrong: before a data set is read.
void check(const FitOptions& options);

/// From a data set to a model: hyper-parameters that are not given are chosen on validation folds,
/// the model is trained on all seen classes, and the penalty of seen classes is chosen on held-out
/// samples and classes. Nothing is chosen by unseen classes or held-out samples of the partition.
/// A stop returns the best model so far, or throws InputError (kInterrupted) where there is none.
Model fit(const Dataset& data, const Partition& partition, const FitOptions& options,
          const Context& context);

/// A checkpoint and the one before it, once the model that they were for has been written.
void remove_checkpoint(const std::string& path);

// ---- Evaluate ----

/// Classes that compete, and the samples that are scored among them.
struct Selection {
  std::string description;              ///< "unseen", "validation", "seen", "all"
  std::vector<std::int64_t> classes{};  ///< rows of the data set's classes, rising
  std::vector<std::int64_t> samples{};  ///< rows of its features, rising
};

/// unseen, validation (the first fold): all samples of those classes, among them; seen: held-out
/// samples among the seen classes; all: samples of unseen classes and held-out ones, among all
/// classes. Throws InputError where there is none.
Selection select(const Dataset& data, const Partition& partition, const std::string& which);

/// Scores samples by a model: usually the runtime, with the classes of a selection in its table.
class SampleScorer {
 public:
  virtual ~SampleScorer() = default;
  /// \param X       n x m, raw features, row after row
  /// \param n       samples, at least one
  /// \param row     of the first of them in the data set, for messages
  /// \param scores  n x C to fill, C classes in the order of Selection::classes
  /// Called by several threads at once.
  virtual void score(const float* X, std::int64_t n, std::int64_t row, float* scores) const = 0;
};

struct ClassAccuracy {
  std::int64_t class_row = 0, samples = 0, correct = 0;
};

struct Evaluation {
  std::int64_t samples = 0, classes_with_samples = 0;
  double error_rate = 0;      ///< share of samples whose best class is wrong
  double mean_delta = 0;      ///< mean divergence between true and best class
  double per_class_top1 = 0;  ///< accuracy within each class that has samples, averaged
  double top5 = 0;            ///< share of samples whose true class is among the five best
  std::vector<ClassAccuracy> per_class;  ///< in the order of Selection::classes
  std::vector<std::int32_t> best;        ///< of each sample, place in Selection::classes
};
Evaluation evaluate(const Dataset& data, const Selection& selection, const SampleScorer& scorer,
                    const Context& context);

struct SeenUnseen {
  double seen = 0;    ///< S: accuracy within each seen class, averaged
  double unseen = 0;  ///< U: the same of unseen classes
  double harmonic() const { return seen + unseen > 0 ? 2 * seen * unseen / (seen + unseen) : 0; }
};

struct JointEvaluation {
  SeenUnseen without, with;              ///< the penalty
  double ausuc = 0;                      ///< area under U as a function of S, over all penalties
  std::vector<ClassAccuracy> per_class;  ///< with the penalty
};
/// Seen and unseen classes compete: generalised zero-shot learning.
/// \param penalty  that the scores of seen classes hold already
JointEvaluation evaluate_jointly(const Dataset& data, const Partition& partition,
                                 const Selection& all, const SampleScorer& scorer, double penalty,
                                 const Context& context);

// ---- Compare ----

/// Class splits drawn with a seed, as many unseen and validation classes as the data set names; of
/// each seen class a fifth of the samples is held out.
std::vector<Partition> draw_partitions(const Dataset& data, std::int64_t count, std::uint64_t seed);
/// From a .npy file of splits x C: 0 trains, 1 validates, 2 is unseen.
std::vector<Partition> read_partitions(const Dataset& data, const std::string& file,
                                       std::uint64_t seed);

struct CompareOptions {
  std::vector<std::string> methods{};  ///< empty: all
  FitOptions fit{};  ///< what all methods have in common; beta and ridge of BZ-SCR and boosting
};

/// A method in one of its forms, on one split.
struct Measures {
  std::string setting;  ///< hyper-parameters, in words
  double validation_error = 0;
  double error_rate = 0, mean_delta = 0, per_class_top1 = 0;
  bool joint = false;            ///< there are held-out samples of seen classes
  SeenUnseen plain, calibrated;  ///< without and with the penalty
  double penalty = 0, ausuc = 0;
  double seconds = 0;
  std::optional<std::size_t> model_bytes;  ///< empty where no model file can hold it
};

struct Mean {
  double mean = 0, deviation = 0;  ///< sample standard deviation; 0 of one value
};
Mean mean_of(const std::vector<double>& values);

/// Methods that compare() has: bzscr, boosting, sje, ale, nr, cca, devise, eszsl, ridge.
std::vector<std::string> compared_methods();

/// A method in one of its forms: sje and ale with the divergence and with 0-1, cca by cosine and
/// bilinear, as in the paper; of a method's forms the one with the lower error rate counts.
struct ComparedForm {
  std::string method, form;  ///< form: empty where there is only one
  bool counts = true;
  double mean_rank = 0;  ///< by error rate among the paper's methods; 0: not ranked
  std::vector<Measures> splits;
  Mean difference{};          ///< of per-class accuracy to bzscr's, split by split
  int better = 0, worse = 0;  ///< splits
};

struct Comparison {
  std::vector<ComparedForm> forms;
  bool complete = true;  ///< false: stopped; forms have only the splits that all of them finished
};

/// Told of each method on each split as it is done.
using ComparedEvent = std::function<void(const ComparedForm& form, std::size_t split,
                                         const Measures& measures, double fraction)>;

Comparison compare(const Dataset& data, const std::vector<Partition>& partitions,
                   const CompareOptions& options, const Context& context,
                   const ComparedEvent& done = nullptr);

// ---- Plan ----

/// What this machine was measured at, on a part of the data set's own samples.
struct MachineFigures {
  int processes = 1, threads = 1;  ///< that measured; threads of each
  double sample_seconds = 0;       ///< of a rank, for a sample in an evaluation
  double step_seconds = 0;         ///< of every rank alike, between two evaluations
  double latency = 0;              ///< seconds of each step of an allreduce
  double bandwidth = 0;            ///< bytes a second between two ranks
  bool network_measured = false;   ///< else those of a usual network of 10 Gbit/s
};

/// What an evaluation, the objective's value and gradient, costs on some number of ranks.
struct PlannedRun {
  int processes = 1;
  double memory_bytes = 0;   ///< of a rank, beside its features
  double feature_bytes = 0;  ///< that a rank reads in an evaluation
  double message_bytes = 0;  ///< that a rank sums with the others in an evaluation
  double compute_seconds = 0, communication_seconds = 0;
  double speedup = 1;          ///< against one rank
  double weak_efficiency = 1;  ///< kept where each rank has as many samples as there are in all
  double seconds() const { return compute_seconds + communication_seconds; }
};

struct Plan {
  std::int64_t samples = 0, features = 0, weak_models = 0, embedding = 0, classes = 0;
  MachineFigures machine;
  std::vector<PlannedRun> runs;  ///< of 1, 2, 4 to 1024 ranks
  int worth_using = 1;           ///< most ranks of which at least half the time is of use
};

/// Measures this machine, and predicts. All ranks call it; each comes to rank 0's plan.
Plan plan(const Dataset& data, const Partition& partition, const FitOptions& options,
          const Context& context);

// ---- Embeddings of names ----

struct NameEmbeddings {
  std::vector<std::string> names;
  std::int64_t dimension = 0;
  std::vector<float> vectors;                  ///< names x dimension
  std::vector<std::vector<std::string>> used;  ///< for each name the words of the file
  std::string format;                          ///< glove, word2vec-text, word2vec-binary
  std::uint64_t words = 0;                     ///< of the file
};
/// Vectors of class names from a file of word vectors, read once in a few megabytes of memory.
/// \param names   file with a name a line
/// \param format  glove, word2vec-text, word2vec-binary; empty: detected
NameEmbeddings embed_names(const std::string& names, const std::string& vectors,
                           const std::string& format, const Context& context);
/// Writes rows x columns of float32 as a .npy file, whole or not at all.
void write_npy(const std::string& path, const float* values, std::int64_t rows,
               std::int64_t columns);

// ---- Report ----

/// A text with the name that messages call it by.
struct NamedText {
  std::string name, text;
};
/// One HTML page of charts and tables on histories of runs, and on what bzscr-compare --json printed;
/// it needs nothing but itself.
std::string report_page(const std::vector<NamedText>& histories,
                        const std::optional<NamedText>& comparison);

}  // namespace bzscr::train

#endif
