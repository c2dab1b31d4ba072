// bzscr-store: the classes of a device, kept in a folder through power cuts.

#include "store_device.h"
#include "support/command_line.h"
#include "support/program.h"

#include <fmt/format.h>
#include <bzscr_pack/bzscr_pack.hpp>
#include <bzscr_store/bzscr_store.hpp>
#include <bzscr_train/error.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace bzscr;
using namespace bzscr::cli;

constexpr const char* kIntroduction =
    "Keeps the classes of a device in a folder, through power cuts: changes them, and takes packs "
    "that\n"
    "bzscr-pack has made.\n";

constexpr const char* kEpilogue =
    "Examples, each with --store /var/lib/shop --model m.bzscr:\n"
    "  bzscr-store apply new.bzpack --trust shop.pub --require-signature\n"
    "  bzscr-store list\n"
    "  bzscr-store add okapi --embedding okapi.npy\n"
    "  bzscr-store add gnu --numbers '0.5 0 1.25'\n"
    "  bzscr-store history\n"
    "  bzscr-store rollback 3\n"
    "A change is on the disk when the command returns, or nothing has changed. Embeddings are raw, "
    "as the trainer\n"
    "was given them. Exit code 2: wrong input, with the reason on standard error.\n";

struct Options : StoreOptions {
  std::string pack, name, new_name, embedding, numbers;
  std::uint32_t sequence = 0, row = 0;
  std::optional<std::uint32_t> id;
  bool allow_older = false;
};

std::vector<float> embedding_of(const Options& options, const Device& device) {
  if (options.embedding.empty() && options.numbers.empty())
    throw pack::Error(options.name, "has no embedding: expected --embedding or --numbers");
  const bool in_file = !options.embedding.empty();
  const std::string where = in_file ? options.embedding : "--numbers";
  std::vector<float> phi = in_file ? pack::read_embedding(where, options.name, options.row)
                                   : pack::parse_numbers(options.numbers, where);
  const std::size_t d = device.scorer().info().embedding_dimension;
  if (phi.size() == d) return phi;
  throw pack::Error(where,
                    fmt::format("the embedding has {} numbers, the model's {}", phi.size(), d));
}

void run_add(const Options& options) try {
  Device device(options);
  if (device.has_class(options.name))
    throw pack::Error(options.store, "there is a class '" + options.name + "'; replace changes it");
  const std::vector<float> phi = embedding_of(options, device);
  if (options.id) device.store().add(*options.id, options.name, phi);
  const std::uint32_t id = options.id ? *options.id : device.store().add(options.name, phi);
  device.print_state(fmt::format("added '{}' as {}", options.name, id));
} catch (const StoreError& error) {
  if (!options.id || error.status() != BZSCR_STORE_ID_TAKEN) throw;
  throw pack::Error(options.store, fmt::format("id {} is taken", *options.id));
}

void run_replace(const Options& options) {
  Device device(options);
  const std::vector<float> phi = embedding_of(options, device);
  device.store().replace(device.class_id(options.name), phi);
  device.print_state("replaced '" + options.name + "'");
}

void run_remove(const Options& options) {
  Device device(options);
  device.store().remove(device.class_id(options.name));
  device.print_state("removed '" + options.name + "'");
}

void run_rename(const Options& options) {
  Device device(options);
  device.store().rename(device.class_id(options.name), options.new_name);
  device.print_state("renamed '" + options.name + "' to '" + options.new_name + "'");
}

void run_apply(const Options& options) {
  const AlignedFile file = read_aligned(options.pack);
  Device device(options);
  try {
    device.store().apply(file.bytes.get(), file.size,
                         options.allow_older ? BZSCR_STORE_ALLOW_OLDER : 0);
  } catch (const StoreError& error) {
    const bzscr_store_status status = error.status();
    if (status == BZSCR_STORE_IO || status == BZSCR_STORE_FULL) throw;
    const char* advice = status == BZSCR_STORE_STALE ? "; --allow-older takes it all the same" : "";
    throw pack::Error(options.pack, error.what() + std::string(advice));
  }
  device.print_state("applied " + options.pack);
}

