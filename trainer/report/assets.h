#pragma once

/// Texts that the build puts into the program (CMakeLists.txt): what the page looks like, what
/// draws its charts.
namespace bzscr::report {

extern const char* const kStyle;         ///< assets/page.css
extern const char* const kChartsScript;  ///< assets/charts.js
extern const char* const kD3Licence;     ///< a comment of script
extern const char* const kD3;            ///< D3, as Debian's libjs-d3 has it

}  // namespace bzscr::report
