#pragma once

#include "bzscr_store/bzscr_store.h"
#include "support/model_builder.h"

#include <bzscr_schema/crc32c.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

/// Code shared by the fuzz targets. Input is copied to memory in which the sanitizer reports any
/// read past the end.
namespace bzscr::fuzz {

using test::AlignedBytes;

/// Aborts if a condition that must hold for every input does not.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// Writes the correct checksums into bytes that could be a file, because mutations do not find
/// them. A checksum field may overlap other fields, so after each write the bytes are tested again.
inline void repair(const AlignedBytes& file) {
  using format::Envelope;
  const auto could_be = [&] {
    flatbuffers::Verifier verifier(file.data(), file.size());
    return file.size() >= 8 && format::VerifyEnvelopeBuffer(verifier);
  };
  const auto set = [&](flatbuffers::voffset_t field, std::uint32_t value) {
    flatbuffers::GetMutableRoot<flatbuffers::Table>(file.data())
        ->SetField<std::uint32_t>(field, value, 0);
    return could_be();
  };
  const auto payload = [&] { return format::GetEnvelope(file.data())->payload(); };
  if (!could_be() ||
      !set(Envelope::VT_PAYLOAD_CRC32C, format::crc32c(0, payload()->data(), payload()->size())) ||
      !set(Envelope::VT_ENVELOPE_CRC32C, 0))
    return;
  const std::uint8_t* after = payload()->data() + payload()->size();
  const std::uint32_t crc =
      format::crc32c(0, file.data(), static_cast<std::size_t>(payload()->data() - file.data()));
  set(Envelope::VT_ENVELOPE_CRC32C,
      format::crc32c(crc, after, static_cast<std::size_t>(file.data() + file.size() - after)));
}

/// A device in memory.
struct Memory {
  std::vector<std::uint8_t> bytes;
  std::uint32_t block_bytes, blocks, write_bytes;
  std::uint8_t erase_value;

  Memory(std::uint32_t block, std::uint32_t count, std::uint32_t unit, std::uint8_t blank)
      : bytes(std::size_t{block} * count, blank),
        block_bytes(block),
        blocks(count),
        write_bytes(unit),
        erase_value(blank) {}

  bzscr_store_device device() {
    bzscr_store_device device{};
    device.context = this;
    device.block_bytes = block_bytes;
    device.blocks = blocks;
    device.write_bytes = write_bytes;
    device.erase_value = erase_value;
    device.read = [](void* context, std::uint32_t at, void* into,
                     std::uint32_t size) -> std::int32_t {
      const auto& self = *static_cast<Memory*>(context);
      require(std::uint64_t{at} + size <= self.bytes.size(), "reads stay within the device");
      std::copy_n(self.bytes.begin() + at, size, static_cast<std::uint8_t*>(into));
      return 0;
    };
    device.program = [](void* context, std::uint32_t at, const void* from,
                        std::uint32_t size) -> std::int32_t {
      auto& self = *static_cast<Memory*>(context);
      require(std::uint64_t{at} + size <= self.bytes.size() && at % self.write_bytes == 0 &&
                  size % self.write_bytes == 0,
              "programming stays within the device, at its units");
      for (std::uint32_t i = 0; i < size; ++i) {
        require(self.bytes[at + i] == self.erase_value, "no byte is programmed twice");
        self.bytes[at + i] = static_cast<const std::uint8_t*>(from)[i];
      }
      return 0;
    };
    device.erase = [](void* context, std::uint32_t block) -> std::int32_t {
      auto& self = *static_cast<Memory*>(context);
      require(block < self.blocks, "erasures stay within the device");
      std::fill_n(self.bytes.begin() + std::size_t{block} * self.block_bytes, self.block_bytes,
                  self.erase_value);
      return 0;
    };
    device.sync = [](void*) -> std::int32_t { return 0; };
    return device;
  }
};

/// The class table of a small model and a store for it. Both can be opened repeatedly.
class Host {
 public:
  static constexpr std::uint32_t kDimension = 2;

  Host() : file_(test::serialise(test::random_model(3, kDimension, 2, 4))) {
    rt_.struct_size = sizeof rt_;
    rt_.model = file_.data();
    rt_.model_bytes = file_.size();
    rt_.class_capacity = 8;
    require(bzscr_rt_arena_bytes(&rt_, &rt_.arena_bytes) == BZSCR_RT_OK, "the model is sound");
    rt_arena_ = AlignedBytes(rt_.arena_bytes);
    rt_.arena = rt_arena_.data();
    config.struct_size = sizeof config;
    config.model = file_.data();
  }
  bzscr_store_config config{};

  bzscr_store_status open(const bzscr_store_device& device) {
    require(bzscr_rt_open(&rt_, &table_) == BZSCR_RT_OK, "the model opens");
    device_ = device;
    config.device = &device_;
    config.table = table_;
    if (arena_.size() == 0) {
      require(bzscr_store_arena_bytes(&config, &config.arena_bytes) == BZSCR_STORE_OK,
              "the store can be measured");
      arena_ = AlignedBytes(config.arena_bytes);
      config.arena = arena_.data();
    }
    return bzscr_store_open(&config, &store_);
  }
  bzscr_store* store() const { return store_; }
  bzscr_rt* table() const { return table_; }
  const AlignedBytes& model() const { return file_; }

  /// The scores of one feature vector by class id; they differ if the classes of two tables differ.
  std::map<std::uint32_t, float> scores() const {
    const float x[] = {1, -2, 0.5f};
    std::map<std::uint32_t, float> by_id;
    float scores[8];
    std::uint32_t ids[8];
    std::size_t count = 0;
    require(bzscr_rt_score(table_, x, nullptr, 8, scores, ids, &count) == BZSCR_RT_OK,
            "the table can be scored");
    for (std::size_t i = 0; i < count; ++i) by_id[ids[i]] = scores[i];
    return by_id;
  }

 private:
  AlignedBytes file_, rt_arena_, arena_;
  bzscr_rt_config rt_{};
  bzscr_rt* table_ = nullptr;
  bzscr_store_device device_{};
  bzscr_store* store_ = nullptr;
};

}  // namespace bzscr::fuzz