void run_rollback(const Options& options) {
  Device device(options);
  device.store().rollback(options.sequence);
  device.print_state(fmt::format("back to record {}", options.sequence));
}

void run_compact(const Options& options) {
  Device device(options);
  device.store().compact();
  device.print_state("compacted");
}

void run_list(const Options& options) { Device(options, false).print_classes(); }
void run_history(const Options& options) { Device(options, false).print_history(); }
void run_check(const Options& options) { Device(options, false).print_check(); }

using Command = void (*)(const Options&);

CLI::App* describe_command(CLI::App& app, Options& options, Command& chosen, const char* name,
                           Command run, const char* description) {
  CLI::App* sub = app.add_subcommand(name, description);
  sub->callback([&chosen, run] { chosen = run; });
  sub->add_option("--store", options.store, "folder of the classes; made by the first change")
      ->required()
      ->type_name("DIR");
  sub->add_option("--model", options.model, "model file")->required()->type_name("FILE");
  sub->add_option(
      "--capacity", options.capacity,
      "most classes at any one time; default: 1000 more than the model has, or twice as many");
  sub->add_flag("--accept-last-good", options.accept_last_good,
                "of a damaged store take the last state that is whole");
  sub->add_flag("--json", options.json, "print JSON instead of text");
  return sub;
}

void describe_options(CLI::App& app, Options& options, Command& chosen) {
  app.footer(kEpilogue);
  app.require_subcommand(1);
  app.set_version_flag("--version", "bzscr-store " BZSCR_VERSION)->description("print the version");
  const auto command = [&](const char* name, Command run, const char* description) {
    return describe_command(app, options, chosen, name, run, description);
  };
  command("list", run_list, "the device's classes");
  CLI::App* add = command("add", run_add, "a new class");
  CLI::App* replace = command("replace", run_replace, "another embedding for a class");
  CLI::App* remove = command("remove", run_remove, "take a class out");
  CLI::App* rename = command("rename", run_rename, "another name for a class");
  CLI::App* apply = command("apply", run_apply, "make the changes of a pack, all or none");
  command("history", run_history, "what changed since the last snapshot, and who changed it");
  CLI::App* rollback =
      command("rollback", run_rollback, "back to the state after a record of the history");
  command("compact", run_compact, "write the state anew, which ends the history");
  command("check", run_check, "read all of the store");

  for (CLI::App* each : {add, replace, remove, rename})
    each->add_option("NAME", options.name, "of the class")->required();
  for (CLI::App* each : {add, replace}) {
    CLI::Option* file = each->add_option("--embedding", options.embedding,
                                         ".npy, .csv/.tsv with a column 'class', or text: numbers");
    file->type_name("FILE");
    each->add_option("--numbers", options.numbers,
                     "in place of a file: the numbers, with blanks or commas between")
        ->excludes(file);
    each->add_option("--row", options.row, "of the .npy, from 0");
  }
  add->add_option("--id", options.id, "default: from 2^31 up, where no pack's are");
  rename->add_option("NEW", options.new_name, "its name to be")->required();
  apply->add_option("PACK", options.pack)->required();
  apply
      ->add_option("--trust", options.trusted,
                   "public keys; a signed pack must be signed by one of them")
      ->type_name("FILE.pub");
  apply->add_flag("--require-signature", options.require_signature,
                  "refuse packs that are not signed");
  apply->add_flag("--allow-older", options.allow_older, "take the pack whatever its counter");
  rollback->add_option("RECORD", options.sequence)->required();
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("bzscr-store", argc, argv, [&] {
    Options options;
    Command chosen = nullptr;
    CLI::App app(kIntroduction, "bzscr-store");
    describe_options(app, options, chosen);
    if (const std::optional<int> exit_code = parse_command_line(app, argc, argv)) return *exit_code;
    try {
      chosen(options);
    } catch (const std::runtime_error& error) {  // of the pack and the store
      throw InputError(error.what());
    }
    return kExitDone;
  });
}
