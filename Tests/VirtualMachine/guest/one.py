"""Runs the tests of one file, in the order in which they are written: one.py FILE."""
import os
import runpy
import sys
import time
import traceback

import vm


def last(count):
    """What the machine's journal has of late, without the kernel's own talk."""
    if "TEST_REPORTS" in os.environ:
        return ""
    return vm.sh(f"journalctl --boot --lines={count} --no-pager --output=short-monotonic --no-hostname "
                 "_TRANSPORT=journal + _TRANSPORT=stdout + _TRANSPORT=syslog", may_fail=True)


def run(test, name):
    vm.report(begin=name)
    start = time.monotonic()
    outcome = {"test": name}
    try:
        figure = test()
        if figure is vm.AT_SHUTDOWN:
            return
        outcome |= {"status": "passed", "figure": figure or ""}
    except vm.Skipped as reason:
        outcome |= {"status": "skipped", "figure": str(reason)}
    except BaseException as error:  # pylint: disable=broad-except
        outcome |= {"status": "failed", "figure": str(error),
                    "detail": traceback.format_exc() + last(20)}
    vm.report(**outcome, seconds=round(time.monotonic() - start, 1))


def main():
    path = sys.argv[1]
    file = os.path.basename(path).removesuffix(".py")
    try:
        runpy.run_path(path)
    except Exception:  # pylint: disable=broad-except
        vm.report(begin=file)
        vm.report(test=file, status="failed", figure="cannot be read", detail=traceback.format_exc())
    for name, test in vm.TESTS:
        run(test, name)


main()
