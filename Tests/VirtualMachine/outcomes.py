"""What became of the tests that tell of themselves by guest/vm.py: printed one by one, counted, and written as a report."""
import xml.etree.ElementTree as xml

MARKS = {"passed": "ok  ", "failed": "FAIL", "skipped": "skip"}


class Outcomes:
    """What became of each test; one that began and said no more has failed."""

    def __init__(self):
        self.by_name = {}

    def take(self, report):
        if "say" in report:
            print(report["say"], flush=True)
        elif "begin" in report:
            self.by_name[report["begin"]] = None
        elif report.get("test") and report.get("status") in MARKS:
            self.by_name[report["test"]] = report
            self.print(report)

    def close(self, why):
        """Counts those that never ended as failed."""
        for name, report in self.by_name.items():
            if report is None:
                self.take({"test": name, "status": "failed", "figure": why})

    @staticmethod
    def print(report):
        seconds = f"  ({report['seconds']} s)" if "seconds" in report else ""
        figure = f": {report['figure']}" if report.get("figure") else ""
        print(f"  {MARKS[report['status']]}  {report['test']}{figure}{seconds}", flush=True)
        for line in report.get("detail", "").splitlines():
            print(f"          {line}")

    def count(self, status):
        return sum(report["status"] == status for report in self.by_name.values())

    def write(self, path):
        root = xml.Element("testsuite")
        for name, report in self.by_name.items():
            case = xml.SubElement(root, "testcase", name=name)
            if report["status"] != "passed":
                outcome = xml.SubElement(case, {"failed": "failure"}.get(report["status"], report["status"]))
                outcome.text = report.get("figure")
        xml.ElementTree(root).write(path)
