"""What the black-box tests of programs share: how to run one, and a small data set. Python's standard library alone.

Where the programs are stands in the environment, BZSCR_TRAIN and so on; CMake sets it.
"""

import json
import os
import random
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path


def program(name):
    """The path of a built program: program("bzscr-train")."""
    return os.environ[name.upper().replace("-", "_")]


def run(name, *arguments, **options):
    """Runs a program to its end; standard output and error as text."""
    return subprocess.run([program(name), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", timeout=600, **options)


def write_npy(path, rows, descr):
    """A matrix (a list of lists) or a vector as numpy.save would write it. descr: '<f4' or '<i8'."""
    letter = {"<f4": "f", "<i8": "q"}[descr]
    is_matrix = isinstance(rows[0], (list, tuple))
    shape = f"({len(rows)}, {len(rows[0])})" if is_matrix else f"({len(rows)},)"
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    values = [value for row in rows for value in row] if is_matrix else rows
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}{letter}", *values))


def write_dataset(folder, samples=240, features=6, classes=10, unseen=3, embedding=4, seed=1):
    """Samples that follow the embedding of their class, with noise. Two classes are for validation."""
    draw = random.Random(seed)
    phi = [[draw.gauss(0, 1) for _ in range(embedding)] for _ in range(classes)]
    mapping = [[draw.gauss(0, 1) for _ in range(features)] for _ in range(embedding)]
    labels = [i % classes for i in range(samples)]
    rows = [[sum(phi[y][a] * mapping[a][j] for a in range(embedding)) + draw.gauss(0, 1) for j in range(features)]
            for y in labels]
    write_npy(folder / "features.npy", rows, "<f4")
    write_npy(folder / "labels.npy", labels, "<i8")
    write_npy(folder / "embeddings.npy", phi, "<f4")
    write_npy(folder / "test_seen.npy", [i for i in range(samples) if i // classes % 5 == 0 and labels[i] < classes - unseen], "<i8")
    names = [f"class{c}" for c in range(classes)]
    (folder / "classes.txt").write_text("\n".join(names) + "\n")
    (folder / "unseen_classes.txt").write_text("\n".join(names[classes - unseen:]) + "\n")
    (folder / "validation_classes.txt").write_text("class1\nclass4\n")
    return folder


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own, removed at the end."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="bzscr-test-")
        self.addCleanup(self._folder.cleanup)
        self.folder = Path(self._folder.name)

    def dataset(self, **options):
        return write_dataset(self.folder / "data", **options)

    def succeed(self, name, *arguments, **options):
        done = run(name, *arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def json_of(self, name, *arguments):
        """The one JSON object that a program prints."""
        return json.loads(self.succeed(name, *arguments).stdout)

    def refused(self, name, *arguments):
        """What a program says when it refuses its input: one line on standard error, exit code 2."""
        done = run(name, *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr.strip()

    def assert_near(self, value, expected, relative=1e-9):
        self.assertLessEqual(abs(value - expected), relative * max(abs(expected), 1e-300), f"{value}, not {expected}")
