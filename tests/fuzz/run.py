#!/usr/bin/env python3
"""Builds the fuzzers with clang (ASan, UBSan) and runs each from its seeds. A run that finds something keeps the
input under build/fuzz/found and fails.

usage: tests/fuzz/run.py [--seconds 60] [--only NAME] [--jobs 2]

Needs clang++-19 and libclang-rt-19-dev."""

import argparse
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build" / "fuzz"


def run(*command, **options):
    return subprocess.run([str(part) for part in command], **options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=60, help="for each fuzzer")
    parser.add_argument("--only", help="name of one fuzzer")
    parser.add_argument("--jobs", type=int, default=2, help="fuzzers at a time, and compilers")
    options = parser.parse_args()
    names = sorted(path.name.removesuffix("_fuzz.cpp") for path in (ROOT / "tests/fuzz").glob("*_fuzz.cpp"))
    if options.only:
        names = [name for name in names if name == options.only]
    if not names:
        sys.exit("there is no such fuzzer")
    if run("cmake", "--preset", "fuzz", cwd=ROOT, stdout=subprocess.DEVNULL).returncode:
        return 1
    if run("ninja", "-C", BUILD, f"-j{options.jobs}", *(f"fuzz_{name}" for name in names), stdout=subprocess.DEVNULL).returncode:
        return 1
    found = BUILD / "found"
    found.mkdir(exist_ok=True)
    waiting, running, bad = list(names), {}, []
    while waiting or running:
        while waiting and len(running) < options.jobs:
            name = waiting.pop(0)
            seeds, corpus = BUILD / "seeds" / name, BUILD / "corpus" / name
            for folder in (seeds, corpus):
                folder.mkdir(parents=True, exist_ok=True)
            program = BUILD / "tests" / "fuzz" / f"fuzz_{name}"
            # Those that have seeds of their own write them and end; others see an empty run.
            run(program, "-runs=0", env={"BASALT_SEEDS": str(seeds), "PATH": "/usr/bin:/bin"}, stderr=subprocess.DEVNULL)
            log = open(BUILD / f"{name}.log", "wb")
            running[name] = (subprocess.Popen(
                [program, f"-max_total_time={options.seconds}", "-timeout=10", "-rss_limit_mb=3000", "-max_len=65536",
                 f"-artifact_prefix={found}/{name}-", corpus, seeds], stdout=log, stderr=log), log)
        for name, (process, log) in list(running.items()):
            if process.poll() is None:
                continue
            del running[name]
            log.close()
            text = (BUILD / f"{name}.log").read_text(errors="replace")
            runs = re.findall(r"Done (\d+) runs in (\d+) second", text)
            if process.returncode == 0 and runs:
                print(f"{name}: {runs[-1][0]} runs in {runs[-1][1]} s, clean", flush=True)
            else:
                bad.append(name)
                print(f"{name}: FOUND SOMETHING, see {BUILD / (name + '.log')}", flush=True)
                print("\n".join(text.splitlines()[-40:]))
        time.sleep(0.5)
    print(f"{len(names) - len(bad)} passed, {len(bad)} failed")
    return 1 if bad else 0


sys.exit(main())
