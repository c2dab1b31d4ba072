#include "comm/communicator.h"

namespace bzscr {

std::unique_ptr<Communicator> SerialCommunicator::split(int) {
  return std::make_unique<SerialCommunicator>();
}

Communicator& communicator_of(const Execution& execution) {
  static SerialCommunicator alone;  // nobody sets its stop: it never changes
  return execution.communicator != nullptr ? *execution.communicator : alone;
}

}  // namespace bzscr
