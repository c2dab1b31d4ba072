#include "support/data_options.h"

#include "support/command_line.h"

namespace bzscr::cli {

void add_data_options(CLI::App& app, train::ReadOptions& o, const std::string& group) {
  app.add_option("--embedding", o.embedding,
                 "class embedding: NAME of embeddings/NAME.npy; of several named, each is centred "
                 "and scaled on its own, then they are joined; needed where there are several")
      ->type_name("NAME[,NAME...]")
      ->group(group);
  app.add_option("--missing", o.missing,
                 "an embedding's values that are not known, -1 where no other is negative: refuse; "
                 "mean of the other classes; zero; or keep -1 as a number; default refuse")
      ->check(one_of({"refuse", "mean", "zero", "keep"}))
      ->group(group);
  app.add_option("--divergence", o.divergence,
                 "how far apart classes are: cosine (of the embeddings as given), wordnet (paths "
                 "through its nouns; classes are found by synsets.txt, else by name), zero-one, or "
                 "a C x C matrix in [0, 1]; default: divergence.npy where the folder has it, else "
                 "cosine")
      ->type_name("cosine|wordnet|zero-one|FILE.npy")
      ->group(group);
  app.add_option("--wordnet", o.wordnet,
                 "folder of WordNet 3.0's data.noun and index.noun; default: WNSEARCHDIR of the "
                 "environment, else /usr/share/wordnet")
      ->type_name("DIR")
      ->group(group);
}

void add_scaling_options(CLI::App& app, train::FitOptions& o, const std::string& group) {
  app.add_option("--feature-scaling", o.feature_scaling,
                 "unit: features divided by their length; recorded, repeated on the device; "
                 "default unit")
      ->check(one_of({"none", "unit"}))
      ->group(group);
  app.add_option("--embedding-scaling", o.embedding_scaling,
                 "centre-unit: the mean of the seen classes subtracted, then unit length; default "
                 "centre-unit")
      ->check(one_of({"none", "unit", "centre-unit"}))
      ->group(group);
}

}  // namespace bzscr::cli
