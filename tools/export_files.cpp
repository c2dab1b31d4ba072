#include "export_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace bzscr::cli {
namespace {

// Keywords of C up to C23 and of C++ up to C++20, and names that compilers and the start of a
// program take: GCC's gnu dialects define linux, unix and i386 as macros.
constexpr const char* kTaken[] = {"alignas",       "alignof",       "and",
                                  "and_eq",        "arm",           "asm",
                                  "auto",          "bitand",        "bitor",
                                  "bool",          "break",         "case",
                                  "catch",         "char",          "char16_t",
                                  "char32_t",      "char8_t",       "class",
                                  "co_await",      "co_return",     "co_yield",
                                  "compl",         "concept",       "const",
                                  "const_cast",    "consteval",     "constexpr",
                                  "constinit",     "continue",      "decltype",
                                  "default",       "delete",        "do",
                                  "double",        "dynamic_cast",  "else",
                                  "enum",          "errno",         "explicit",
                                  "export",        "extern",        "false",
                                  "float",         "for",           "friend",
                                  "goto",          "i386",          "if",
                                  "inline",        "int",           "linux",
                                  "long",          "main",          "mutable",
                                  "namespace",     "new",           "noexcept",
                                  "noreturn",      "not",           "not_eq",
                                  "nullptr",       "operator",      "or",
                                  "or_eq",         "private",       "protected",
                                  "public",        "register",      "reinterpret_cast",
                                  "requires",      "restrict",      "return",
                                  "short",         "signed",        "sizeof",
                                  "static",        "static_assert", "static_cast",
                                  "struct",        "switch",        "template",
                                  "this",          "thread_local",  "throw",
                                  "true",          "try",           "typedef",
                                  "typeid",        "typename",      "typeof",
                                  "typeof_unqual", "union",         "unix",
                                  "unsigned",      "using",         "virtual",
                                  "void",          "volatile",      "wchar_t",
                                  "while",         "xor",           "xor_eq"};

bool is_taken(const std::string& name) {
  return std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
}

bool is_word(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 128 && (std::isalnum(c) != 0 || c == '_'); });
}

// For a comment: nothing that could end it.
std::string plain_name(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
  return name;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

constexpr const char* kForms[] = {"PROTOTYPES", "FACTORS", "DENSE"};

std::string macros(const ExportedModel& model) {
  const std::string prefix = upper(model.name);
  const bzscr_rt_info& info = model.info;
  std::string text = "/* The model. */\n";
  const auto define = [&](const std::string& what, std::size_t value) {
    text += fmt::format("#define {}_{} {}\n", prefix, what, value);
  };
  define("BYTES", model.size);
  define("FEATURES", info.feature_dimension);
  define("EMBEDDING", info.embedding_dimension);
  define("CLASSES", info.classes);
  text += fmt::format("\n/* Fields of bzscr_rt_config: form {} and storage {}. */\n",
                      info.form_name, info.storage_name);
  define("CLASS_CAPACITY", info.class_capacity);
  define("NAME_BYTES", info.name_bytes);
  define("FORM", static_cast<std::size_t>(info.form));
  define("STORAGE", static_cast<std::size_t>(info.storage));
  define("SHARED", static_cast<std::size_t>(info.shared));
  text +=
      "\n/* Bytes of the arena with these fields, and of the scratch memory of each further "
      "query at the same\n * time; a little less where pointers have 32 bits. */\n";
  define("ARENA_BYTES", info.arena_bytes);
  define("SCRATCH_BYTES", info.scratch_bytes);
  text += "\n/* Bytes of the arena with the same fields, but in the other forms. */\n";
  for (std::size_t form = 0; form < model.arena_bytes.size(); ++form)
    if (model.arena_bytes[form])
      define(fmt::format("ARENA_BYTES_{}", kForms[form]), *model.arena_bytes[form]);
  return text;
}

std::string array(const ExportedModel& model) {
  std::string text = fmt::format("alignas({}) static const unsigned char {}[{}] = {{\n",
                                 BZSCR_RT_ALIGNMENT, model.name, model.size);
  constexpr std::size_t kInLine = 24;
  for (std::size_t at = 0; at < model.size; at += kInLine) {
    const std::size_t end = std::min(at + kInLine, model.size);
    for (std::size_t i = at; i < end; ++i) text += fmt::format("{},", model.bytes[i]);
    text += '\n';
  }
  return text + "};\n";
}

std::string declaration(const ExportedModel& model) {
  return fmt::format(
      "#ifdef __cplusplus\n"
      "extern \"C\"\n"
      "#else\n"
      "extern\n"
      "#endif\n"
      "    const unsigned char {0}[{1}]; /* at a multiple of {2} bytes */\n",
      model.name, model.size, BZSCR_RT_ALIGNMENT);
}

std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return quoted + '"';
}

// For GCC and Clang on ELF targets. %object, as '@' begins a comment on ARM.
std::string assembler_source(const ExportedModel& model, const std::string& binary) {
  return fmt::format(
      "/* Written by bzscr-export {0}. Assemble it with -I of the folder that holds {4}. */\n"
      "  .section .rodata.{2},\"a\",%progbits\n"
      "  .balign {3}\n"
      "  .global {2}\n"
      "  .type {2}, %object\n"
      "{2}:\n"
      "  .incbin {1}\n"
      "  .size {2}, . - {2}\n"
      "  .section .note.GNU-stack,\"\",%progbits\n",
      bzscr_rt_version(), quoted(binary), model.name, BZSCR_RT_ALIGNMENT, plain_name(binary));
}

std::string header(const ExportedModel& model, ExportFormat format) {
  const std::string prefix = upper(model.name);
  std::string text = fmt::format(
      "/* Written by bzscr-export {} from {}.{} */\n", bzscr_rt_version(), plain_name(model.source),
      format == ExportFormat::kArray ? " To be included by one source file." : "");
  text += fmt::format("#ifndef BZSCR_EXPORT_{0}\n#define BZSCR_EXPORT_{0}\n\n", prefix);
  text += "#ifndef __cplusplus\n#include <stdalign.h>\n#endif\n\n";
  text += macros(model);
  if (format == ExportFormat::kArray) text += "\n" + array(model);
  if (format == ExportFormat::kIncbin) text += "\n" + declaration(model);
  return text + "\n#endif\n";
}

}  // namespace

std::string why_no_identifier(const std::string& text) {
  if (!is_word(text)) return fmt::format("'{}' is not a name in C", text);
  if (is_taken(text)) return fmt::format("'{}' has a meaning of its own in C or C++", text);
  return {};
}

std::string identifier_from(const std::string& stem) {
  std::string name = stem;
  for (char& c : name)
    if (!is_word(std::string("_") + c)) c = '_';
  if (!is_word(name)) name = "_" + name;
  return is_taken(name) ? name + "_" : name;
}

std::vector<ExportedFile> exported_files(const ExportedModel& model, const std::string& path,
                                         ExportFormat format) {
  std::vector<ExportedFile> files;
  if (format != ExportFormat::kArray) {
    const std::filesystem::path beside(path);
    const std::string binary = std::filesystem::path(beside).replace_extension(".bin").string();
    files.push_back({binary, {reinterpret_cast<const char*>(model.bytes), model.size}});
    if (format == ExportFormat::kIncbin)
      files.push_back({std::filesystem::path(beside).replace_extension(".S").string(),
                       assembler_source(model, std::filesystem::path(binary).filename().string())});
  }
  files.push_back({path, header(model, format)});
  return files;
}

}  // namespace bzscr::cli
