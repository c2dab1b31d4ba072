#include "support/libraries.h"
#include "support/program.h"
#include "train/train.h"

int main(int argc, char** argv) {
  return bzscr::cli::run_program("bzscr-train", argc, argv, [&] {
    bzscr::cli::prepare_libraries(argv);
    return bzscr::cli::run_train(argc, argv, {});
  });
}
