#include "train/help.h"

namespace bzscr::cli {

const char* const kTrainIntroduction =
    R"(Trains a zero-shot classifier (boosted, with semantic correlation regularisation) on features, labels
and class embeddings, and writes a model that the runtime scores on a device,
classes without a single training sample included.
)";

const char* const kTrainEpilogue = R"(
METHODS (--method); what each learns, and the hyper-parameters it is given or has chosen
  bzscr     boosting with semantic correlation regularisation and selection of samples: --nu, --beta
  boosting  the same on all samples at once: --nu, --beta
  sje       structured joint embedding: each sample against the most violating class: --rate, --epochs
  ale       attribute label embedding: against the first violating class drawn, with a ranking weight:
            --rate, --epochs. sje and ale use --divergence, zero-one as published among others
  devise    against the first class in random order within a margin of 0.1: --rate, --epochs
  eszsl     ridge on both sides, in closed form: --gamma, --lambda
  cca       canonical correlations, both sides with a ridge: --gamma, --lambda (relative to the mean variance)
  nr        nonlinear regression on the embeddings: not bilinear, so it cannot be written as a model;
            bzscr-compare measures it

Without --nu and --beta both are chosen on validation classes, then the model is trained on all seen
classes. Training favours seen classes: the penalty that a device subtracts from their scores is chosen
on held-out samples and classes. Ctrl-C writes the best model so far.

Examples:
  bzscr-train data/caltech --embedding hypernyms -o caltech.bzscr
  bzscr-train data/awa --nu 1e-3 --beta 0.4 --history run.jsonl -o awa.bzscr
  bzscr-train data/awa --report awa.html -o awa.bzscr
  bzscr-train data/large --checkpoint large.ckpt --resume -o large.bzscr   # again after a crash
  mpirun -n 8 bzscr-train data/large -o large.bzscr   # built with MPI (preset mpi)
  bzscr-train data/large --plan   # what that would take on 1 to 1024 processes
  bzscr-train data/awa --solver paper --max-iterations 200 --nu 1e-3 --beta 0.4 -o printed.bzscr

Exit codes: 0 done, 2 wrong input or options, 130 interrupted (the best model so far is written).)";

}  // namespace bzscr::cli
