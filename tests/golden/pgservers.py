"""Real PostgreSQL servers for a test in Python: each in a folder of its own, on a socket."""
import os
import subprocess
import sys

TYPES = {"integer": "int", "number": "numeric", "string": "text", "boolean": "bool", "date": "date"}


def run(*words, seconds=120, **more):
    return subprocess.run([str(w) for w in words], text=True, timeout=seconds, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, **more)


def one_sentence(said):
    """What a refusal prints: a line, and the page that tells more."""
    lines = said.splitlines()
    return lines[0].startswith("jali: ") and all(line.startswith("see: ") for line in lines[1:])


class Server:
    """Leaves the program as skipped where there is no PostgreSQL."""

    def __init__(self, script, folder, *settings):
        self.script, self.folder = script, folder
        got = run(script, "start", folder, *settings)
        if got.returncode == 77:
            print("1..0 # SKIP " + got.stdout.strip())
            sys.exit(0)
        assert got.returncode == 0, got.stdout
        self.home = got.stdout.strip().splitlines()[-1]
        self.place = f"host={self.home} dbname=postgres"

    def do(self, verb):
        got = run(self.script, verb, self.folder)
        assert got.returncode == 0, got.stdout

    def sql(self, text):
        got = run("psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-h", self.home, "postgres", "-c", text)
        assert got.returncode == 0, got.stdout
        return got.stdout.strip()

    def load(self, table, fields, file):
        """A table of the schema's columns, from a CSV file with a header."""
        columns = ", ".join(f'"{f["name"]}" {TYPES[f["type"]]}' for f in fields)
        self.sql(f"CREATE TABLE {table} ({columns})")
        got = run("psql", "-qX", "-v", "ON_ERROR_STOP=1", "-h", self.home, "postgres", "-c",
                  f"\\copy {table} FROM '{os.path.realpath(file)}' CSV HEADER")
        assert got.returncode == 0, got.stdout
