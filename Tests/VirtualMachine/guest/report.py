"""Reports the outcome of a test that returned AT_SHUTDOWN: report.py passed|failed SENTENCE [FIGURE]."""
import sys

import vm

vm.report(test=sys.argv[2], status=sys.argv[1], figure=" ".join(sys.argv[3:]))
