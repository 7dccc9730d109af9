"""Packages of npm that tests talk to. They stand in build/peer of the checkout."""

import os
import pathlib
import shutil
import subprocess

PEER = pathlib.Path(__file__).resolve().parent.parent.parent / "build" / "peer"


def install(*packages):
    if not shutil.which("npm"):
        raise SystemExit("npm is not installed: tools/install_deps")
    done = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", str(PEER), *packages], capture_output=True, text=True,
                          timeout=900)
    if done.returncode:
        raise SystemExit(f"npm cannot install {packages}: {done.stderr[-1000:]}")


def node_with(*packages):
    """Path of a node of at least version 20 and the folder of the packages, installed if they are not there."""
    PEER.mkdir(parents=True, exist_ok=True)
    missing = []
    for package in packages:
        name, _, version = package.rpartition("@")
        described = PEER / "node_modules" / name / "package.json"
        if not described.exists() or f'"version": "{version}"' not in described.read_text():
            missing.append(package)
    node = shutil.which("node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True).stdout if node else "v0"
    own_node = PEER / "node_modules" / "node" / "bin" / "node"
    if int(version.lstrip("v").split(".")[0]) < 20:
        if not own_node.exists():
            missing.append("node@20")
        node = str(own_node)
    if missing:
        install(*missing)
    os.environ.setdefault("NODE_NO_WARNINGS", "1")
    return node, str(PEER)
