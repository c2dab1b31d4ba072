"""Files that are not a program's own stay as they are: inputs, other outputs, and files that only happen to have a name."""

import os
import subprocess
import unittest

import support

CHOSEN = ["--nu", "0.01", "--beta", "0.4", "--quiet"]


class FilesTest(support.ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = self.dataset()
        self.model = self.folder / "model.bzscr"

    def contents(self):
        return {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def refused_without_a_trace(self, *arguments):
        before = self.contents()
        said = self.refused("bzscr-train", *arguments)
        self.assertEqual(self.contents(), before)
        return said

    def test_no_output_replaces_a_file_of_the_data_set(self):
        link = self.folder / "link.bzscr"
        link.symlink_to(self.data / "labels.npy")
        through = self.folder / "through"
        through.symlink_to(self.data, target_is_directory=True)
        elsewhere = self.folder / "elsewhere.npy"
        os.replace(self.data / "embeddings.npy", elsewhere)
        (self.data / "embeddings").mkdir()
        (self.data / "embeddings" / "words.npy").symlink_to(elsewhere)
        targets = [self.data / "features.npy", self.data / "classes.txt", self.data / "unseen_classes.txt", link,
                   through / "test_seen.npy", self.data / "embeddings" / "words.npy", elsewhere,
                   self.data / ".." / "data" / "features.npy"]
        for target in targets:
            for option in ("-o", "--report", "--history", "--checkpoint"):
                output = [] if option == "-o" else ["-o", self.model]
                with self.subTest(target=str(target), option=option):
                    said = self.refused_without_a_trace(self.data, *CHOSEN, option, target, *output)
                    self.assertIn(f"{target}: is an input of the program; expected another file to write", said)

    def test_a_divergence_is_an_input(self):
        far = self.folder / "far.npy"
        support.write_npy(far, [[float(r != c) for c in range(10)] for r in range(10)], "<f4")
        said = self.refused_without_a_trace(self.data, *CHOSEN, "--divergence", far, "-o", far)
        self.assertIn("is an input of the program", said)

    def test_no_output_replaces_another(self):
        for first, second in ((["-o", "x"], ["--report", "x"]), (["-o", "x"], ["--history", "./x"]),
                              (["-o", "x.previous"], ["--checkpoint", "x"]), (["-o", "x"], ["--checkpoint", "y/../x"])):
            (self.folder / "y").mkdir(exist_ok=True)
            arguments = [first[0], self.folder / first[1], second[0], f"{self.folder}/{second[1]}"]
            if "-o" not in arguments:
                arguments += ["-o", self.model]
            self.assertIn("is named for two outputs", self.refused_without_a_trace(self.data, *CHOSEN, *arguments))

    def test_outputs_may_lie_in_the_folder_of_the_data_set_again_and_again(self):
        for _ in range(2):
            self.succeed("bzscr-train", self.data, *CHOSEN, "-o", self.data / "model.bzscr", "--history", self.data / "run.jsonl",
                         "--report", self.data / "run.html", "--checkpoint", self.data / "run.ckpt")

    def test_only_a_checkpoint_is_taken_for_one(self):
        for text in (b"my notes\n", b"", b"{}", b"\xa2\x63ru"):
            for name in ("notes.txt", "notes.txt.previous"):
                notes = self.folder / name
                notes.write_bytes(text)
                for more in ([], ["--resume"]):
                    said = self.refused_without_a_trace(self.data, *CHOSEN, "--checkpoint", self.folder / "notes.txt", *more, "-o",
                                                        self.model)
                    self.assertIn(f"{notes}: is not a checkpoint of a training; expected one, or no file yet", said)
                notes.unlink()

    def test_only_a_history_is_overwritten_or_appended_to(self):
        other = self.folder / "other.json"
        other.write_text('{"methods": []}\nno line feed at the end')
        for more in ([], ["--checkpoint", self.folder / "run.ckpt", "--resume"]):
            said = self.refused_without_a_trace(self.data, *CHOSEN, "--history", other, *more, "-o", self.model)
            self.assertIn(f"{other}: is not a history of a training; expected one, or no file yet", said)

    def test_a_checkpoint_is_not_lost_in_a_run_that_does_not_resume(self):
        checkpoint = self.folder / "run.ckpt"
        checkpoint.write_bytes(b"\xa2\x63run, as a run that was killed has left it")
        history = self.folder / "run.jsonl"
        history.write_text('{"phase": "settings"}\n')
        said = self.refused_without_a_trace(self.data, *CHOSEN, "--checkpoint", checkpoint, "--history", history, "-o", self.model)
        self.assertIn(f"{checkpoint}: is the checkpoint of a run that did not finish; expected --resume, to go on from it, or no "
                      "such file", said)

    def test_a_report_that_cannot_be_written_leaves_the_model(self):
        report = self.folder / "pages" / "run.html"
        report.parent.mkdir()
        # A folder that is removed while training runs is as bad as a full disk: the first check has passed.
        history = self.folder / "run.jsonl"
        os.mkfifo(history)
        process = subprocess.Popen([support.program("bzscr-train"), str(self.data), *CHOSEN, "--report", str(report), "--history",
                                    str(history), "-o", str(self.model)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with open(history, encoding="utf-8") as lines:
            lines.readline()
            report.parent.rmdir()
            lines.read()
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2, err)
        self.assertEqual(err, f"bzscr-train: {report}: cannot be written: No such file or directory; the model was written to "
                              f"{self.model}\n")
        self.assertTrue(self.model.exists())

    def test_a_model_is_not_replaced_by_its_export(self):
        self.succeed("bzscr-train", self.data, *CHOSEN, "-o", self.model)
        link = self.folder / "model.h"
        link.symlink_to(self.model)
        before = self.model.read_bytes()
        for output in (self.model, link):
            self.assertIn("is an input of the program", self.refused("bzscr-export", self.model, "-o", output))
        self.assertEqual(self.model.read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
