// bzscr_train.hpp - the C++ API that trains, evaluates and compares zero-shot classifiers. The
// programs bzscr-train, bzscr-compare and bzscr-eval call it. C++17; it includes nothing but the
// standard library.
//
//   using namespace bzscr::train;
//   const Dataset data = Dataset::read("data/awa", {}, {});
//   const Model model = fit(data, data.partition(), {}, {});
//   const std::vector<std::uint8_t> file = model.serialise();   // for bzscr_rt_open() on a device
//
// Process       Nothing here prints, exits, catches signals, parses a command line or changes
//               settings of the whole process. Set OPENBLAS_NUM_THREADS=1 if results must not
//               depend on the number of threads: fit() reports a note where OpenBLAS starts
//               threads of its own.
// Errors        Invalid input throws bzscr::InputError (error.hpp) with file, row, what was found
//               and what was expected. Out of memory throws std::bad_alloc. Any other exception is
//               a bug.
// Threads       Several calls may run at the same time, each with its own Context. Objects are
//               values; const members may be called from several threads at once.
// Files         Mapped files of features must keep their length and content; replacing them by
//               rename is safe. Between passes a file that became shorter or was written to throws
//               InputError. Within a pass, reading pages that it lost raises SIGBUS, which is the
//               process's business.
// Determinism   The same data and options give the same bytes, for any number of threads.
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

/// An iteration of BZ-SCR or boosting. The objective and its bound are sums over the samples of the
/// phase.
struct IterationEvent {
  std::int64_t number = 0;       ///< of the iteration, from 1
  std::int64_t samples = 0;      ///< N
  double nu = 0, beta = 0;       ///< per sample
  double violation = 0;          ///< sigma_1(G)
  double objective = 0;          ///< Eq. (5) with the sample weights of the iteration
  double lower_bound = 0;        ///< certified lower bound of the optimal objective
  double relative_gap = 0;       ///< (objective - lower_bound) / objective
  std::int64_t weak_models = 0;  ///< with w > 0
  double selected = 1;           ///< share of samples with s > 0
  /// Error rates in [0, 1]; -1: not measured.
  double training_error = -1, validation_error = -1, test_error = -1;
  std::int64_t evaluations = 0;  ///< passes over the samples
};

/// Hyper-parameters whose error on validation classes was measured.
struct TrialEvent {
  std::vector<std::pair<std::string, double>> parameters;  ///< "nu" 1e-3, "beta" 0.4
  double validation_error = 1;   ///< 1 - per-class accuracy; of one fold for methods of baselines/
  std::int64_t weak_models = 0;  ///< 0: the method has no weak models
  std::int64_t evaluations = 0;  ///< passes over the samples; 0: not counted
  std::int64_t done = 0;         ///< trials so far
  std::int64_t at_most = 1;      ///< upper bound of the number of trials
};

/// Callbacks for progress. They are called one at a time, on the calling thread or on one of its
/// worker threads. An exception that a callback throws ends the call of the library.
class Events {
 public:
  virtual ~Events() = default;
  /// A phase begins: "tuning", "validation", "training", "calibration", "comparing". Its progress
  /// starts at 0.
  virtual void phase(const std::string& /*name*/) {}
  /// A phase ended after `evaluations` passes over the samples.
  virtual void phase_ended(const std::string& /*name*/, std::int64_t /*evaluations*/) {}
  /// The finished fraction of the phase, in [0, 1].
  virtual void progress(double /*fraction*/) {}
  virtual void iteration(const std::string& /*phase*/, const IterationEvent&) {}
  virtual void trial(const TrialEvent&) {}
  /// A warning: valid input that may be a mistake. One line.
  virtual void note(const std::string&) {}
};

/// The resources of a call, its progress callbacks and its stop condition.
struct Context {
  int threads = 0;                       ///< >= 0; 0: OMP_NUM_THREADS, or one per core
  Communicator* communicator = nullptr;  ///< ranks that train one model (mpi.hpp); null: one rank
  /// Called between steps. Once it returns true, the call ends with the best model so far.
  std::function<bool()> stop{};
  CostCounters* counters = nullptr;  ///< for benchmarks of the library; null: internal counters
  Events* events = nullptr;          ///< null: no callbacks
};

