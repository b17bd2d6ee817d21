"""The commands of a page of the manual, for the tests that run them."""
import re

COMMAND = re.compile(r"^(jali |make |build/jali|tools/|bench/|mpirun |meson )")


def blocks(text):
    """Each block of a page: its lines, and the reason why it is not run (None: run it)."""
    found, now, reason, fence = [], [], None, False

    def end():
        nonlocal now, reason
        if any(COMMAND.match(line) for line in now):
            found.append((now, reason))
        if now:
            now, reason = [], None
    before = ""
    for line in text.splitlines() + [""]:
        mark = re.match(r"<!-- (not run|run elsewhere|run with|run smaller|shape): (.+) -->", line)
        if line.startswith("```"):
            end()
            fence = not fence and line.startswith("```sh")
        elif fence:
            now.append(line)
        elif line.startswith("    ") and (now or before == ""):
            now.append(line[4:])
        else:
            end()
            if mark:
                reason = mark.group(1), mark.group(2)
            elif line.strip():
                reason = None
        before = line.strip()
    return found
