"""The commands of a page in docs/, each of which a test must run."""
import os
import re

from vm import check, read


class Page:
    """The lines of the blocks marked `sh` of a page."""

    def __init__(self, name):
        self.name = name
        text = read(f"{os.environ['TEST_CHECKOUT']}/docs/{name}")
        blocks = re.findall(r"(?ms)^```sh\n(.*?)^```", text)
        self.commands = [line for block in blocks for line in block.replace("\\\n", "").splitlines() if line.strip()]
        self.unrun = list(self.commands)

    def command(self, text, **values):
        """The command `text`, which has to be on the page, with these values for words of it; counts as run."""
        check(text in self.commands, f"docs/{self.name} has no command “{text}”")
        self.unrun = [command for command in self.unrun if command != text]
        for word, value in values.items():
            check(word in text, f"no {word} in {text}")
            text = text.replace(word, str(value))
        return text

    def check_all_run(self):
        check(not self.unrun, f"no test runs these commands of docs/{self.name}: {'; '.join(self.unrun)}")
        return f"{len(self.commands)} commands"
