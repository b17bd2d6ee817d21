#!/usr/bin/env python3
"""The real server, asked by a real client. TAP on standard output.

usage: serve_test.py JALI
"""
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

JALI = os.path.abspath(sys.argv[1])
COUNT = "SELECT ward, COUNT(*) FROM hospital GROUP BY ward"
number = 0


def check(good, sentence):
    global number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {sentence}", flush=True)


def jali(*words):
    done = subprocess.run([JALI, *words], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"jali {words}: {done.stderr}")
    return done.stdout.strip()


class Server:
    def __init__(self, *words):
        self.process = subprocess.Popen([JALI, "serve", "v.jali", "--listen", "127.0.0.1:0",
                                         "--log", "log", *words], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().strip().rsplit(":", 1)[1])

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.process.wait(timeout=30)

    def ask(self, method, path, body=None, token=None, headers=None):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        h = dict(headers or {})
        if token:
            h["Authorization"] = "Bearer " + token
        c.request(method, "/api/v1/" + path, None if body is None else
                  body if isinstance(body, (str, bytes)) else json.dumps(body), h)
        r = c.getresponse()
        text = r.read()
        try:
            return r.status, json.loads(text), r
        except ValueError:
            return r.status, text, r


def question(rho, sql=COUNT):
    return {"verb": "ask", "sql": sql, "rho": rho}


def spend(server, token, plan, **more):
    status, quote, _ = server.ask("POST", "quotes", plan, token)
    assert status == 200, quote
    return server.ask("POST", "releases", {"quote": quote["quote"]}, token, **more)


def spent(server, token):
    return server.ask("GET", "budget", token=token)[1]


