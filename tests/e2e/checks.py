"""Counts the checks of a test program; finish() prints the line that ./test adds up."""

import sys

passed = failed = 0


def count(good, text):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {text}", flush=True)


def check(what, got, want):
    count(got == want, f"{what}: got {got!r}, expected {want!r}")


def holds(what, condition, detail=""):
    count(condition, f"{what}: {detail!r}")


def finish():
    """Prints the count; the exit code of the program."""
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
