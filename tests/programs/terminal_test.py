"""The progress bar as a terminal gets it: one line that is redrawn in place and taken away at the end."""

import os
import re
import subprocess
import unittest

import support

ERASE = "\r\x1b[K"
FRAME = re.compile(r"^(?P<title>\S.*?) \[(?P<full>=*)(?P<rest> *)\] +(?P<percent>\d+)%  (?P<left>about \d+ (?:s|min|h) left)? *")
WIDTH = 24


def run_on_terminal(name, *arguments):
    """(exit code, standard output, what a terminal gets as standard error)."""
    terminal, end = os.openpty()
    with subprocess.Popen([support.program(name), *map(str, arguments)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=end) as process:
        os.close(end)
        drawn = b""
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:  # Linux's word for: the program has closed it
                break
            if not part:
                break
            drawn += part
        out = process.stdout.read().decode()
        code = process.wait()
    os.close(terminal)
    return code, out, drawn.decode()


class TerminalTest(support.ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = self.dataset(samples=400)
        self.model = self.folder / "model.bzscr"

    def frames(self, drawn):
        """What the line showed, one after the other; nothing else may have been written."""
        self.assertTrue(drawn.startswith(ERASE), repr(drawn[:80]))
        frames = drawn.split(ERASE)[1:]
        for frame in frames:
            self.assertNotRegex(frame, "[\r\n\x1b]")
        self.assertEqual(frames[-1], "", "the bar is taken away at the end")
        return [frame for frame in frames if frame]

    def check_frames(self, frames, titles):
        matches = [FRAME.match(frame) for frame in frames]
        for frame, match in zip(frames, matches):
            self.assertIsNotNone(match, repr(frame))
            full, percent = len(match["full"]), int(match["percent"])
            self.assertEqual(full + len(match["rest"]), WIDTH, frame)
            self.assertLessEqual(percent, 100)
            # Both are rounded, one down and one to the nearest.
            self.assertLessEqual(full, WIDTH * (percent + 0.5) / 100 + 1e-9, frame)
            self.assertGreaterEqual(full, WIDTH * (percent - 0.5) / 100 - 1, frame)
            if percent < 2:
                self.assertIsNone(match["left"], "too early to tell the time left")
            if percent > 2:
                self.assertIsNotNone(match["left"], frame)
        order = [match["title"] for i, match in enumerate(matches) if i == 0 or match["title"] != matches[i - 1]["title"]]
        self.assertEqual(order, titles)
        for before, after in zip(matches, matches[1:]):
            if before["title"] == after["title"]:
                self.assertLessEqual(int(before["percent"]), int(after["percent"]), "a bar never goes back")
            else:
                self.assertEqual(int(after["percent"]), 0, "each part of a run begins at 0")

    def test_training_draws_a_bar_for_each_part_of_the_run(self):
        code, out, drawn = run_on_terminal("bzscr-train", self.data, "-o", self.model)
        self.assertEqual(code, 0, drawn)
        frames = self.frames(drawn)
        parts = [title for title in ["tuning", "training", "calibration"]]
        self.check_frames(frames, parts)
        # Every point of the grid redraws the bar: it is full when the last one is done.
        tuning = [FRAME.match(frame) for frame in frames if frame.startswith("tuning")]
        self.assertGreater(len(tuning), 10)
        self.assertEqual(tuning[-1]["percent"], "100")
        self.assertEqual(tuning[-1]["full"], "=" * WIDTH)
        self.assertIn(" 0 s left", tuning[-1]["left"])
        self.assertRegex(frames[len(tuning) - 1], r"nu \de-?\d+  beta [\d.]+  validation error \d\.\d{3}")
        self.assertNotIn("\r", out)
        self.assertNotIn("\x1b", out)

    def test_another_method_draws_one_too(self):
        code, _, drawn = run_on_terminal("bzscr-train", self.data, "--method", "eszsl", "-o", self.model)
        self.assertEqual(code, 0, drawn)
        titles = [FRAME.match(frame)["title"] for frame in self.frames(drawn)]
        self.assertEqual(titles[0], "tuning")

    def test_the_comparison_draws_one_bar(self):
        code, _, drawn = run_on_terminal("bzscr-compare", self.data, "--methods", "eszsl,ridge")
        self.assertEqual(code, 0, drawn)
        for frame in self.frames(drawn):
            self.assertRegex(frame, FRAME)

    def test_quiet_draws_nothing(self):
        code, _, drawn = run_on_terminal("bzscr-train", self.data, "--quiet", "-o", self.model)
        self.assertEqual((code, drawn), (0, ""))

    def test_a_refused_input_leaves_its_message_and_no_bar(self):
        (self.data / "labels.npy").write_bytes(b"no array")
        code, out, drawn = run_on_terminal("bzscr-train", self.data, "-o", self.model)
        self.assertEqual((code, out), (2, ""))
        self.assertEqual(drawn.count("\n"), 1)
        self.assertNotIn("\x1b", drawn)

    def test_without_a_terminal_there_are_lines_and_no_bar(self):
        done = self.succeed("bzscr-train", self.data, "--nu", "0.01", "--beta", "0.4", "-o", self.model)
        self.assertNotIn("\r", done.stderr)
        self.assertNotIn("\x1b", done.stderr)
        self.assertNotIn("[", done.stderr)
        iterations = [line for line in done.stderr.splitlines() if line.startswith("training ")]
        self.assertEqual([int(line.split()[1]) for line in iterations], list(range(1, len(iterations) + 1)))
        self.assertGreater(len(iterations), 1)


if __name__ == "__main__":
    unittest.main()
