#pragma once

/// Assets of the page that the build embeds (CMakeLists.txt): its style and scripts.
namespace bzscr::report {

extern const char* const kStyle;         ///< assets/page.css
extern const char* const kChartsScript;  ///< assets/charts.js
extern const char* const kD3Licence;     ///< as a comment of JavaScript
extern const char* const kD3;            ///< D3, from Debian's libjs-d3

}  // namespace bzscr::report
