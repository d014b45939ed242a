/// The little that must be C. Each header is one concept.
#pragma once
#include "ancillary.h"
#include "binds.h"
#include "calls.h"
#include "held.h"
#include "machine.h"
#include "ports.h"
#include "process.h"
#include "relay.h"
#include "sockdiag.h"
#include "stream.h"
#include "transfer.h"
