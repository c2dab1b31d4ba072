#include "report/comparison.h"

#include <bzscr_train/error.hpp>
#include "report/json_fields.h"

namespace bzscr::report {
namespace {

std::optional<double> measured(const FieldReader& method, const char* name) {
  const auto found = method.object().find(name);
  if (found == method.object().end() || found->is_null()) return std::nullopt;
  return method.number(name, 0);
}

Method method_of(const FieldReader& fields) {
  const bool has_form = fields.object().contains("form") && fields.object()["form"].is_string();
  Method method;
  method.name = fields.string("method") + (has_form ? " (" + fields.string("form") + ")" : "");
  method.per_class_deviation = measured(fields, "per_class_top1_deviation");
  method.mean_rank = measured(fields, "mean_rank");
  method.error_rate = measured(fields, "error_rate");
  method.mean_delta = measured(fields, "mean_delta");
  method.per_class_top1 = measured(fields, "per_class_top1");
  method.gzsl_harmonic = measured(fields, "gzsl_harmonic");
  method.gzsl_harmonic_calibrated = measured(fields, "gzsl_harmonic_calibrated");
  method.ausuc = measured(fields, "ausuc");
  method.seconds = measured(fields, "seconds");
  return method;
}

}  // namespace

Comparison read_comparison(const std::string& text, const std::string& name) {
  Json all;
  try {
    all = Json::parse(text);
  } catch (const Json::exception& error) {
    throw InputError(
        name, "is not JSON" + place_in(error) + "; expected a comparison of methods in JSON");
  }
  const FieldReader fields(all, name);
  if (!all.contains("methods") || !all["methods"].is_array() || all["methods"].empty())
    throw InputError(name, "has no list \"methods\"; expected a comparison of methods in JSON");
  Comparison comparison;
  if (all.contains("data") && all["data"].is_string())
    comparison.data = all["data"].get<std::string>();
  std::size_t place = 0;
  for (const Json& one : all["methods"]) {
    const std::string where = name + ": method " + std::to_string(++place);
    const Method method = method_of(FieldReader(one, where));
    if (!one.contains("forms") || !one["forms"].is_array() || one["forms"].size() < 2) {
      comparison.methods.push_back(method);
      continue;
    }
    std::size_t number = 0;
    for (const Json& form : one["forms"]) {
      comparison.methods.push_back(
          method_of(FieldReader(form, where + ": form " + std::to_string(++number))));
      comparison.methods.back().counts = comparison.methods.back().name == method.name;
    }
  }
  return comparison;
}

}  // namespace bzscr::report