/// The BLAS library that this process has loaded.
struct LinearAlgebra {
  std::string description;  ///< its build and the kernels that it selected
  std::string kernels;      ///< "SkylakeX"
  int threads = 1;          ///< that it starts by itself; results are reproducible with 1
  /// Small test products are correct. Some builds return wrong products on newer processors.
  bool correct = true;
};
LinearAlgebra linear_algebra();

// ---- Data ----

enum class Type : std::uint8_t { kFloat16, kFloat32, kFloat64 };

/// A view of a matrix in memory or in a mapped file. The values must outlive the data set that is
/// made of the view. They are never copied as a whole.
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

/// A data set as arrays. The checks are those of a data set from files.
struct Arrays {
  ArrayView features;                       ///< N x m, finite, no row of zeros
  std::vector<std::int64_t> labels;         ///< N: rows of `classes`, from 0
  std::vector<std::string> classes;         ///< C names, unique
  std::vector<NamedArray> embeddings;       ///< each C x d; several are concatenated by columns
  std::vector<std::string> unseen_classes;  ///< of classes; may be empty
  std::vector<std::vector<std::string>> validation_folds{};  ///< seen classes; may be empty
  std::vector<std::int64_t> held_out{};  ///< test samples of seen classes, never trained on
};

struct ReadOptions {
  /// "glove,hypernyms": concatenated in this order; empty: the only one of the data set.
  std::string embedding{};
  std::string missing = "refuse";  ///< treatment of -1 for "not known": refuse, mean, zero, keep
  /// cosine, wordnet, zero-one or a C x C .npy file; empty: the data set's own, or else cosine.
  std::string divergence{};
  std::string wordnet{};        ///< folder of WordNet's database; empty: Debian's folder
  bool all_embeddings = false;  ///< if `embedding` is empty: all of them in order of name
};

/// The role of each class and sample: seen, unseen, validation, held out. It holds indices only, so
/// that several splits share one data set.
struct Partition {
  std::vector<std::int64_t> unseen{};  ///< classes without training samples, ascending
  /// Seen classes that are held out to choose hyper-parameters, one list per fold.
  std::vector<std::vector<std::int64_t>> validation_folds{};
  std::vector<std::int64_t> held_out{};  ///< test samples of seen classes, ascending
};

/// Counts of a partition, and a hash that differs where two splits differ.
struct SplitSummary {
  std::size_t seen_classes = 0, unseen_classes = 0;
  std::size_t training_samples = 0, held_out_samples = 0, unseen_samples = 0;
  std::string hash;  ///< hexadecimal
  std::string text;  ///< one line
};

/// Features, labels, classes with their embeddings, and the divergence between classes. Copies
/// share the content.
class Dataset {
 public:
  /// A folder, an .npz archive or a folder of MATLAB files; features stay mapped.
  static Dataset read(const std::string& path, const ReadOptions& options, const Context& context);
  /// \param name  replaces the path in messages and records
  static Dataset from_arrays(const Arrays& arrays, const std::string& name,
                             const ReadOptions& options, const Context& context);

  const std::string& path() const;
  std::int64_t samples() const;   ///< N
  std::int64_t features() const;  ///< m
  Type feature_type() const;
  const std::vector<std::string>& feature_names() const;  ///< m, of a table; else empty
  const std::vector<std::string>& classes() const;
  std::vector<std::int32_t> labels() const;           ///< N
  std::string embedding() const;                      ///< "glove,hypernyms"
  std::int64_t embedding_dimension() const;           ///< d
  std::vector<std::int64_t> embedding_parts() const;  ///< dimensions of the parts; empty: one part
  const std::vector<std::string>& embedding_columns() const;   ///< d, if all are tables; else empty
  std::vector<float> class_embedding(std::int64_t row) const;  ///< d values, not scaled
  std::string divergence() const;  ///< "cosine", "wordnet", "zero-one", a file's name
  std::string hash() const;        ///< hexadecimal
  const std::vector<std::string>& notes() const;  ///< warnings, one line each
  Partition partition() const;                    ///< as the data set's files define it
  SplitSummary split() const;                     ///< of partition()
  /// Writes a folder that reads as the same data set. The write is atomic: the folder is complete
  /// or absent.
  void write(const std::string& folder, bool replace) const;

