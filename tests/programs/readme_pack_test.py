"""The README's commands for new classes, as they stand there, on a model of the example's data."""

import os
import pathlib
import re
import subprocess
import unittest

from support import ProgramTest, program

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class ReadmePacks(ProgramTest):
    def test_the_commands_of_the_readme_make_two_packs_and_apply_both(self):
        text = (SOURCE / "README.md").read_text()
        section = text[text.index("## New classes for devices in the field"):]
        commands = re.search(r"```sh\n(.*?)```", section, re.DOTALL).group(1)
        self.assertEqual(commands.count("bzscr-pack pack"), 2)
        folder = self.folder
        (folder / "examples").symlink_to(SOURCE / "examples")
        self.succeed("bzscr-train", folder / "examples/data/caltech", "--embedding", "hypernyms", "--nu", "0.1", "--beta", "0",
                     "--no-calibration", "--quiet", "-o", folder / "caltech.bzscr")
        path = ":".join({str(pathlib.Path(program(each)).parent) for each in ("bzscr-pack", "bzscr-store")})
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder, capture_output=True, text=True,
                              env=dict(os.environ, PATH=path + ":" + os.environ["PATH"]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")
        listed = self.succeed("bzscr-store", "list", "--store", folder / "classes", "--model", folder / "caltech.bzscr")
        self.assertEqual(len(listed.stdout.splitlines()), 96)
        for name in ("zebra", "raft"):
            self.assertRegex(listed.stdout, rf"\n *\d+  {name}  \(unseen\)  \(from the store\)\n")


if __name__ == "__main__":
    unittest.main()
