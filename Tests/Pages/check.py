#!/usr/bin/env python3
"""Shows pictures and pages to a real browser, uses them as a person does, and prints what is wrong with them, a line each.

    check.py DIRECTORY [FILE…]

It looks at the files, or at all *.svg and *.html of the directory. A screenshot of each stays beside it, as FILE.png. The browser is Debian's chromium
without a window, steered over two pipes (Chrome DevTools Protocol, --remote-debugging-pipe).
"""
import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM = "/usr/bin/chromium"
PATIENCE = 120  # seconds


class Browser:
    """One chromium with one page; gone with its files at the end."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="torpor-browser-")
        theirs, to = os.pipe()
        self.source, our = os.pipe()
        self.to, self.rest, self.number, self.problems = to, b"", 0, []
        # The protocol is spoken on descriptors 3 and 4.
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$@" 3<&{theirs} 4>&{our}', "sh", PROGRAM, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--hide-scrollbars", "--force-device-scale-factor=1",
             f"--user-data-dir={self.directory}", "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=(theirs, our),
            env=dict(os.environ, HOME=self.directory), start_new_session=True)
        os.close(theirs)
        os.close(our)
        self.session = None
        target = next(each["targetId"] for each in self.pages())
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def pages(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = [each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page"]
            if found:
                return found
            time.sleep(0.05)
        raise TimeoutError("the browser opened no page")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, EOFError, RuntimeError, TimeoutError):
            self.process.kill()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.source)
        shutil.rmtree(self.directory, ignore_errors=True)

    def message(self, end):
        """The next message of the browser."""
        while b"\0" not in self.rest:
            if not select.select([self.source], [], [], max(end - time.monotonic(), 0))[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.source, 1 << 20)
            if not more:
                raise EOFError("the browser ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        end = time.monotonic() + PATIENCE
        while (answer := self.message(end)).get("id") != self.number:
            self.hear(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def hear(self, event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]).splitlines()[0])
        elif method == "Log.entryAdded":
            # That pixels are read is the check's own doing.
            if "willReadFrequently" not in parameters["entry"]["text"]:
                self.problems.append(parameters["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.problems.append(str(parameters["args"]))
        elif method == "Page.loadEventFired":
            self.is_loaded = True

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, path):
        self.problems, self.is_loaded = [], False
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        end = time.monotonic() + PATIENCE
        while not self.is_loaded:
            self.hear(self.message(end))

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def settle(self):
        """Waits until what was changed is drawn."""
        self.value("new Promise(r=>requestAnimationFrame(()=>requestAnimationFrame(()=>r(0))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def key(self, key, text=None):
        more = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self, path, whole=False):
        more = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            more = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 8000), "scale": 1}}
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole, **more)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


# Where each text of a picture stands, and the box that it belongs to, where it has one; in pixels of the screen.
TEXTS = """(()=>{const b=e=>{const r=e.getBoundingClientRect();return [r.left,r.top,r.right,r.bottom]};
 return {all:b(document.documentElement),texts:[...document.querySelectorAll('text')].map(e=>{
  const box=e.parentNode.tagName==='g'?e.parentNode.querySelector(':scope>rect.b'):null;
  return [[...e.childNodes].filter(n=>n.nodeType===3).map(n=>n.data).join(''),b(e),box?b(box):null]})}})()"""


# The texts of labels that a line runs through.
CROSSED = """(()=>{const labels=[...document.querySelectorAll('g.h text')].map(e=>[e.textContent,e.getBBox()]),out=new Set();
 for(const p of document.querySelectorAll('path.a'))for(let at=0;at<p.getTotalLength();at+=2){const q=p.getPointAtLength(at);
  for(const [t,b] of labels)if(q.x>b.x&&q.x<b.x+b.width&&q.y>b.y+1&&q.y<b.y+b.height-1)out.add(t)}
 return [...out]})()"""


def check_picture(browser, path):
    """No text of a picture lies on another, on a line, beyond the picture, or beyond its box."""
    browser.size(1280, 900)
    browser.open(path)
    browser.picture(path + ".png", whole=True)
    yield from browser.problems
    found = browser.value(TEXTS)
    left, top, right, bottom = found["all"]
    texts = [(text, box, owner) for text, box, owner in found["texts"] if text.strip()]
    if not texts:
        yield "no text is shown"
    for text, box, owner in texts:
        if box[0] < left - 1 or box[1] < top - 1 or box[2] > right + 1 or box[3] > bottom + 1:
            yield f"\"{text}\" is beyond the picture: {box} of {found['all']}"
        if owner and (box[0] < owner[0] or box[2] > owner[2] or box[1] < owner[1] or box[3] > owner[3]):
            yield f"\"{text}\" is beyond its box: {box} of {owner}"
    for text in browser.value(CROSSED):
        yield f"a line runs through \"{text}\""
    # A line's height has room above and below its letters: a little of it may be shared.
    room = 3
    texts.sort(key=lambda each: each[1][1])
    for index, (text, box, _) in enumerate(texts):
        for other, next_box, _ in texts[index + 1:]:
            if next_box[1] > box[3] - room:
                break
            if next_box[0] < box[2] - 1 and next_box[2] > box[0] + 1 and next_box[3] > box[1] + room:
                yield f"\"{text}\" and \"{other}\" lie on each other: {box} {next_box}"


def check_page(browser, path):
    """A page shows its lanes, and can be zoomed, moved, pointed at and filtered, by mouse and by keys."""
    browser.size(1280, 900)
    browser.open(path)
    browser.settle()
    browser.picture(path + ".png")
    lanes = browser.value("D.lanes.length")

    def colour(x, y):
        return browser.value(f"'#'+[...g.getImageData({x},{y},1,1).data].slice(0,3).map(v=>v.toString(16).padStart(2,'0')).join('')")

    def view():
        return browser.value("[from,to,D.span]")

    # The middle of the longest interval that is in sight, and of the lane that it is in.
    places = browser.value("""rows.slice(0,Math.floor((H-TOP)/ROW)-1).map((l,i)=>{
        const v=[...l[1]].sort((a,b)=>(b[2]-b[1])-(a[2]-a[1]))[0];if(!v)return null;
        const t=(v[1]+v[2])/2,px=x(t);return l[2].some(m=>Math.abs(x(m[1])-px)<8)?null:
          [Math.round(px),TOP+i*ROW+ROW/2,D.states[v[0]],l[0],x(v[2])-x(v[1])]}).filter(p=>p&&p[4]>4)""")
    if not places:
        yield "no interval is in sight"
        return
    long = value_of(browser, "[...document.querySelectorAll('header *')].filter(e=>e.getBoundingClientRect().right>innerWidth+1).length")
    if long:
        yield f"{long} parts of the head are beyond the window"
    origin = browser.value("(r=>[r.left,r.top])(canvas.getBoundingClientRect())")
    for px, py, state, name, _ in places[:8]:
        wanted = browser.value(f"colours[{json.dumps(state[0])}]")
        wanted = "#" + "".join(c * 2 for c in wanted[1:]) if len(wanted) == 4 else wanted
        if (seen := colour(px, py)) != wanted:
            yield f"{name} is {seen} at {px},{py}, not {wanted} of {state[0]}"
        browser.mouse("mouseMoved", origin[0] + px, origin[1] + py)
        tip = browser.value("tip.hidden?'':tip.textContent")
        if not tip.startswith(name) or state[1] not in tip:
            yield f"under the pointer at {name} stands {tip!r}"
        inside = browser.value("(r=>r.left>=0&&r.top>=0&&r.right<=innerWidth&&r.bottom<=innerHeight)(tip.getBoundingClientRect())")
        if not inside:
            yield f"what is said of {name} is beyond the window"
    browser.picture(path + ".hover.png")
    px, py = places[0][0], places[0][1]
    x, y = origin[0] + px, origin[1] + py

    def step(what, act, holds):
        before = view()
        act()
        browser.settle()
        after = view()
        if not holds(before, after):
            yield f"{what}: from {before} to {after}"

    def width(part):
        return part[1] - part[0]

    def drag():
        browser.mouse("mousePressed", x, y, button="left", clickCount=1)
        browser.mouse("mouseMoved", x + 150, y, button="left", buttons=1)
        browser.mouse("mouseReleased", x + 150, y, button="left", clickCount=1)

    def double():
        for count in (1, 2):
            browser.mouse("mousePressed", x, y, button="left", clickCount=count)
            browser.mouse("mouseReleased", x, y, button="left", clickCount=count)

    def press(name):
        place = browser.value(f"(r=>[r.left+r.width/2,r.top+r.height/2])($({json.dumps(name)}).getBoundingClientRect())")
        browser.mouse("mousePressed", *place, button="left", clickCount=1)
        browser.mouse("mouseReleased", *place, button="left", clickCount=1)

    pointed = browser.value(f"time({px})")
    yield from step("the wheel with Ctrl does not enlarge",
                    lambda: browser.mouse("mouseWheel", x, y, deltaX=0, deltaY=-600, modifiers=2),
                    lambda a, b: width(b) < width(a) * 0.7)
    if abs(browser.value(f"time({px})") - pointed) > browser.value("(to-from)/W*2"):
        yield "what is under the pointer does not stay there"
    yield from step("+ does not enlarge", lambda: browser.key("+", "+"), lambda a, b: abs(width(b) - width(a) / 2) < 1)
    yield from step("dragging does not move", drag, lambda a, b: b[0] < a[0] and abs(width(b) - width(a)) < 1)
    yield from step("the arrow does not move", lambda: browser.key("ArrowRight"), lambda a, b: b[0] > a[0])
    yield from step("a double click does not enlarge", double, lambda a, b: width(b) < width(a))
    browser.picture(path + ".zoomed.png")
    for _ in range(40):
        browser.key("+", "+")
    browser.settle()
    yield from step("- does not reduce", lambda: browser.key("-", "-"), lambda a, b: width(b) > width(a))
    if not browser.value("$('range').textContent").strip():
        yield "the range is not told"
    yield from step("Fit does not show everything", lambda: press("fit"), lambda a, b: b[0] == 0 and b[1] == b[2])
    yield from step("the button + does not enlarge", lambda: press("in"), lambda a, b: width(b) < width(a))
    yield from step("the button − does not reduce", lambda: press("out"), lambda a, b: width(b) > width(a))

    wanted = browser.value("D.lanes[D.lanes.length-1][0]")
    browser.key("/", "/")
    browser.call("Input.insertText", text=wanted.upper())
    browser.settle()
    shown = browser.value("[rows.length,$('count').textContent,rows.every(r=>r[0].toLowerCase().includes($('filter').value.toLowerCase()))]")
    if not 1 <= shown[0] <= lanes or not shown[2] or shown[1] != f"{shown[0]} of {lanes}":
        yield f"the filter {wanted!r} leaves {shown}"
    browser.call("Input.insertText", text="\u0001 no such name")
    browser.settle()
    if browser.value("rows.length"):
        yield "a filter that fits no name leaves some"
    browser.value("$('filter').value='';filter()")

    # Narrow, scrolled to the end, and dark.
    browser.size(420, 640)
    browser.settle()
    if browser.value("document.documentElement.scrollWidth>innerWidth+1"):
        yield "a narrow window has to be scrolled sideways"
    if browser.value("H") < 120:
        yield "a low window has no room for lanes"
    browser.value("view.scrollTop=1e9")
    browser.settle()
    if not browser.value("view.scrollTop+view.clientHeight>=TOP+rows.length*ROW"):
        yield "the last lane cannot be reached"
    browser.picture(path + ".narrow.png")
    light = colour(3, 3)
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    browser.size(1280, 900)
    browser.settle()
    if colour(3, 3) == light:
        yield "there is no dark ground where that is preferred"
    browser.picture(path + ".dark.png")
    browser.call("Emulation.setEmulatedMedia", features=[])
    yield from browser.problems


def value_of(browser, expression):
    return browser.value(expression) or 0


def main():
    directory, files = sys.argv[1], sys.argv[2:]
    files = files or sorted(name for name in os.listdir(directory) if name.endswith((".svg", ".html")))
    browser = Browser()
    count = 0
    try:
        for name in files:
            path = os.path.join(directory, name)
            for problem in (check_page if name.endswith(".html") else check_picture)(browser, path):
                print(f"{name}: {problem}")
                count += 1
    finally:
        browser.close()
    return count > 0


if __name__ == "__main__":
    sys.exit(main())
