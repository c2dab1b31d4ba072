// bzscr-pack: packs of class changes for devices: made, signed, verified and shown.

#include "base/spelling.h"
#include "pack_output.h"
#include "support/command_line.h"
#include "support/files.h"
#include "support/program.h"
#include "support/sibling_program.h"

#include <fmt/format.h>
#include <bzscr_pack/bzscr_pack.hpp>
#include <bzscr_store/bzscr_store.hpp>
#include <bzscr_train/error.hpp>

#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace {

using namespace bzscr;
using namespace bzscr::cli;

constexpr const char* kIntroduction =
    "Makes packs of class changes on a workstation, signs and verifies packs and models. Devices "
    "take packs\n"
    "with bzscr-store apply, or by libbzscr_store.\n";

constexpr const char* kEpilogue =
    "Examples:\n"
    "  bzscr-pack keygen shop                          # shop.key (secret), shop.pub (for "
    "devices)\n"
    "  bzscr-pack pack m.bzscr -o new.bzpack --counter 7 --names new.txt --embeddings new.npy "
    "--key shop.key\n"
    "  bzscr-pack pack m.bzscr -o new.bzpack --counter 7 --names new.txt --vectors "
    "glove.6B.300d.txt\n"
    "  bzscr-pack pack m.bzscr -o next.bzpack --counter 8 --after new.bzpack --remove okapi --key "
    "shop.key\n"
    "  bzscr-pack pack m.bzscr -o taught.bzpack --counter 9 --taught-from /var/lib/shop --class "
    "okapi --key shop.key\n"
    "  bzscr-pack verify next.bzpack --trust shop.pub --model m.bzscr\n"
    "  bzscr-pack sign m.bzscr --key shop.key -o signed.bzscr   # a model; devices: bzscr-store "
    "--model-key shop.pub\n"
    "Embeddings are raw, as the trainer was given them. Exit code 2: wrong input, with the reason "
    "on "
    "standard error.\n";

struct Options {
  std::string name, file, output, key, model, names, embeddings, vectors;
  std::vector<std::string> trusted, renamed;
  std::int64_t first_id = -1;
  pack::Request request;
  bool json = false;
};

void run_keygen(const Options& options) {
  const pack::SecretKey key = pack::new_key();
  pack::write_key_pair(key, options.name);
  fmt::print("{0}.key: secret, keep it; {0}.pub: for devices; key {1}\n", options.name,
             id_text(key.public_key().id()));
}

std::pair<std::string, std::string> old_and_new(const std::string& pair) {
  const std::size_t at = pair.find('=');
  if (at == std::string::npos || at + 1 == pair.size())
    throw pack::Error("--rename", "'" + pair + "' is not OLD=NEW");
  return {pair.substr(0, at), pair.substr(at + 1)};
}

std::optional<pack::Embeddings> embeddings_of(const Options& options) {
  if (!options.embeddings.empty()) return pack::read_embeddings(options.embeddings, options.names);
  if (options.vectors.empty()) return std::nullopt;
  if (options.names.empty())
    throw pack::Error("--vectors", "needs --names, the file of class names");
  const TemporaryFile made(".npy");
  run_sibling("bzscr-embed", {options.names, "--vectors", options.vectors, "-o", made.path()});
  pack::Embeddings read = pack::read_embeddings(made.path(), options.names);
  read.source = options.vectors;
  return read;
}

void run_pack(const Options& options) {
  pack::Request request = options.request;
  request.model = options.model;
  request.program = "bzscr-pack " BZSCR_VERSION;
  for (const std::string& pair : options.renamed) request.renamed.push_back(old_and_new(pair));
  if (options.first_id >= 0) request.first_id = static_cast<std::uint32_t>(options.first_id);
  std::vector<std::string> inputs = request.before;
  inputs.insert(inputs.end(),
                {options.model, options.embeddings, options.names, options.vectors, options.key});
  expect_distinct(inputs, {options.output});
  request.embeddings = embeddings_of(options);
  if (request.removed.empty() && request.renamed.empty() && !request.embeddings &&
      request.taught.empty())
    throw pack::Error(options.output,
                      "no change was asked for: --embeddings, --vectors, --remove, --rename or "
                      "--taught-from");
  std::optional<pack::SecretKey> key;
  if (!options.key.empty()) key = pack::read_secret_key(options.key);
  std::vector<std::string> notes;
  const pack::Contents contents = pack::build(request, &notes);
  pack::write(contents, key, options.output);
  for (const std::string& note : notes) print_note("bzscr-pack", note);
  const std::size_t changes = contents.changes.size();
  fmt::print("{}: {} {}, counter {}, {}\n", options.output, changes,
             changes == 1 ? "change" : "changes", contents.counter,
             key ? "signed by key " + id_text(key->public_key().id()) : "not signed");
}

void run_sign(const Options& options) {
  expect_distinct({options.key}, {options.output.empty() ? options.file : options.output});
  const pack::SecretKey key = pack::read_secret_key(options.key);
  const std::string& output = options.output.empty() ? options.file : options.output;
  pack::write(pack::is_model(options.file)
                  ? pack::sign_model(options.file, key)
                  : pack::serialise(pack::read(options.file).contents, key),
              output);
  fmt::print("{}: signed by key {}\n", output, id_text(key.public_key().id()));
}

