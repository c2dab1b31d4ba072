// bzscr-store: the classes of a device, kept in a folder through power cuts.

#include "store_device.h"
#include "support/command_line.h"
#include "support/program.h"

#include <fmt/format.h>
#include <bzscr_pack/bzscr_pack.hpp>
#include <bzscr_store/bzscr_store.hpp>
#include <bzscr_train/error.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
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
    "  bzscr-store teach okapi --features seen.npy --row 3\n"
    "  bzscr-store forget okapi\n"
    "  bzscr-store history\n"
    "  bzscr-store rollback 3\n"
    "A change is on the disk when the command returns, or nothing has changed. Embeddings and "
    "features are raw,\n"
    "as the trainer was given them. Exit code 2: wrong input, with the reason on standard error.\n";

struct Options : StoreOptions {
  std::string pack, name, new_name, embedding, numbers, features;
  std::uint32_t sequence = 0;
  std::optional<std::uint32_t> id, row;
  float weight = 1;
  bool allow_older = false, replace = false;
};

std::vector<float> embedding_of(const Options& options, const Device& device) {
  if (options.embedding.empty() && options.numbers.empty())
    throw pack::Error(options.name, "has no embedding: expected --embedding or --numbers");
  const bool in_file = !options.embedding.empty();
  if (options.row && !in_file)
    throw pack::Error("--row", "is of a file; expected --embedding FILE.npy");
  const std::string where = in_file ? options.embedding : "--numbers";
  std::vector<float> phi = in_file ? pack::read_embedding(where, options.name, options.row)
                                   : pack::parse_numbers(options.numbers, where);
  const std::size_t d = device.scorer().info().embedding_dimension;
  if (phi.size() != d)
    throw pack::Error(where,
                      fmt::format("the embedding has {} numbers, the model's {}", phi.size(), d));
  if (std::all_of(phi.begin(), phi.end(), [](float value) { return value == 0; }))
    throw pack::Error(where, "the embedding is all zero; every class needs an embedding");
  return phi;
}

std::string add(const Options& options, Device& device) try {
  pack::check_name(options.name, "NAME");
  if (device.has_class(options.name))
    throw pack::Error(options.store, "there is a class '" + options.name + "'; replace changes it");
  const std::vector<float> phi = embedding_of(options, device);
  if (options.id) device.store().add(*options.id, options.name, phi);
  const std::uint32_t id = options.id ? *options.id : device.store().add(options.name, phi);
  return fmt::format("added '{}' as {}", options.name, id);
} catch (const StoreError& error) {
  if (!options.id || error.status() != BZSCR_STORE_ID_TAKEN) throw;
  throw pack::Error(options.store, fmt::format("id {} is taken", *options.id));
}

std::string replace(const Options& options, Device& device) {
  const std::uint32_t id = device.class_id(options.name);
  device.store().replace(id, embedding_of(options, device));
  return "replaced '" + options.name + "'";
}

std::string remove(const Options& options, Device& device) {
  device.store().remove(device.class_id(options.name));
  return "removed '" + options.name + "'";
}

std::string rename(const Options& options, Device& device) {
  pack::check_name(options.new_name, "NEW");
  device.store().rename(device.class_id(options.name), options.new_name);
  return "renamed '" + options.name + "' to '" + options.new_name + "'";
}

std::vector<float> features_of(const Options& options, const Device& device) {
  const std::string& where = options.features;
  for (const char* table : {".csv", ".tsv"})
    if (std::filesystem::path(where).extension() == table)
      throw pack::Error(where, "a table; expected a .npy or a text file of numbers");
  std::vector<float> x;
  try {
    x = pack::read_embedding(where, options.name, options.row);
  } catch (const pack::SeveralRows&) {
    throw pack::Error(where, "holds several samples; expected one; --row picks one");
  }
  const std::size_t m = device.scorer().info().feature_dimension;
  if (x.size() != m)
    throw pack::Error(where,
                      fmt::format("the sample has {} features, the model's {}", x.size(), m));
  return x;
}

void require_teachable(const Options& options, const Device& device) {
  if (device.scorer().info().teachable == 0)
    throw pack::Error(options.model, "this model cannot be taught");
}

std::string examples_of(std::uint32_t id, const Device& device) {
  const float count = device.examples(id);
  return fmt::format("{} {}", count, count == 1 ? "example" : "examples");
}

std::string teach(const Options& options, Device& device) {
  require_teachable(options, device);
  const std::uint32_t id = device.class_id(options.name);
  const std::vector<float> x = features_of(options, device);
  try {
    device.store().teach(id, x, options.weight);
  } catch (const StoreError& error) {
    const bzscr_store_status status = error.status() - BZSCR_STORE_CLASS;
    if (status != BZSCR_RT_NOT_FINITE && status != BZSCR_RT_ZERO_INPUT &&
        status != BZSCR_RT_OUT_OF_RANGE)
      throw;
    throw pack::Error(options.features, bzscr_rt_status_text(status));
  }
  return "taught '" + options.name + "', now of " + examples_of(id, device);
}

std::string forget(const Options& options, Device& device) {
  require_teachable(options, device);
  device.store().forget(device.class_id(options.name));
  return "forgot the examples of '" + options.name + "'";
}