  struct Content;
  const Content& content() const { return *content_; }  ///< for the library itself
  explicit Dataset(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

 private:
  std::shared_ptr<const Content> content_;
};

/// Throws InputError unless Dataset::write() can write there. Call it before long computations.
void expect_writable_dataset(const std::string& folder, bool replace);

/// A description of the data set formats, for the help text of a program.
const char* dataset_help();

// ---- Fit ----

/// The methods: bzscr, boosting, sje, ale, devise, eszsl, cca, ridge, nr; cca-bilinear and
/// cca-cosine name the two forms of cca.
struct Method {
  std::string name;
  std::vector<std::string> parameters;  ///< hyper-parameters, chosen by fit() where not given
  bool in_model_file;                   ///< bilinear: Model::serialise() can write it
};
const std::vector<Method>& methods();

struct FitOptions {
  std::string method = "bzscr";
  /// none, unit, standard; auto: standard if one column carries nearly all of the length of the
  /// samples, else unit.
  std::string feature_scaling = "auto";
  std::string embedding_scaling = "centre-unit";  ///< none, unit, centre-unit

  // BZ-SCR and boosting
  /// Features minus the mean of the training samples, after the scaling. Empty: yes, and no with
  /// solver paper.
  std::optional<bool> feature_centring{};
  /// Scores are divided by a power of the length of the class's vector W phi: plain (0), half (1/2),
  /// cosine (1). Empty: cosine, and plain with solver paper.
  std::string score{};
  /// gamma, >= 0: each seen class has a dimension of its own beside its embedding, of this length;
  /// embeddings of unit length compare with 1. 0: none. Empty: 1, and 0 with solver paper.
  std::optional<double> own_part{};

  /// Directions of x that a model has at least, if x has so many, so that classes can be taught on
  /// a device: beside its weak models those along which the samples vary most. 0: its weak models'.
  int teaching_directions = 128;

  // BZ-SCR and boosting: Eq. (5), per sample
  std::string solver = "refine";  ///< refine; paper: Algorithm 1 as printed
  std::optional<double> nu{};     ///< regularisation weight of w, > 0; empty: chosen
  std::optional<double> beta{};   ///< weight of the correlation term, >= 0; empty: chosen
  std::optional<double> ridge{};  ///< of |W|^2 / 2, >= 0; empty: 0.01, and 0 with solver paper
  /// ridge: boosting starts from the ridge regression from embeddings to class means, times the
  /// factor that makes the loss least, instead of zero; none. Empty: ridge, and none with solver
  /// paper.
  std::string base{};
  double initial_share = 0.5;         ///< share of samples that are selected at first, in (0, 1]
  double share_growth = 1.1;          ///< factor per iteration, > 1
  double final_share = 1;             ///< in [initial_share, 1]
  double full_share = 0.8;            ///< share of the selected that have s = 1, in [0, 1)
  double gap = 1e-3;                  ///< refine: certified relative gap to stop at, in (0, 1)
  double tolerance = 1e-3;            ///< paper: epsilon, relative, >= 0
  std::int64_t min_iterations = 50;   ///< paper: T_ES
  std::int64_t max_iterations = 500;  ///< >= 1
  bool early_stopping = true;         ///< paper: number of iterations chosen on validation classes

  // The other methods; empty: chosen
  std::optional<double> rate{}, epochs{}, gamma{}, lambda{};
  bool average = false;  ///< sje, ale, devise: the mean of all iterates instead of the last

