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
  app.add_option(
         "--feature-scaling", o.feature_scaling,
         "unit: samples divided by their length; standard: columns minus their mean, by "
         "their standard deviation, and then as unit, for sensors and other columns of "
         "their own units; auto: standard if one column carries nearly all of the length, else "
         "unit; recorded, repeated on the device; default auto")
      ->check(one_of({"auto", "none", "unit", "standard"}))
      ->group(group);
  app.add_option("--embedding-scaling", o.embedding_scaling,
                 "centre-unit: the mean of the seen classes subtracted, then unit length; default "
                 "centre-unit")
      ->check(one_of({"none", "unit", "centre-unit"}))
      ->group(group);
}

void add_boosting_options(CLI::App& app, train::FitOptions& o, const std::string& group) {
  const auto add = [&](const char* name, auto& value, const char* type, const char* text) {
    return app.add_option(name, value, std::string("bzscr, boosting: ") + text)
        ->type_name(type)
        ->group(group);
  };
  add("--beta", o.beta, "X",
      "weight of the semantic correlation term, from 0 (off); default: chosen");
  add("--ridge", o.ridge, "X",
      "of |W|^2 / 2, beside nu: spreads W over more weak models, which often separates unseen "
      "classes better; 0: the paper's objective; default 0.01, and 0 with --solver paper");
  add("--base", o.base, "KIND",
      "ridge: boosting starts from the ridge regression from embeddings to class means, and adds "
      "weak models to it; default ridge, and none with --solver paper")
      ->check(one_of({"none", "ridge"}));
  add("--own-part", o.own_part, "X",
      "length of a dimension that each seen class has of its own beside its embedding, for what "
      "only its samples tell; 0: none; default 1, and 0 with --solver paper");
  add("--score", o.score, "KIND",
      "scores are divided by a power of the length of the class's vector W phi: plain (0), half "
      "(1/2) or cosine (1); default cosine, and plain with --solver paper")
      ->check(one_of({"plain", "half", "cosine"}));
  app.add_flag_function(
         "--feature-centring,!--no-feature-centring",
         [&o](std::int64_t given) { o.feature_centring = given > 0; },
         "bzscr, boosting: features minus the mean of the training samples, after their "
         "scaling; default on, and off with --solver paper")
      ->group(group);
}

}  // namespace bzscr::cli
