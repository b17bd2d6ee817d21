#!/usr/bin/env python3
"""Runs the commands of a page of the manual, in order, in one shell. TAP on standard output.

usage: manual_test.py JALI PAGE.md...
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

jali, pages = os.path.abspath(sys.argv[1]), [os.path.abspath(p) for p in sys.argv[2:]]
print(f"1..{len(pages)}")
for number, page in enumerate(pages, 1):
    home = tempfile.mkdtemp(prefix="jali-manual-")
    tools = os.path.join(home, "bin")
    os.mkdir(tools)
    os.symlink(jali, os.path.join(tools, "jali"))
    blocks = re.findall(r"^```sh\n(.*?)^```$", open(page).read(), re.M | re.S)
    script = "set -eum\n" + "\n".join(blocks)
    env = dict(os.environ, PATH=tools + ":" + os.environ["PATH"])
    done = subprocess.run(["bash", "-c", script], cwd=home, env=env, capture_output=True,
                          text=True, timeout=150, stdin=subprocess.DEVNULL)
    good = done.returncode == 0 and len(blocks) > 0
    print(f"{'ok' if good else 'not ok'} {number} - the commands of {os.path.basename(page)} work")
    if not good:
        print("# " + (done.stdout + done.stderr)[-2000:].replace("\n", "\n# "))
    shutil.rmtree(home, ignore_errors=True)
