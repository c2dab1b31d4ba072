"""What programs do when memory, a mapped file or standard output is taken from them, and when they are interrupted."""

import json
import os
import resource
import signal
import subprocess
import time
import unittest

import support

SECONDS = 60  # far more than any of these may take


def start(name, *arguments, **options):
    return subprocess.Popen([support.program(name), *map(str, arguments)], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def end(process):
    """(exit code, standard output, standard error) of a program that has to end by itself."""
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return process.returncode, out, err


def wait_for(path, process):
    for _ in range(SECONDS * 100):
        if path.exists() or process.poll() is not None:
            return
        time.sleep(0.01)


class LimitsTest(support.ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = self.dataset(samples=2000, features=32)
        self.model = self.folder / "model.bzscr"
        self.checkpoint = self.folder / "run.ckpt"
        self.endless = ["--nu", "0.001", "--beta", "0.4", "--gap", "1e-15", "--max-iterations", "1000000", "--quiet"]

    # Memory. The limits lie below what the libraries need, between what some of them need, and above.

    def test_without_memory_every_program_ends_with_a_message(self):
        self.succeed("bzscr-train", self.data, "--nu", "0.01", "--beta", "0.4", "--quiet", "-o", self.model)
        runs = [("bzscr-train", self.data, "--nu", "0.01", "--beta", "0.4", "--quiet", "-o", self.folder / "other.bzscr"),
                ("bzscr-compare", self.data, "--methods", "eszsl", "--quiet"),
                ("bzscr-eval", self.model, self.data)]
        enough = 0
        for megabytes in (90, 140, 200, 260, 320, 380, 2000):
            limit = megabytes << 20
            for name, *arguments in runs:
                with self.subTest(program=name, megabytes=megabytes):
                    code, out, err = end(start(name, *arguments, preexec_fn=lambda: resource.setrlimit(
                        resource.RLIMIT_AS, (limit, limit))))
                    if code == 0:
                        enough += 1
                        continue
                    self.assertIn(code, (1, 2, 127), err)  # of libgomp and of the loader: 1 and 127
                    self.assertRegex(err, "out of memory|Thread creation failed|failed to map|cannot allocate|Resource")
                    self.assertEqual(out, "")
        self.assertGreaterEqual(enough, len(runs))

    # A mapped file that becomes shorter

    def test_a_features_file_that_shrinks_ends_training_with_a_message_and_keeps_the_checkpoint(self):
        features = self.data / "features.npy"
        process = start("bzscr-train", self.data, *self.endless, "--checkpoint", self.checkpoint, "--every", "0", "-o", self.model)
        wait_for(self.checkpoint, process)
        os.truncate(features, 4096)
        code, _, err = end(process)
        self.assertEqual(code, 2, err)
        self.assertEqual(err.count("\n"), 1, err)
        self.assertIn("features.npy: ", err)
        self.assertRegex(err, "became shorter|and had \\d+ when it was opened")
        self.assertTrue(self.checkpoint.exists())
        self.assertFalse(self.model.exists())

    def test_a_features_file_that_lost_less_than_a_page_is_noticed_too(self):
        features = self.data / "features.npy"
        size = features.stat().st_size
        process = start("bzscr-train", self.data, *self.endless, "--checkpoint", self.checkpoint, "--every", "0", "-o", self.model)
        wait_for(self.checkpoint, process)
        os.truncate(features, size - 4)
        code, _, err = end(process)
        self.assertEqual(code, 2, err)
        self.assertIn(f"features.npy: has {size - 4} bytes, and had {size} when it was opened", err)
        self.assertFalse(self.model.exists())

    def test_a_features_file_that_is_written_to_ends_training_without_a_model(self):
        features = self.data / "features.npy"
        process = start("bzscr-train", self.data, *self.endless, "--checkpoint", self.checkpoint, "--every", "0", "-o", self.model)
        wait_for(self.checkpoint, process)
        with open(features, "r+b") as file:  # other samples, as many, of other classes than labels.npy says
            file.seek(-4 * 32 * 1000, os.SEEK_END)
            file.write(features.read_bytes()[128:128 + 4 * 32 * 1000])
        code, _, err = end(process)
        self.assertEqual(code, 2, err)
        self.assertIn("features.npy: was written to after it was opened; expected a file that keeps its content", err)
        self.assertFalse(self.model.exists())

    def test_a_features_file_that_is_replaced_does_not_disturb_a_training(self):
        arguments = [self.data, "--nu", "0.001", "--beta", "0.4", "--gap", "1e-6", "--quiet", "-o"]
        self.succeed("bzscr-train", *arguments, self.folder / "undisturbed.bzscr")
        process = start("bzscr-train", *arguments, self.model, "--checkpoint", self.checkpoint, "--every", "0")
        wait_for(self.checkpoint, process)
        other = self.folder / "other.npy"
        other.write_bytes(b"short")
        os.replace(other, self.data / "features.npy")
        code, _, err = end(process)
        self.assertEqual(code, 0, err)
        self.assertEqual(self.model.read_bytes(), (self.folder / "undisturbed.bzscr").read_bytes())

    # Signals

    def test_a_second_signal_ends_a_program_at_once_whichever_was_the_first(self):
        for first, second in ((signal.SIGINT, signal.SIGTERM), (signal.SIGTERM, signal.SIGINT), (signal.SIGINT, signal.SIGINT)):
            checkpoint = self.folder / f"{first}-{second}.ckpt"
            process = start("bzscr-train", self.data, *self.endless, "--checkpoint", checkpoint, "--every", "0", "-o", self.model)
            wait_for(checkpoint, process)
            process.send_signal(first)
            process.send_signal(second)
            code, _, err = end(process)
            self.assertEqual(code, 130, err)

    def hang_up(self, **options):
        """How a training ends whose terminal is closed after its first iteration: (exit code, standard output)."""
        data = support.write_dataset(self.folder / "large", samples=20000, features=64, classes=20, unseen=5, embedding=16)
        process = start("bzscr-train", data, "--nu", "0.001", "--beta", "0.4", "--threads", "1", "--no-calibration", "-o", self.model,
                        **options)
        self.assertIn("training       1", process.stderr.readline())
        process.send_signal(signal.SIGHUP)
        code, out, _ = end(process)
        return code, out

    def test_a_training_whose_terminal_is_closed_writes_the_best_model_so_far(self):
        code, out = self.hang_up()
        self.assertEqual(code, 130)
        self.assertIn("interrupted; this is the best model so far", out)
        self.assertTrue(self.model.exists())

    def test_under_nohup_training_goes_on_when_the_terminal_is_closed(self):
        code, out = self.hang_up(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.assertEqual(code, 0)
        self.assertIn("converged", out)

    def test_an_interrupted_comparison_reports_the_methods_that_have_finished(self):
        data = support.write_dataset(self.folder / "large", samples=20000, features=64, classes=20, unseen=5)
        for output in ("--json", "--markdown"):
            process = start("bzscr-compare", data, "--methods", "eszsl,bzscr,boosting", "--threads", "1", output)
            lines = []
            for line in process.stderr:
                lines.append(line)
                if line.startswith("split "):
                    process.send_signal(signal.SIGINT)
                    break
            code, out, err = end(process)
            self.assertRegex(lines[0], "comparing on 1 split")
            self.assertEqual(code, 130, err)
            self.assertIn("bzscr-compare: note: interrupted; of 3 methods on 1 split, these were finished: ", err)
            finished = lines[1].split()[2]
            if output == "--json":
                table = json.loads(out)
                self.assertFalse(table["complete"])
                self.assertEqual(table["methods"][0]["method"], finished)
                self.assertLess(len(table["methods"]), 3)
            else:
                self.assertIn(f"| {finished}", out)

    # Standard output

    def test_output_that_cannot_be_written_is_an_error_and_the_model_stays(self):
        train = ["bzscr-train", self.data, "--nu", "0.01", "--beta", "0.4", "--quiet", "-o", self.model]
        self.succeed(*train)
        for run in (train, ["bzscr-eval", self.model, self.data], ["bzscr-inspect", self.model],
                    ["bzscr-compare", self.data, "--methods", "eszsl", "--quiet"]):
            with self.subTest(program=run[0]), open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([support.program(run[0]), *map(str, run[1:])], stdin=subprocess.DEVNULL, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr, f"{run[0]}: standard output: No space left on device\n")
                reader, writer = os.pipe()
                os.close(reader)
                done = subprocess.run([support.program(run[0]), *map(str, run[1:])], stdin=subprocess.DEVNULL, stdout=writer,
                                      stderr=subprocess.PIPE, text=True, timeout=SECONDS, check=False)
                os.close(writer)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr, f"{run[0]}: standard output: Broken pipe\n")
        self.assertTrue(self.model.exists())

    def test_standard_error_that_cannot_be_written_changes_neither_the_result_nor_the_exit_code(self):
        train = ["bzscr-train", self.data, "--nu", "0.01", "--beta", "0.4", "-o", self.model]
        for run, code in ((train, 0), (["bzscr-train", self.folder / "nowhere", "-o", self.model], 2),
                          (["bzscr-compare", self.data, "--methods", "eszsl", "--splits", "2"], 0),
                          (["bzscr-inspect", self.folder / "nowhere"], 2), (["bzscr-inspect", "--nonsense"], 2)):
            for error in (">/dev/full", ">&-"):
                with self.subTest(program=run, error=error):
                    self.model.unlink(missing_ok=True)
                    command = ["sh", "-c", f'exec "$@" 2{error}', "sh", support.program(run[0]), *map(str, run[1:])]
                    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=SECONDS,
                                          check=False)
                    self.assertEqual(done.returncode, code)
                    self.assertEqual(self.model.exists(), run is train)

    def test_what_is_printed_goes_into_no_file_where_standard_streams_are_closed(self):
        history, expected = self.folder / "history.jsonl", self.folder / "expected.jsonl"
        train = [self.data, "--nu", "0.01", "--beta", "0.4", "-o", self.model, "--history"]
        self.succeed("bzscr-train", *train, expected)
        command = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", support.program("bzscr-train"), *map(str, train), history]
        done = subprocess.run(command, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, 2)  # standard output cannot be written
        self.assertTrue(self.model.exists())
        self.assertEqual(len(history.read_text().splitlines()), len(expected.read_text().splitlines()))
        for line in history.read_text().splitlines():
            json.loads(line)


if __name__ == "__main__":
    unittest.main()
