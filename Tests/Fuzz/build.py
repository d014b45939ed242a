#!/usr/bin/env python3
"""Builds the fuzz targets, or those named, under .build/fuzz: Tests/Fuzz/build.py [--plain] [TARGET…]

With --plain they are not optimised, which takes a quarter of the time: for a run of seconds, under .build/fuzz-plain. Each module is compiled once for all targets that need it, as many at a time as there are processors; what a module needs is
read off its imports. A module or a target is compiled again when one of its files, or what it is built from, is newer. A
target that cannot be built is told of, does not keep the others from being built, and makes the status 1.
"""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import threading

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SHELL = "Sources/Shell/SupervisorPorts"
HANDOVER = [f"{SHELL}/Handover/{name}.swift" for name in ("Base64", "HandoverReader", "HandoverWriter")]
NOTIFY = [f"Sources/Machine/Systemd/Notify{name}.swift" for name in ("Message", "Message+Parsing", "Field", "Number", "Drop")]
# What a target tests out of modules that need much more: these files become one module with it.
FILES = {
    "ActivityFuzz": [f"{SHELL}/Callbacks/ActivityState.swift"],
    "ConversationFuzz": [*NOTIFY, f"{SHELL}/Callbacks/ActivityState.swift"],
    "HandoverFuzz": HANDOVER,
    "NotifyFuzz": [*NOTIFY, "Sources/Machine/Systemd/PassedEnvironment.swift"],
    "OutputFuzz": [f"Sources/Shell/WorkerIO/Output/{name}.swift" for name in ("LineCutter", "OutputWatch", "PipeReader")],
    "ProgramFuzz": [f"Sources/Machine/Launching/{name}.swift" for name in ("BuildID", "ExecutableSearch", "MissingInterpreter")],
    "RecordFuzz": [
        *HANDOVER, *(f"{SHELL}/Handover/{name}.swift" for name in ("InboxHandover", "LifeHandover", "LiveRecord", "SnapshotCoder+Values")),
        *(f"{SHELL}/Callbacks/{name}.swift" for name in ("BackgroundTask", "CallbackMessage")), f"{SHELL}/GoalOrigin.swift",
        f"{SHELL}/TopicState.swift", f"{SHELL}/Notifications/Inbox.swift",
    ],
    "ScreenFuzz": [
        *glob.glob("Sources/Model/Screen/Cells/*.swift"), *glob.glob("Sources/Model/Screen/Keys/*.swift"),
        "Sources/Model/Screen/Top/TopPager.swift",
    ],
}
FLAGS = [
    "-whole-module-optimization", "-parse-as-library", "-sanitize=fuzzer,address", "-swift-version", "6", "-package-name",
    "torpor", "-suppress-warnings", "-I", "Sources/Machine",
]
# As in Package.swift.
for feature in ("ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault"):
    FLAGS += ["-enable-upcoming-feature", feature]
C = "CLinux"
INCLUDE = f"Sources/Machine/{C}/include"
IMPORT = re.compile(r"^(?:(@testable) |@_exported )?(?:(?:public|package|internal|private|fileprivate) )?import (?:\w+ )?(\w+)", re.MULTILINE)
TARGETS = sorted(os.path.basename(path)[:-6] for path in glob.glob("Tests/Fuzz/*.swift"))


def imports(files):
    """The modules of the package that files import, and those of them that are imported as @testable."""
    found, tested = set(), set()
    for path in files:
        with open(path, encoding="utf-8") as file:
            for testable, name in IMPORT.findall(file.read()):
                if folder(name):
                    found.add(name)
                    tested |= {name} if testable else set()
    return found, tested


def folder(module):
    """Where the module's sources are; None for one of Swift's, or of the system."""
    found = [path for path in glob.glob(f"Sources/*/{module}") if glob.glob(f"{path}/**/*.swift", recursive=True) or module == C]
    return found[0] if found else None


def sources(module):
    return sorted(glob.glob(f"{folder(module)}/**/*.{'c' if module == C else 'swift'}", recursive=True))


class Plan:
    """What is to be built: the modules, each with those it needs, and the targets."""

    def __init__(self, targets, out, optimisation):
        self.out, self.map = out, f"{out}/c/{C}/module.modulemap"
        self.swiftc = ["swiftc", optimisation, *FLAGS, "-I", out]
        self.needs, self.tested = {}, set()
        self.targets = {target: [f"Tests/Fuzz/{target}.swift", *FILES.get(target, [])] for target in targets}
        # As @testable by any target, so that it does not matter which are built.
        for target in TARGETS:
            self.tested |= imports([f"Tests/Fuzz/{target}.swift"])[1]
        self.direct = {target: imports(files)[0] for target, files in self.targets.items()}
        for names in self.direct.values():
            for name in names:
                self.add(name)

    def add(self, module):
        if module not in self.needs:
            self.needs[module] = set()
            for name in imports(sources(module))[0] - {module}:
                self.add(name)
                self.needs[module] |= {name} | self.needs[name]

    def modules(self, target):
        """All that a target is linked with."""
        return sorted(set().union(*({name} | self.needs[name] for name in self.direct[target])))


