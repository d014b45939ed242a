#pragma once
// libsystemd for a program that seldom needs it: the functions of libsystemd(3) that the module Systemd calls, each of which loads the
// library, with six others behind it, when it is called first. Whoever links this need not be linked to libsystemd.
//
// Where the library is missing, what returns a number returns -ELIBACC, or -EMFILE or -ENFILE where no descriptor is left for it, and what returns an address returns null.
