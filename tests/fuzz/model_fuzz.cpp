// Opens arbitrary bytes as a model: it returns a status and never reads outside them. A model that
// is accepted can be scored in every form and storage.
#include "fuzz.h"

#include <string>

using namespace bzscr::fuzz;

namespace {

void open_and_score(const AlignedBytes& file, bzscr_rt_form form, bzscr_rt_storage storage,
                    bool teachable = false) {
  bzscr_rt_config config{};
  config.struct_size = sizeof config;
  config.model = file.data();
  config.model_bytes = file.size();
  config.form = form;
  config.storage = storage;
  config.teachable = teachable ? 1 : 0;
  if (bzscr_rt_arena_bytes(&config, &config.arena_bytes) != BZSCR_RT_OK ||
      config.arena_bytes > (1u << 24))
    return;
  const AlignedBytes arena(config.arena_bytes);
  config.arena = arena.data();
  bzscr_rt* handle = nullptr;
  const bzscr_rt_status opened = bzscr_rt_open(&config, &handle);
  require((handle != nullptr) == (opened == BZSCR_RT_OK), "the handle is set if the model opens");
  if (opened == BZSCR_RT_DAMAGED) return;  // opening also finds two classes with the same name
  require(opened == BZSCR_RT_OK, "a model with an arena size opens or is damaged");
  bzscr_rt_info info{};
  info.struct_size = sizeof info;
  require(bzscr_rt_describe(handle, &info) == BZSCR_RT_OK, "an opened model can be described");

  const std::vector<float> x(info.feature_dimension, 1.0f), phi(info.embedding_dimension, 0.5f);
  bzscr_rt_result best[3];
  std::size_t count = 0;
  bzscr_rt_top(handle, x.data(), nullptr, 3, best, &count);
  for (std::size_t i = 0; i < count; ++i) {
    std::string name(info.name_bytes, '\0');
    require(bzscr_rt_class_name(handle, best[i].id, name.data(), name.size()) == BZSCR_RT_OK,
            "a class has a name");
    require(bzscr_rt_restore_class(handle, best[i].id, nullptr) == BZSCR_RT_OK,
            "a class of the model can be restored");
    bzscr_rt_set_class(handle, best[i].id, nullptr, phi.data());
    const bzscr_rt_status taught = bzscr_rt_teach(handle, best[i].id, x.data(), 1);
    require(teachable || taught == BZSCR_RT_BAD_ARGUMENT, "only teachable tables can be taught");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const AlignedBytes file(bytes, size);
  open_and_score(file, BZSCR_RT_FORM_AUTO, BZSCR_RT_STORAGE_FLOAT32);
  repair(file);
  open_and_score(file, BZSCR_RT_FORM_PROTOTYPES, BZSCR_RT_STORAGE_FLOAT32);
  open_and_score(file, BZSCR_RT_FORM_FACTORS, BZSCR_RT_STORAGE_INT8);
  open_and_score(file, BZSCR_RT_FORM_DENSE, BZSCR_RT_STORAGE_FLOAT16);
  open_and_score(file, BZSCR_RT_FORM_AUTO, BZSCR_RT_STORAGE_FLOAT32, /*teachable=*/true);
  return 0;
}