def main():
    os.chdir(tempfile.mkdtemp(prefix="jali-http-"))
    jali("mock", "hospital", "-n", "500", "-o", "h.csv", "--schema", "h.json")
    jali("init", "v.jali", "--data", "h.csv", "--schema", "h.json", "--epsilon", "2", "--delta",
         "1e-6")
    eve = jali("token", "v.jali", "add", "--name", "eve")
    bob = jali("token", "v.jali", "add", "--name", "bob")
    ann = jali("token", "v.jali", "add", "--name", "ann", "--role", "curator")
    aud = jali("token", "v.jali", "add", "--name", "aud", "--role", "auditor")
    s = Server()

    check(s.ask("GET", "vault")[0] == 401, "nobody comes in without a token")
    check(s.ask("GET", "vault", token=eve[:-1] + "x")[0] == 401, "nor with a wrong one")
    status, shown, reply = s.ask("GET", "vault", token=eve)
    check(status == 200 and shown["kind"] == "show", "an analyst sees the schema")
    check("default-src 'none'" in reply.headers["Content-Security-Policy"] and
          reply.headers["Cache-Control"] == "no-store", "replies carry strict headers")
    check(s.ask("GET", "ledger", token=eve)[0] == 403, "an analyst does not read the ledger")
    check(s.ask("GET", "ledger", token=aud)[0] == 200, "an auditor does")
    check(s.ask("GET", "ledger/verify", token=aud)[0] == 200, "and verifies it")
    check(s.ask("POST", "quotes", question("0.001"), aud)[0] == 403, "an auditor never spends")
    check(s.ask("GET", "tokens", token=eve)[0] == 403, "tokens are the curator's")

    before = spent(s, ann)
    status, quote, _ = s.ask("POST", "quotes", question("0.001"), eve)
    check(status == 200 and quote["this"]["rho"] == "0.001", "a price is told")
    check(spent(s, ann) == before, "and costs nothing")
    check(s.ask("GET", "releases?quote=" + quote["quote"], token=eve)[0] in (200, 404, 405) and
          spent(s, ann) == before, "no GET spends")
    check(s.ask("POST", "releases", {"quote": quote["quote"]}, bob)[0] == 400,
          "somebody else's price is not accepted")
    broken = quote["quote"][:-4] + ("aaaa" if quote["quote"][-4:] != "aaaa" else "bbbb")
    check(s.ask("POST", "releases", {"quote": broken}, eve)[0] == 400, "nor a changed one")
    status, release, _ = s.ask("POST", "releases", {"quote": quote["quote"]}, eve)
    check(status == 200 and release["release"] == "r1" and not release["free"],
          "an accepted price is paid and answered")
    status, again, _ = s.ask("POST", "releases", {"quote": quote["quote"]}, eve)
    check(status == 200 and again["free"] and again["rows"] == release["rows"],
          "accepted twice it is paid once")
    status, other, _ = spend(s, bob, question("0.001", "select count(*), ward from hospital "
                                                       "group by ward"))
    check(other["free"] and other["release"] == "r1", "an equal question of another is free")
    status, stored, _ = s.ask("GET", "releases/r1?confidence=0.5", token=bob)
    check(status == 200 and stored["confidence"] == "0.5", "a stored release is told again")
    check(s.ask("GET", "releases/r1?format=csv", token=bob)[1].startswith(b"ward,"),
          "and as a table for programs")

    status, refused, _ = s.ask("POST", "quotes", question("0.001", "SELECT wardd FROM hospital"),
                               eve)
    check(status == 400 and refused["error"]["column"] == 8 and
          "ward" in refused["error"]["sentence"], "a plan that makes no sense is told where")
    status, refused, _ = s.ask("POST", "quotes", question("1000"), eve)
    check(status == 402 and "left" in refused["error"]["sentence"], "a budget that is not there")
    check(s.ask("POST", "quotes", {"verb": "ask", "sqk": COUNT}, eve)[0] == 400,
          "an unknown member is refused")
    check(s.ask("POST", "quotes", "[[[[", eve)[0] == 400, "what is not JSON is refused")
    check(s.ask("POST", "quotes", "x" * 70000, eve)[0] == 413, "a large body is refused")
    check(s.ask("GET", "../../etc/passwd", token=eve)[0] == 404, "paths lead nowhere else")
    check(s.ask("PUT", "vault", "{}", eve)[0] == 405, "unknown methods are refused")

    status, session, reply = s.ask("POST", "session", {"token": eve})
    cookie = reply.headers["Set-Cookie"]
    check(status == 200 and "HttpOnly" in cookie and "SameSite=Strict" in cookie,
          "a browser gets a cookie that scripts cannot read")
    crumbs = {"Cookie": cookie.split(";")[0]}
    check(s.ask("GET", "vault", headers=crumbs)[0] == 200, "the cookie reads")
    check(s.ask("POST", "quotes", question("0.002"), headers=crumbs)[0] == 403,
          "but changes nothing without the second secret")
    crumbs["X-Jali-CSRF"] = session["csrf"]
    check(s.ask("POST", "quotes", question("0.002"), headers=crumbs)[0] == 200, "with it, it does")
    check(s.ask("DELETE", "session", headers=crumbs)[0] == 200 and
          s.ask("GET", "vault", headers=crumbs)[0] == 401, "goodbye ends a session")

    status, job, _ = spend(s, eve, question("0.004"), headers={"Prefer": "respond-async"})
    check(status == 202 and s.ask("GET", "jobs/" + job["job"], token=bob)[0] == 404,
          "a job belongs to who started it")
    for _ in range(100):
        status, done, _ = s.ask("GET", "jobs/" + job["job"], token=eve)
        if status != 202:
            break
        time.sleep(0.1)
    check(status == 200 and done["release"].startswith("r"), "and can be polled")

    status, api, _ = s.ask("GET", "openapi")
    check(status == 200 and api["openapi"] == "3.1.0", "the API describes itself to anybody")
    wrong = []
    for path, methods in api["paths"].items():
        for method in methods:
            status = s.ask(method.upper(), path[1:].replace("{id}", "x"),
                           None if method == "get" else "{}", aud)[0]
            if status in (404, 405) and "{id}" not in path:
                wrong.append((method, path, status))
    check(wrong == [], f"and every path that it tells of is there {wrong}")
    status, verdict, _ = s.ask("POST", "quotes", {"verb": "why", "release": "r1", "question":
                               "cardiology > surgery", "rho": "0.005"}, eve)
    check(status == 200 and verdict["this"]["rho"] != "0", "why has a price, too")
    status, why, _ = spend(s, eve, {"verb": "why", "release": "r1", "question":
                                    "cardiology > surgery", "rho": "0.005"})
    check(status == 200 and why["release"] == "w1", "and is explained")
    status, refused, _ = s.ask("POST", "quotes", {"verb": "why", "release": "r1", "top": "0",
                                                  "question": "a > b", "rho": "0.005"}, eve)
    check(status == 400 and "top" in refused["error"]["sentence"], "numbers are checked")
    status, told, _ = spend(s, eve, {"verb": "profile", "clustering": {"rules": ["age < 40"]},
                                     "columns": ["ward", "sex"], "rho": "0.005"})
    check(status == 200 and told["release"] == "p1", "clusters are told apart")
    jali("token", "v.jali", "revoke", "t2")
    check(s.ask("GET", "vault", token=bob)[0] == 401, "a revoked token opens nothing any more")
    check(s.ask("POST", "acts", {"act": "question", "share": "0.5"}, ann)[0] == 200 and
          s.ask("POST", "acts", {"act": "question", "share": "0.5"}, eve)[0] == 403,
          "the largest question is set by the curator alone")

    left = float(spent(s, ann)["left"]["rho"])
    plans = [question(f"{left * 0.4:.9f}", f"SELECT COUNT(*) FROM hospital WHERE age > {i}")
             for i in range(8)]
    codes = []
    threads = [threading.Thread(target=lambda p=p: codes.append(
        s.ask("POST", "releases",
              {"quote": s.ask("POST", "quotes", p, eve)[1].get("quote", "")}, eve)[0]))
        for p in plans]
    [t.start() for t in threads]
    [t.join() for t in threads]
    check(codes.count(200) == 2 and set(codes) <= {200, 402, 400},
          "eight who race for the last of the budget: two fit, six are told no")
    check("overspent" not in open("log").read() and float(spent(s, ann)["left"]["rho"]) >= 0,
          "and nothing is overspent")

    check(s.stop(signal.SIGKILL) == -9 and "ledger holds" in jali("ledger", "v.jali", "verify"),
          "killed at once, the ledger is whole")
    s = Server()
    check(s.ask("GET", "releases/r1", token=eve)[1]["rows"] != [], "and what was told is there")
    check(s.stop() == 0, "a server that is told to stop stops well")
    done = subprocess.run([JALI, "serve", "v.jali", "--listen", "0.0.0.0:0"], capture_output=True,
                          text=True, timeout=30)
    check(done.returncode == 2 and "--tls-cert" in done.stderr,
          "a public address without TLS is refused")
    print(f"1..{number}")


main()