void run_verify(const Options& options) {
  const std::vector<std::uint8_t> keys = pack::read_public_keys(options.trusted);
  if (pack::is_model(options.file)) {
    if (!options.model.empty())
      throw pack::Error("--model", options.file + " is a model; expected a pack with --model");
    fmt::print("{}: a whole model, signed by key {}\n", options.file,
               id_text(pack::read_model(options.file, keys).key_id));
    return;
  }
  const pack::Pack read = pack::read(options.file, keys);
  if (!options.model.empty()) pack::check_fit(read.contents, options.file, options.model);
  fmt::print("{}: whole, signed by key {}{}\n", options.file, id_text(read.key_id),
             options.model.empty() ? "" : ", for " + options.model);
}

void run_show(const Options& options) {
  const auto print = options.json ? print_json : print_text;
  const auto print_model = options.json ? print_model_json : print_model_text;
  if (pack::is_model(options.file))
    print_model(options.file, pack::read_model(options.file));
  else
    print(options.file, pack::read(options.file));
}

using Command = void (*)(const Options&);

void describe_options(CLI::App& app, Options& options, Command& chosen) {
  app.footer(kEpilogue);
  app.require_subcommand(1);
  app.set_version_flag("--version", "bzscr-pack " BZSCR_VERSION)->description("print the version");
  const auto command = [&](const char* name, const char* description, Command run) {
    CLI::App* sub = app.add_subcommand(name, description);
    sub->callback([&chosen, run] { chosen = run; });
    return sub;
  };
  const auto file = [](CLI::App* sub, const char* name, auto& value, const char* description,
                       const char* type) {
    return sub->add_option(name, value, description)->type_name(type);
  };

  command("keygen", "make a pair of keys, NAME.key and NAME.pub", run_keygen)
      ->add_option("NAME", options.name)
      ->required();

  CLI::App* make = command("pack", "make a pack for devices with this model", run_pack);
  make->add_option("MODEL", options.model, "model file")->required();
  file(make, "-o,--output", options.output, "pack to write", "FILE.bzpack")->required();
  make->add_option("--counter", options.request.counter,
                   "must grow from pack to pack; devices refuse what is not newer")
      ->required()
      ->check(cli::whole_number())
      ->check(CLI::Range(std::uint64_t{1}, UINT64_MAX));
  file(make, "--embeddings", options.embeddings,
       "of the classes: .npy with --names, or .csv/.tsv with a column 'class'", "FILE");
  file(make, "--names", options.names, "text file of class names, one a line", "FILE");
  file(make, "--vectors", options.vectors,
       "word vectors, of which bzscr-embed makes embeddings of the names", "FILE")
      ->excludes("--embeddings");
  file(make, "--after", options.request.before,
       "packs that the devices took before, in order: what they added can be changed and removed, "
       "and keeps its id",
       "FILE.bzpack");
  make->add_option("--first-id", options.first_id,
                   "id of the first new class; default: ids that follow from the names")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{kFirstOwnId} - 1));
  make->add_flag("--replace", options.request.replace_only,
                 "only give classes that are there other embeddings");
  file(make, "--remove", options.request.removed,
       "names of classes of the model, or of packs before", "NAME");
  file(make, "--rename", options.renamed, "of such classes", "OLD=NEW");
  CLI::Option* from = file(make, "--taught-from", options.request.taught_from,
                           "folder of a device's store: with --class, devices will have been "
                           "taught what its classes were",
                           "DIR");
  CLI::Option* taught = file(make, "--class", options.request.taught,
                             "names of classes that the device was taught", "NAME");
  from->needs(taught);
  taught->needs(from);
  file(make, "--key", options.key, "sign with this secret key", "FILE.key");

  CLI::App* sign =
      command("sign", "sign a pack or a model, or sign it anew with another key", run_sign);
  CLI::App* verify =
      command("verify", "whether one of these keys signed a pack or a model", run_verify);
  CLI::App* show =
      command("show", "what is in a pack, or what packs for a model must say", run_show);
  for (CLI::App* each : {sign, verify, show})
    each->add_option("FILE", options.file, ".bzpack or .bzscr")->required();
  file(sign, "--key", options.key, "secret key", "FILE.key")->required();
  file(sign, "-o,--output", options.output, "default: FILE itself", "FILE");
  file(verify, "--trust", options.trusted, "public keys", "FILE.pub")->required();
  file(verify, "--model", options.model, "whether the pack is for this model, too", "FILE");
  show->add_flag("--json", options.json, "print JSON instead of text");
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("bzscr-pack", argc, argv, [&] {
    Options options;
    Command chosen = nullptr;
    CLI::App app(kIntroduction, "bzscr-pack");
    describe_options(app, options, chosen);
    if (const std::optional<int> exit_code = parse_command_line(app, argc, argv)) return *exit_code;
    try {
      chosen(options);
    } catch (const pack::NoSuchClass& error) {
      throw InputError(error.what() + did_you_mean(error.name, error.classes));
    } catch (const pack::UnknownKey& error) {
      throw InputError(std::string(error.what()) + "; --trust names the keys to trust");
    } catch (const std::system_error&) {  // standard output cannot be written
      throw;
    } catch (const std::runtime_error& error) {  // of the pack and the store
      throw InputError(error.what());
    }
    return kExitDone;
  });
}