  int folds = 3;  ///< validation folds drawn where the partition names none, 1 to 5
  std::uint64_t seed = 1;
  bool calibration = true;  ///< choose the penalty on the scores of seen classes

  std::string curves = "none";  ///< errors by iteration: none, validation, test (unseen classes)
  bool test_unseen = false;     ///< measure Model::unseen; no choice depends on it
  std::string history{};        ///< file of JSON lines (trainer/report/README.md); empty: none
  /// File; empty: none. BZ-SCR and boosting. Throws InputError if the file, or that with the ending
  /// ".previous", is no checkpoint, or is one and `resume` is false.
  std::string checkpoint{};
  double checkpoint_seconds = 60;
  bool resume = false;  ///< continue from the checkpoint; append to the history
};

struct SeenUnseen {
  double seen = 0;    ///< S: accuracy per seen class, averaged, in [0, 1]
  double unseen = 0;  ///< U: the same over unseen classes
  double harmonic() const { return seen + unseen > 0 ? 2 * seen * unseen / (seen + unseen) : 0; }
};

/// The test where seen and unseen classes compete: held-out samples of seen classes and those of
/// unseen classes are scored among all classes.
struct JointTest {
  SeenUnseen without, with;  ///< without and with Model::seen_penalty
  double ausuc = 0;          ///< area under U as a function of S, over all penalties
};

/// The test on unseen classes: their samples are scored among these classes only.
struct UnseenTest {
  std::vector<std::string> classes;
  std::vector<std::vector<std::int64_t>> confusion;  ///< counts by true class and predicted class
  std::int64_t samples = 0;
  double error_rate = 0;      ///< in [0, 1]
  double mean_delta = 0;      ///< mean divergence between true and predicted class, in [0, 1]
  double per_class_top1 = 0;  ///< accuracy per class, averaged over the classes, in [0, 1]
  std::optional<JointTest> joint{};  ///< empty: no sample of a seen class was held out
};

struct Trial {
  std::vector<std::pair<std::string, double>> parameters;
  double validation_error = 1;
  std::int64_t weak_models = 0, evaluations = 0;
};

/// Per-class accuracy of validation classes among all classes, with the penalty, after so many
/// labelled samples of each.
struct TaughtAccuracyRecord {
  std::int64_t shots = 0;
  double accuracy = 0;
};

enum class Ending { kConverged, kEarlyStopping, kIterationLimit, kInterrupted };

/// The cost of the passes over the samples on this rank.
struct Cost {
  std::int64_t evaluations = 0;  ///< passes, tuning and validation included
  double seconds = 0;            ///< of fit()
  double seconds_in_passes = 0;
  std::int64_t message_bytes = 0;  ///< summed over ranks
  double waiting_seconds = 0;      ///< for other ranks
};

/// A trained model with the record of its training.
class Model {
 public:
  std::string method, solver;
  std::vector<std::pair<std::string, double>> parameters;  ///< "nu", "beta"; "rate", "epochs"; ...
  double ridge = 0;
  std::string base;   ///< "ridge", "none"
  std::string score;  ///< "plain", "half", "cosine"
  double own_part = 0;
  bool feature_centring = false;
  bool tuned = false;
  std::vector<Trial> tried;
  double validation_error = -1;  ///< -1: not measured
  double seen_penalty = 0;       ///< is subtracted from the scores of seen classes
  /// Harmonic mean with that penalty, on held-out samples and classes; -1: not measured.
  double validation_harmonic = -1;
  std::vector<TaughtAccuracyRecord> taught;                 ///< empty: the model cannot be taught
  double objective = 0, lower_bound = 0, relative_gap = 0;  ///< of BZ-SCR and boosting
  std::int64_t weak_models = 0;                             ///< or the rank of W
  std::int64_t iterations = 0, samples = 0;
  Ending ending = Ending::kConverged;
  bool correlation = true;  ///< the correlation term was in use: two unseen classes or more
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

/// Throws InputError, as fit() would, for options that are wrong by themselves, and for members that
/// the method or its solver does not have; reads no data.
/// \param given  members of FitOptions that a user has set, perhaps to their default: "gap". Members
///   that differ from their default count as given in any case.
void check(const FitOptions& options, const std::vector<std::string>& given = {});

/// Trains a model on a data set. Hyper-parameters that are not given are chosen on validation
/// folds, then the model is trained on all seen classes, then the penalty of seen classes is chosen
/// on samples and classes that are held out for it. No choice depends on unseen classes or on
/// held-out samples of the partition. After a stop it returns the best model so far, or throws
/// InputError (kInterrupted) if there is none.
Model fit(const Dataset& data, const Partition& partition, const FitOptions& options,
          const Context& context);

/// Removes a checkpoint and the one before it, and no other file. Call it once the model has been
/// written.
void remove_checkpoint(const std::string& path);

// ---- Evaluate ----

/// Classes that compete, and the samples that are scored among them.
struct Selection {
  std::string description;              ///< "unseen", "validation", "seen", "all"
  std::vector<std::int64_t> classes{};  ///< rows of the data set's classes, ascending
  std::vector<std::int64_t> samples{};  ///< rows of its features, ascending
};

/// The classes and samples that `which` names. Throws InputError where there is none.
///   unseen       all samples of the unseen classes, scored among these classes
///   validation   the same of the first validation fold
///   seen         held-out samples, scored among the seen classes
///   all          samples of unseen classes and held-out samples, scored among all classes
Selection select(const Dataset& data, const Partition& partition, const std::string& which);

/// Scores samples with a model, usually through the runtime with the classes of a selection.
class SampleScorer {
 public:
  virtual ~SampleScorer() = default;
  /// Several threads call it at once.
  /// \param X       n x m, raw features, row-major
  /// \param n       number of samples, >= 1
  /// \param row     row of the first sample in the data set, for messages
  /// \param scores  n x C, output: C classes in the order of Selection::classes
  virtual void score(const float* X, std::int64_t n, std::int64_t row, float* scores) const = 0;
};

struct ClassAccuracy {
  std::int64_t class_row = 0, samples = 0, correct = 0;
};

struct Evaluation {
  std::int64_t samples = 0, classes_with_samples = 0;
  double error_rate = 0;      ///< share of misclassified samples, in [0, 1]
  double mean_delta = 0;      ///< mean divergence between true and predicted class, in [0, 1]
  double per_class_top1 = 0;  ///< accuracy per class, averaged over the classes with samples
  double top5 = 0;            ///< share of samples whose true class is among the five best
  std::vector<ClassAccuracy> per_class;  ///< in the order of Selection::classes
  std::vector<std::int32_t> best;        ///< predicted class of each sample, index of `classes`
};
Evaluation evaluate(const Dataset& data, const Selection& selection, const SampleScorer& scorer,
                    const Context& context);

struct JointEvaluation {
  SeenUnseen without, with;              ///< without and with the penalty
  double among_unseen = 0;               ///< U if unseen classes alone compete
  double ausuc = 0;                      ///< area under U as a function of S, over all penalties
  std::vector<ClassAccuracy> per_class;  ///< with the penalty
};
/// Generalised zero-shot learning: samples are scored among seen and unseen classes.
/// \param penalty  that the scorer has already subtracted from the scores of seen classes
JointEvaluation evaluate_jointly(const Dataset& data, const Partition& partition,
                                 const Selection& all, const SampleScorer& scorer, double penalty,
                                 const Context& context);

struct Mean {
  double mean = 0, deviation = 0;  ///< sample standard deviation; 0 of one value
};
Mean mean_of(const std::vector<double>& values);

/// A scorer whose classes are taught by labelled samples, as on a device (bzscr_rt_teach).
class TeachableScorer : public SampleScorer {
 public:
  /// \param place  of the class in Selection::classes
  /// \param x      m, raw features
  /// \param row    of the sample in the data set, for messages
  virtual void teach(std::int64_t place, const float* x, std::int64_t row) = 0;
  /// Forgets all samples of all classes.
  virtual void forget() = 0;
};

struct TeachOptions {
  std::vector<std::int64_t> shots{1, 2, 5, 10};  ///< samples of each unseen class; rising, >= 1
  std::int64_t repeats = 10;                     ///< with other samples; >= 1
  std::uint64_t seed = 1;
};

/// Means over the repeats.
struct AfterTeaching {
  std::int64_t shots = 0;       ///< samples of each unseen class
  Mean among_unseen;            ///< per-class accuracy of unseen classes among these
  Mean seen, unseen, harmonic;  ///< S, U and H among all classes, with the penalty
};
struct TeachingEvaluation {
  bool joint = false;                ///< seen classes compete too; else S, U and H are not measured
  std::int64_t tested = 0;           ///< samples that test, of seen and of unseen classes
  std::vector<AfterTeaching> after;  ///< 0 samples, then TeachOptions::shots
};
/// Teaches all unseen classes samples that are drawn at random, and tests all classes on others: the
/// same ones for each number of samples, which are those that the largest number leaves. No class is
/// taught more than half of its samples.
/// \param selection  of select(): "unseen", or "all" where the scorer has subtracted the penalty
TeachingEvaluation evaluate_taught(const Dataset& data, const Partition& partition,
                                   const Selection& selection, TeachableScorer& scorer,
                                   const TeachOptions& options, const Context& context);

// ---- Compare ----

/// Random class splits by a seed, with as many unseen classes as the data set has; validation classes
/// are drawn when they are needed (FitOptions::folds). A fifth of the samples of each seen class is held out.
/// \param count  1 to 10,000
std::vector<Partition> draw_partitions(const Dataset& data, std::int64_t count, std::uint64_t seed);
/// From a .npy file of splits x C: 0 trains, 1 validates, 2 is unseen.
std::vector<Partition> read_partitions(const Dataset& data, const std::string& file,
                                       std::uint64_t seed);

struct CompareOptions {
  std::vector<std::string> methods{};  ///< empty: all
  FitOptions fit{};  ///< options common to all methods; of BZ-SCR and boosting: its own but nu
};

/// What a model is worth after labelled samples of each unseen class (schema/FORMAT.md, teaching).
struct TaughtMeasures {
  std::int64_t shots = 0;   ///< samples of each class
  double among_unseen = 0;  ///< per-class accuracy of unseen classes among these
  SeenUnseen joint;         ///< among all classes, with the penalty
};

/// A method in one of its forms, on one split.
struct Measures {
  std::string setting;  ///< hyper-parameters, in words
  double validation_error = 0;
  double error_rate = 0, mean_delta = 0, per_class_top1 = 0;
  bool joint = false;            ///< there are held-out samples of seen classes
  SeenUnseen plain, calibrated;  ///< without and with the penalty
  double penalty = 0, ausuc = 0;
  std::vector<TaughtMeasures> taught{};  ///< of a model that can be taught: 0, 1, 2, 5, 10 samples
  double seconds = 0;
  std::optional<std::size_t> model_bytes;  ///< empty where no model file can hold it
};

/// The methods that compare() knows: bzscr, boosting, sje, ale, nr, cca, devise, eszsl, ridge.
std::vector<std::string> compared_methods();

/// A method in one of its forms: sje and ale with the divergence and with 0-1, cca by cosine and
/// bilinear, as in the paper. The form with the lowest error rate counts for its method.
struct ComparedForm {
  std::string method, form;  ///< form: empty where there is only one
  bool counts = true;
  double mean_rank = 0;  ///< by error rate among the paper's methods; 0: not ranked
  std::vector<Measures> splits;
  Mean difference{};          ///< of per-class accuracy to bzscr's, split by split
  int better = 0, worse = 0;  ///< splits
};

struct Comparison {
  std::vector<ComparedForm> forms;  ///< all with the same splits
  /// false: stopped. The forms have the splits that all of them finished; before there is one, these
  /// are the forms that finished one split, that of most forms.
  bool complete = true;
  std::size_t asked_forms = 0;  ///< number of forms that were to be compared
};

/// Called after each method has finished a split. Events::progress() tells the progress in between.
using ComparedEvent = std::function<void(const ComparedForm& form, std::size_t split,
                                         const Measures& measures, double fraction)>;

Comparison compare(const Dataset& data, const std::vector<Partition>& partitions,
                   const CompareOptions& options, const Context& context,
                   const ComparedEvent& done = nullptr);

// ---- Plan ----

/// Measurements of this machine on a part of the data set's samples.
struct MachineFigures {
  int processes = 1;              ///< ranks that measured
  int threads = 1;                ///< of each rank
  double sample_seconds = 0;      ///< of one rank per sample in an evaluation
  double step_seconds = 0;        ///< replicated on every rank, per evaluation
  double latency = 0;             ///< seconds per step of an allreduce
  double bandwidth = 0;           ///< bytes per second between two ranks
  bool network_measured = false;  ///< false: latency and bandwidth of a usual 10 Gbit/s network
};

/// The predicted cost of an evaluation (value and gradient of the objective) on a number of ranks.
struct PlannedRun {
  int processes = 1;         ///< ranks
  double memory_bytes = 0;   ///< of a rank, without its features
  double feature_bytes = 0;  ///< that a rank reads in an evaluation
  double message_bytes = 0;  ///< of the allreduce of an evaluation, per rank
  double compute_seconds = 0, communication_seconds = 0;
  double speedup = 1;          ///< relative to one rank
  double weak_efficiency = 1;  ///< parallel efficiency with N samples on each rank
  double seconds() const { return compute_seconds + communication_seconds; }
};

struct Plan {
  std::int64_t samples = 0, features = 0, weak_models = 0, embedding = 0, classes = 0;
  MachineFigures machine;
  std::vector<PlannedRun> runs;  ///< of 1, 2, 4 to 1024 ranks
  int worth_using = 1;           ///< highest number of ranks with an efficiency of at least 1/2
};

/// Measures this machine and predicts the cost on 1 to 1024 ranks. All ranks call it and get the
/// plan of rank 0.
Plan plan(const Dataset& data, const Partition& partition, const FitOptions& options,
          const Context& context);

// ---- Embeddings of names ----

struct NameEmbeddings {
  std::vector<std::string> names;
  std::int64_t dimension = 0;
  std::vector<float> vectors;                  ///< names x dimension
  std::vector<std::vector<std::string>> used;  ///< for each name, the words that were found for it
  std::string format;                          ///< glove, word2vec-text, word2vec-binary
  std::uint64_t words = 0;                     ///< number of words in the file
  std::string note{};  ///< a warning: the file holds more or fewer words than it announces
};
/// Vectors of class names from a file of word vectors. The file is read once, in a few megabytes of
/// memory.
/// \param names   file with one name per line
/// \param format  glove, word2vec-text, word2vec-binary; empty: detected
NameEmbeddings embed_names(const std::string& names, const std::string& vectors,
                           const std::string& format, const Context& context);
/// Writes a rows x columns matrix of float32 as a .npy file. The write is atomic.
void write_npy(const std::string& path, const float* values, std::int64_t rows,
               std::int64_t columns);

// ---- Report ----

/// A text, and the name that error messages use for it.
struct NamedText {
  std::string name, text;
};
struct ReportPage {
  std::string html;
  std::size_t methods = 0;           ///< that were compared
  std::vector<std::string> notes{};  ///< on what was left out of a history, as a run was killed
};
/// A self-contained HTML page with charts and tables of the histories of runs (Model::history) and
/// of a comparison of methods (a JSON object with the list "methods").
ReportPage report_page(const std::vector<NamedText>& histories,
                       const std::optional<NamedText>& comparison);

}  // namespace bzscr::train

#endif
