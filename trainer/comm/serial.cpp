#include "comm/communicator.h"

namespace bzscr {

std::unique_ptr<Communicator> SerialCommunicator::split(int) {
  return std::make_unique<SerialCommunicator>();
}

Communicator& communicator_of(const Execution& execution) {
  static SerialCommunicator alone;  // no caller sets its stop condition, so it never changes
  return execution.communicator != nullptr ? *execution.communicator : alone;
}

}  // namespace bzscr
