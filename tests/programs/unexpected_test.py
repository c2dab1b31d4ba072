"""A program that meets what it never should says that this is a bug of its own, and ends with exit code 1.

A library that is loaded before all others (throw_on_open.cpp) throws std::logic_error where a certain file is opened.
"""

import os
import unittest

import support


class UnexpectedTest(support.ProgramTest):
    def bug(self, name, at, *arguments):
        environment = {**os.environ, "LD_PRELOAD": support.program("bzscr_throw_on_open"), "BZSCR_THROW_AT": at}
        done = support.run(name, *arguments, env=environment)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.stderr.startswith(f"{name}: "), done.stderr)
        self.assertIn("thrown by a test", done.stderr)
        self.assertRegex(done.stderr, r"this is a bug in version \d+\.\d+\.\d+; please report it")
        self.assertIn(" ".join([support.program(name), *map(str, arguments)]), done.stderr)

    def setUp(self):
        super().setUp()
        self.data = self.dataset()

    def test_training(self):
        model = self.folder / "model.bzscr"
        self.bug("bzscr-train", "features.npy", self.data, "--quiet", "-o", model)
        self.assertFalse(model.exists())

    def test_comparison(self):
        self.bug("bzscr-compare", "labels.npy", self.data, "--quiet")

    def test_benchmark_of_training(self):
        self.bug("bzscr-bench-train", "features.npy", self.data, "--nu", "0.01", "--beta", "0.4")

    def test_without_the_library_they_succeed(self):
        self.succeed("bzscr-train", self.data, "--quiet", "-o", self.folder / "model.bzscr")


if __name__ == "__main__":
    unittest.main()
