"""What a page of the documentation asks its reader to do, and whether what came is what the page shows.

README.md has the conventions. Nothing here runs anything: reader.py does.
"""
import re

FENCE = re.compile(r"^( *)```(\w*)\s*$")
NAMED = re.compile(r"`([^`]+)`:$")
DIRECTIVE = re.compile(r"^( *)<!-- test: (\w+)(?: (.*))?$")
# The words that are about the next block alone, and all others.
ABOUT_NEXT = {"skip", "instead", "repeat", "status", "stay"}
DIRECTIVES = ABOUT_NEXT | {"needs", "supervisor", "run", "really", "standin", "terminal", "key", "replace", "venv"}


class Step:
    """One thing to do: a directive, a block of commands, or a file. `about` has the directives for it."""

    def __init__(self, kind, line, text="", body="", about=None):
        self.kind, self.line, self.text, self.body = kind, line, text, body
        self.about = about or {}


def steps(page):
    """The steps of a page, in order; raises ValueError with the line of what nothing would run."""
    lines = page.splitlines()
    found, about, before, at = [], {}, "", 0
    while at < len(lines):
        line, start = lines[at], at + 1
        at += 1
        if match := DIRECTIVE.match(line):
            margin, word, text = match.group(1), match.group(2), match.group(3) or ""
            body = []
            if text.endswith("-->"):
                text = text.removesuffix("-->").strip()
            else:
                while lines[at].strip() != "-->":
                    body.append(lines[at].removeprefix(margin))
                    at += 1
                at += 1
            if word not in DIRECTIVES:
                raise ValueError(f"line {start}: no directive {word}")
            if word in ABOUT_NEXT:
                about[word] = (text, "\n".join(body))
            else:
                found.append(Step(word, start, text, "".join(f"{line}\n" for line in body)))
        elif match := FENCE.match(line):
            indent, language = match.groups()
            body = []
            while lines[at].strip() != "```":
                body.append(lines[at].removeprefix(indent))
                at += 1
            at += 1
            named = NAMED.search(before)
            if language == "console":
                kind, name = "commands", ""
            elif named and ("." in named.group(1) or "/" in named.group(1)) or "skip" in about:
                kind, name = "file", named.group(1) if named else ""
            else:
                raise ValueError(f"line {start}: a block that is neither console nor the content of a file")
            found.append(Step(kind, start, name, "".join(f"{line}\n" for line in body), about))
            about, before = {}, ""
        elif line.strip():
            before = line.strip()
    if about:
        raise ValueError(f"a directive {', '.join(about)} without a block after it")
    return found


def commands(block):
    """The commands of a console block with what each is shown to print: after `$ `, continued after `> `.

    A block that begins otherwise has none: it shows what goes on in the terminal.
    """
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif not found:
            break
        elif line.startswith("> ") and not found[-1][1]:
            found[-1][0] += "\n" + line[2:]
        else:
            found[-1][1].append(line)
    return [(command, "\n".join(shown).rstrip()) for command, shown in found]


def pattern(shown):
    """What matches the output that a page shows: `…` stands for any text in a line, alone for any lines, blanks for blanks."""
    parts = []
    for line in shown.splitlines():
        if line.strip() == "…":
            parts.append(r"(?:[^\n]*\n)*?")
            continue
        words = [re.escape(word).replace("…", "[^\n]*?") for word in line.split()]
        parts.append(r"[ \t]*" + r"[ \t]+".join(words) + r"[ \t]*\n")
    return re.compile("".join(parts))


def matches(shown, came):
    """Whether the whole of `came` is what the page shows."""
    return pattern(shown).fullmatch(came.rstrip() + "\n" if came.strip() else "") is not None


def appears(shown, came):
    """Where what the page shows is in what came until now; None where it is not."""
    return pattern(shown).search(came + "\n")
