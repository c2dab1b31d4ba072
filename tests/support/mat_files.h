#pragma once

#include "types/linalg.h"

#include <memory>
#include <string>
#include <vector>

struct _mat_t;

/// MATLAB files for tests, written by libmatio.
namespace bzscr::test {

enum class MatKind { k5, k5Compressed, k73, k73Compressed };
constexpr MatKind kMatKinds[] = {MatKind::k5, MatKind::k5Compressed, MatKind::k73,
                                 MatKind::k73Compressed};

class MatWriter {
 public:
  MatWriter(const std::string& path, MatKind kind);

  /// \param type  NumPy's name: "f8", "f4", "i1" to "i8", "u1" to "u8"
  MatWriter& numbers(const std::string& name, const Matrix& values, const std::string& type = "f8");
  MatWriter& complex(const std::string& name, const Matrix& values);
  MatWriter& cube(const std::string& name);  ///< 2 x 2 x 2
  MatWriter& text(const std::string& name, const std::string& value);
  /// A char matrix, a row each, padded with blanks.
  MatWriter& text_rows(const std::string& name, const std::vector<std::string>& rows,
                       const std::string& type = "text");
  MatWriter& cells(const std::string& name, const std::vector<std::string>& texts,
                   bool as_row = false);
  MatWriter& cells_utf16(const std::string& name, const std::vector<std::u16string>& texts);
  MatWriter& cells_of_numbers(const std::string& name, std::size_t count);

 private:
  struct Close {
    void operator()(_mat_t* file) const;
  };
  int compression() const;
  std::unique_ptr<_mat_t, Close> file_;
  MatKind kind_;
};

/// A matrix of one column.
Matrix column(const std::vector<std::int64_t>& values);

}  // namespace bzscr::test
