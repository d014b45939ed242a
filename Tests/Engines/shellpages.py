"""The commands of a page of the documentation that are marked as `sh`, which tests of engines run as they stand there."""
import re

from vm import read


def commands(path):
    """The blocks of a page that are marked as `sh`, in order."""
    found = re.findall(r"^```sh\n(.*?)^```$", read(path), re.M | re.S)
    assert found, f"{path} has no commands"
    return found
