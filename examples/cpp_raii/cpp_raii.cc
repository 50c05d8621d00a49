// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Tenon in C++17: handles that release what they own, and errors as exceptions. Copy what you need;
// it is an example, not a part of the library.
#include <tenon/tenon.h>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon {

// --- objects: std::unique_ptr with the release function of the type

template <auto release>
struct Releaser {
  template <class T>
  void operator()(T* object) const {
    release(object);
  }
};
template <class T, void (*release)(T*)>
using Handle = std::unique_ptr<T, Releaser<release>>;

using Device = Handle<tn_device_t, tn_device_release>;
using Module = Handle<tn_module_t, tn_module_release>;
using Program = Handle<tn_program_t, tn_program_release>;
using Buffer = Handle<tn_buffer_t, tn_buffer_release>;

// --- errors: what() is the text with its location, code() tells kinds apart

class Error : public std::runtime_error {
 public:
  explicit Error(tn_status_t status)
      : std::runtime_error(text_of(status)), code_(tn_status_code(status)) {}
  tn_code_t code() const { return code_; }

 private:
  static std::string text_of(tn_status_t status) {
    std::string text(tn_status_format(status, nullptr, 0), '\0');
    tn_status_format(status, text.data(), text.size() + 1);
    return text;
  }
  tn_code_t code_;
};

inline void check(tn_status_t status) {
  if (!status) return;
  const std::unique_ptr<tn_status, Releaser<tn_status_release>> owned(status);
  throw Error(status);
}

// make<Program>(tn_program_compile, device, module, options): the object that is the last output.
template <class Object, class Function, class... Arguments>
Object make(Function function, Arguments... arguments) {
  typename Object::pointer object = nullptr;
  check(function(arguments..., &object));
  return Object(object);
}

// --- arrays of f32, and runs

inline Buffer to_buffer(const Device& device, const std::vector<int64_t>& dims,
                        const std::vector<float>& values) {
  return make<Buffer>(tn_buffer_create_from_host, device.get(), TN_DTYPE_F32, dims.size(),
                      dims.data(), values.data(), values.size() * sizeof(float));
}

inline std::vector<float> to_vector(const Buffer& buffer) {
  std::vector<float> values(tn_buffer_byte_size(buffer.get()) / sizeof(float));
  check(tn_buffer_to_host(buffer.get(), values.data(), values.size() * sizeof(float)));
  return values;
}

inline std::vector<Buffer> run(const Program& program, const std::vector<const Buffer*>& inputs) {
  std::vector<tn_buffer_t*> in, out(tn_program_output_count(program.get()));
  for (const Buffer* input : inputs) in.push_back(input->get());
  std::vector<Buffer> outputs(out.size());
  check(tn_program_run(program.get(), in.size(), in.data(), nullptr, out.size(), out.data()));
  for (std::size_t i = 0; i < out.size(); ++i) outputs[i].reset(out[i]);
  return outputs;
}

}  // namespace tenon

int main(int, char** argv) try {
  const auto device = tenon::make<tenon::Device>(tn_default_device);
  const auto module = tenon::make<tenon::Module>(tn_module_parse_file, nullptr, argv[1]);
  const auto program =
      tenon::make<tenon::Program>(tn_program_compile, device.get(), module.get(), nullptr);
  const auto x = tenon::to_buffer(device, {3}, {-1, 0, 1});
  for (float y : tenon::to_vector(tenon::run(program, {&x})[0]))
    std::printf("%.4f\n", static_cast<double>(y));
  tenon::run(program, {});
  return 1;
} catch (const tenon::Error& error) {
  std::printf("%s: %s\n", tn_code_name(error.code()), error.what());
  return error.code() == TN_CODE_INVALID_ARGUMENT ? 0 : 1;
}
