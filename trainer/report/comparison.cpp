#include "report/comparison.h"

#include "report/json_fields.h"
#include "types/errors.h"

namespace bzscr::report {
namespace {

std::optional<double> measured(const FieldReader& method, const char* name) {
  const auto found = method.object().find(name);
  if (found == method.object().end() || found->is_null()) return std::nullopt;
  return method.number(name, 0);
}

}  // namespace

Comparison read_comparison(const std::string& text, const std::string& name) {
  Json all;
  try {
    all = Json::parse(text);
  } catch (const Json::exception& error) {
    throw InputError(name, "is no JSON" + place_in(error) + "; expected what bzscr-compare --json prints");
  }
  const FieldReader fields(all, name);
  if (!all.contains("methods") || !all["methods"].is_array() || all["methods"].empty())
    throw InputError(name, "has no list \"methods\"; expected what bzscr-compare --json prints");
  Comparison comparison;
  if (all.contains("data") && all["data"].is_string()) comparison.data = all["data"].get<std::string>();
  std::size_t place = 0;
  for (const Json& one : all["methods"]) {
    const FieldReader method(one, name + ": method " + std::to_string(++place));
    const bool has_form = one.contains("form") && one["form"].is_string();
    comparison.methods.push_back({method.string("method") + (has_form ? " (" + method.string("form") + ")" : ""),
                                  measured(method, "per_class_top1_deviation"), measured(method, "error_rate"), measured(method, "mean_delta"),
                                  measured(method, "per_class_top1"), measured(method, "gzsl_harmonic"),
                                  measured(method, "gzsl_harmonic_calibrated"), measured(method, "seconds")});
  }
  return comparison;
}

}  // namespace bzscr::report
