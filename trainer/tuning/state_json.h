#pragma once

#include "tuning/tune.h"

#include <nlohmann/json.hpp>

#include <cstring>
#include <optional>
#include <stdexcept>
#include <vector>

// Conversion of the states of solvers and tuning to and from JSON, for checkpoints and other ranks.
// The numbers of a matrix are stored as bytes, so that they are restored exactly.
namespace nlohmann {

template <class M>
struct Packed {
  static void to_json(json& j, const M& matrix) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(matrix.data());
    j = {matrix.rows(), matrix.cols(),
         json::binary(std::vector<std::uint8_t>(
             bytes, bytes + static_cast<std::size_t>(matrix.size()) * sizeof(double)))};
  }
  static void from_json(const json& j, M& matrix) {
    const auto rows = j.at(0).get<bzscr::Index>(), columns = j.at(1).get<bzscr::Index>();
    const auto& bytes = j.at(2).get_binary();
    if (rows < 0 || columns < 0 ||
        static_cast<std::size_t>(rows * columns) * sizeof(double) != bytes.size())
      throw std::runtime_error("the bytes of a matrix do not match its size");
    matrix.resize(rows, columns);
    if (!bytes.empty()) std::memcpy(matrix.data(), bytes.data(), bytes.size());
  }
};
template <>
struct adl_serializer<bzscr::Matrix> : Packed<bzscr::Matrix> {};
template <>
struct adl_serializer<bzscr::Vector> : Packed<bzscr::Vector> {};

template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& j, const std::optional<T>& value) { j = value ? json(*value) : json(); }
  static void from_json(const json& j, std::optional<T>& value) {
    if (!j.is_null()) value = j.get<T>();
  }
};

}  // namespace nlohmann

namespace bzscr {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SelectionParameters, lambda, zeta)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ScheduleState, share, settled, parameters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Ensemble, U, V, w)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SingularPairs, U, V, sigma)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Certificate, objective, lower_bound)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Trained, ensemble, s, certificate, iterations, evaluations,
                                   selected, validation_error, ending)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RefinedState, iteration, ensemble, s, schedule, evaluations,
                                   strictness, schedule_steps, progress)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PrintedState, iteration, ensemble, s, schedule, next, best,
                                   lowest_error, evaluations)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GridPoint, nu, beta, validation_error, weak_models, evaluations)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PathState, points, best, trained, starts, rises)

}  // namespace bzscr
