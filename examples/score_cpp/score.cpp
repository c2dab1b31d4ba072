// Prints the five best classes of a feature vector with their scores: score MODEL < x.txt
#include <bzscr_rt/bzscr_rt.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

bzscr::Memory read_file(const std::string& path) {
  bzscr::Memory bytes(std::filesystem::file_size(path));
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    throw std::runtime_error(path + " cannot be read");
  return bytes;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: score MODEL < x.txt");
  const bzscr::Memory model = read_file(argv[1]);
  const bzscr::Scorer scorer(model.data(), model.size());
  std::vector<float> x(scorer.info().feature_dimension);
  for (float& each : x)
    if (!(std::cin >> each))
      throw std::runtime_error("expected " + std::to_string(x.size()) + " numbers");
  for (const bzscr_rt_result& each : scorer.top(x, 5))
    std::printf("%.6f %s\n", static_cast<double>(each.score), scorer.class_name(each.id).c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "score: %s\n", error.what());
  return 2;
}