def age(path):
    return os.stat(path).st_mtime if os.path.exists(path) else 0


def is_old(product, *inputs):
    """Whether a file is older than one of those that it is made of, or than this program."""
    return not os.path.exists(product) or age(product) < max(age(path) for path in (__file__, *inputs))


def call(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stdout)


def resources(plan, module):
    """SwiftPM embeds these files as a type; here a file of Swift does it."""
    files = sorted(glob.glob(f"{folder(module)}/*.varlink"))
    if not files:
        return []
    text = "enum PackageResources {\n"
    for path in files:
        with open(path, encoding="utf-8") as file:
            name = os.path.basename(path).replace(".", "_")
            text += f'static let {name} = Array(#"""\n{file.read()}\n"""#.utf8)\n'
    path = f"{plan.out}/{module}.resources.swift"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "}\n")
    return [path]


def objects(plan, modules):
    return [
        product for module in modules for product in (
            [f"{plan.out}/c/{os.path.basename(path)}.o" for path in sources(C)] if module == C else [f"{plan.out}/{module}.o"])
    ]


def compile_c(plan):
    headers = glob.glob(f"{INCLUDE}/*.h")
    os.makedirs(os.path.dirname(plan.map), exist_ok=True)
    with open(plan.map, "w", encoding="utf-8") as file:
        file.write(f'module {C} {{ umbrella header "{os.path.abspath(INCLUDE)}/{C}.h" export * }}\n')
    clang = os.path.join(os.path.dirname(os.path.realpath(shutil.which("swiftc"))), "clang")
    for path, product in zip(sources(C), objects(plan, [C])):
        if is_old(product, path, *headers):
            call([
                clang, "-O1", "-g", "-fsanitize=address,undefined,fuzzer-no-link", "-fno-sanitize-recover=undefined",
                "-fno-sanitize=function", f"-I{INCLUDE}", "-c", path, "-o", product,
            ])


def compile_module(plan, module):
    if module == C:
        return compile_c(plan)
    files, product = sources(module), f"{plan.out}/{module}.o"
    inputs = [*files, *glob.glob(f"{folder(module)}/*.varlink"), *objects(plan, plan.needs[module])]
    if is_old(product, *inputs):
        call([
            *plan.swiftc, *c_flags(plan, plan.needs[module]), *(["-enable-testing"] if module in plan.tested else []), "-module-name",
            module, "-emit-module", "-emit-module-path", f"{plan.out}/{module}.swiftmodule", "-emit-object", "-o", product, *files,
            *resources(plan, module),
        ])


def c_flags(plan, modules):
    return ["-Xcc", f"-fmodule-map-file={plan.map}", "-Xcc", f"-I{INCLUDE}"] if C in modules else []


def compile_target(plan, target):
    modules = plan.modules(target)
    files = [*plan.targets[target], *objects(plan, modules)]
    if is_old(f"{plan.out}/{target}", *files):
        call([
            *plan.swiftc, *c_flags(plan, modules), "-use-ld=lld", "-module-name", target, *files, "-o", f"{plan.out}/{target}",
        ])


def weight(plan, name):
    """Lines that wait for a module: the more, the sooner it is compiled."""
    waiting = [name] + [other for other, needs in plan.needs.items() if name in needs]
    return sum(os.path.getsize(path) for module in waiting for path in sources(module))


def build(targets, is_plain=False):
    """Builds the targets; returns where they are, and those that could not be, each with what the compiler said."""
    out, optimisation = (".build/fuzz-plain", "-Onone") if is_plain else (".build/fuzz", "-O")
    os.makedirs(out, exist_ok=True)
    plan = Plan(targets, out, optimisation)
    jobs = {name: (plan.needs[name], compile_module) for name in sorted(plan.needs, key=lambda name: -weight(plan, name))}
    jobs |= {target: (set(plan.modules(target)), compile_target) for target in targets}
    done, failed, change = set(), {}, threading.Condition()

    def work():
        while True:
            with change:
                while jobs and not (ready := [name for name, (needs, _) in jobs.items() if needs <= done | set(failed)]):
                    change.wait()
                if not jobs:
                    return
                needs, compiler = jobs.pop(ready[0])
                broken = needs & set(failed)
            try:
                if broken:
                    raise RuntimeError(f"{', '.join(sorted(broken))} cannot be built")
                compiler(plan, ready[0])
                error = None
            except RuntimeError as problem:
                error = str(problem)
            with change:
                if error is None:
                    done.add(ready[0])
                else:
                    failed[ready[0]] = error
                change.notify_all()

    with concurrent.futures.ThreadPoolExecutor() as pool:
        for worker in [pool.submit(work) for _ in range(len(os.sched_getaffinity(0)))]:
            worker.result()
    return out, failed


def main():
    is_plain, names = "--plain" in sys.argv, [name for name in sys.argv[1:] if name != "--plain"]
    if unknown := [name for name in names if name not in TARGETS]:
        sys.exit(f"there is no fuzz target {', '.join(unknown)}: they are {', '.join(TARGETS)}")
    _, failed = build(names or TARGETS, is_plain)
    for name, error in failed.items():
        print(f"{name}: it cannot be built\n{error}", file=sys.stderr)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
