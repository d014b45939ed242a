/// The child's side of a launch, and the process calls that glibc or Swift do not offer.
#pragma once
#include <sys/types.h>
