#pragma once

#include <bzscr_rt/bzscr_rt.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

/// The files that bzscr-export writes for a firmware.
namespace bzscr::cli {

/// How the bytes of the model get into the firmware.
enum class ExportFormat {
  kArray,   ///< an array in the header; compiling it takes seconds per megabyte
  kIncbin,  ///< a file of bytes that an assembler source includes; takes no time
  kBinary   ///< a file of bytes that is written to flash by itself, at an address of its own
};

/// A model, and how a device opens it.
struct ExportedModel {
  std::string name;    ///< of the array, an identifier
  std::string source;  ///< name of the model's file
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;
  bzscr_rt_info info{};  ///< as opened with the options of the export
  /// Arena bytes of the forms prototypes, factors and dense; nothing where a form cannot hold it.
  std::vector<std::optional<std::size_t>> arena_bytes;
};

/// Why a text cannot name a global array in C11 and C++20; empty if it can.
std::string why_no_identifier(const std::string& text);

/// The identifier for a header of this file name without its ending: other characters become '_',
/// and '_' stands before a digit and behind a keyword.
std::string identifier_from(const std::string& stem);

struct ExportedFile {
  std::string path, text;
};

/// The header, and beside it what the format needs: NAME.bin and NAME.S, named after the header.
std::vector<ExportedFile> exported_files(const ExportedModel& model, const std::string& header,
                                         ExportFormat format);

}  // namespace bzscr::cli