std::string apply(const Options& options, Device& device) {
  return device.apply(options.pack, options.allow_older, options.replace);
}

std::string rollback(const Options& options, Device& device) {
  device.store().rollback(options.sequence);
  return fmt::format("back to record {}", options.sequence);
}

std::string compact(const Options&, Device& device) {
  device.store().compact();
  return "compacted";
}

/// Makes a change and tells what was done. A first change is tried in memory before anything is made
/// on the disk, so that one that is refused leaves nothing there.
template <std::string (*change)(const Options&, Device&)>
void run(const Options& options) {
  if (!has_store(options)) try {
      Device trial(options, Device::For::kTrial);
      change(options, trial);
    } catch (const StoreError& error) {
      throw pack::Error(options.store, text_of(error));
    }
  Device device(options, Device::For::kChange);
  const std::string done = change(options, device);
  device.print_state(done);
}

template <void (Device::*print)() const>
void show(const Options& options) {
  (Device(options, Device::For::kReading).*print)();
}

using Command = void (*)(const Options&);

CLI::App* describe_command(CLI::App& app, Options& options, Command& chosen, const char* name,
                           Command run, const char* description) {
  CLI::App* sub = app.add_subcommand(name, description);
  sub->callback([&chosen, run] { chosen = run; });
  sub->add_option("--store", options.store, "folder of the classes; made by the first change")
      ->required()
      ->type_name("DIR");
  sub->add_option("--model", options.model, "model file")->required()->type_name("FILE");
  sub->add_option("--model-key", options.model_keys,
                  "public keys; the model must be signed by one of them")
      ->type_name("FILE.pub");
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
  command("list", show<&Device::print_classes>, "the device's classes");
  CLI::App* to_add = command("add", run<add>, "a new class");
  CLI::App* to_replace = command("replace", run<replace>, "another embedding for a class");
  CLI::App* to_remove = command("remove", run<remove>, "take a class out");
  CLI::App* to_rename = command("rename", run<rename>, "another name for a class");
  CLI::App* to_teach =
      command("teach", run<teach>, "show a class a sample of it, which its scores follow");
  CLI::App* to_forget = command("forget", run<forget>, "forget all that a class was taught");
  CLI::App* to_apply = command("apply", run<apply>, "make the changes of a pack, all or none");
  command("history", show<&Device::print_history>,
          "what changed since the last snapshot, and who changed it");
  CLI::App* to_rollback =
      command("rollback", run<rollback>, "back to the state after a record of the history");
  command("compact", run<compact>, "write the state anew, which ends the history");
  command("check", show<&Device::print_check>, "read all of the store");

  for (CLI::App* each : {to_add, to_replace, to_remove, to_rename, to_teach, to_forget})
    each->add_option("NAME", options.name, "of the class")->required();
  for (CLI::App* each : {to_add, to_replace}) {
    CLI::Option* file =
        each->add_option("--embedding", options.embedding,
                         ".npy with one vector, or with rows and --row; .csv/.tsv with a column "
                         "'class'; or text: numbers");
    file->type_name("FILE");
    each->add_option("--numbers", options.numbers,
                     "in place of a file: the numbers, with blanks or commas between")
        ->excludes(file);
    each->add_option("--row", options.row, "of a .npy that holds several embeddings, from 0");
  }
  to_teach
      ->add_option("--features", options.features,
                   ".npy with one sample, or with rows and --row; or text: numbers")
      ->required()
      ->type_name("FILE");
  to_teach->add_option("--row", options.row, "of a .npy that holds several samples, from 0");
  to_teach
      ->add_option("--weight", options.weight,
                   "of the sample, above 0 and at most 1024; less than 1 if it may not be of the "
                   "class")
      ->check([](const std::string& text) {
        float weight = 0;
        const bool fits = CLI::detail::lexical_cast(text, weight) && weight > 0 && weight <= 1024;
        return fits ? std::string() : "is " + text + "; expected above 0, at most 1024";
      });
  to_add->add_option("--id", options.id, "default: from 2^31 up, where no pack's are");
  to_rename->add_option("NEW", options.new_name, "its name to be")->required();
  to_apply->add_option("PACK", options.pack)->required();
  to_apply
      ->add_option("--trust", options.trusted,
                   "public keys; a signed pack must be signed by one of them")
      ->type_name("FILE.pub");
  to_apply->add_flag("--require-signature", options.require_signature,
                     "refuse packs that are not signed");
  to_apply->add_flag("--allow-older", options.allow_older, "take the pack whatever its counter");
  to_apply->add_flag("--replace", options.replace,
                     "let the pack replace classes of other names that have its ids");
  to_rollback->add_option("RECORD", options.sequence)->required();
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
    } catch (const pack::SeveralRows& error) {
      throw InputError(std::string(error.what()) + "; --row picks one");
    } catch (const StoreError& error) {
      throw InputError(text_of(error));
    } catch (const std::system_error&) {  // standard output cannot be written
      throw;
    } catch (const std::runtime_error& error) {  // of the pack and the store
      throw InputError(error.what());
    }
    return kExitDone;
  });
}
