"""bzscr-eval on data sets that differ from the one a model was trained on: test samples alone, and columns of tables."""

import random
import unittest

import support

CLASSES = [f"class{c}" for c in range(8)]
UNSEEN = CLASSES[5:]
FEATURES = ["height", "width", "weight", "speed"]
EMBEDDING = ["water", "land", "air"]


class EvaluationTest(support.ProgramTest):
    def setUp(self):
        super().setUp()
        draw = random.Random(3)
        self.phi = {name: {column: draw.gauss(0, 1) for column in EMBEDDING} for name in CLASSES}
        mapping = {column: {feature: draw.gauss(0, 1) for feature in FEATURES} for column in EMBEDDING}
        self.samples = []
        for i in range(160):
            name = CLASSES[i % 8]
            self.samples.append((name, {feature: sum(self.phi[name][c] * mapping[c][feature] for c in EMBEDDING) +
                                        0.3 * draw.gauss(0, 1) for feature in FEATURES}))
        self.model = self.folder / "model.bzscr"
        self.train = self.write("train", self.samples, held_out=[i for i in range(40) if i % 8 < 5])
        self.succeed("bzscr-train", self.train, "--quiet", "-o", self.model)

    def write(self, name, samples, features=None, embedding=None, classes=None, unseen=None, held_out=None):
        """A data set of tables."""
        folder = self.folder / name
        (folder / "embeddings").mkdir(parents=True)
        features, embedding = features or FEATURES, embedding or EMBEDDING
        rows = [",".join(["class", *features])]
        rows += [",".join([label, *(f"{values.get(f, 0):.6f}" for f in features)]) for label, values in samples]
        (folder / "features.csv").write_text("\n".join(rows) + "\n")
        rows = [",".join(["class", *embedding])]
        rows += [",".join([c, *(f"{self.phi[c].get(e, 0):.6f}" for e in embedding)]) for c in classes or CLASSES]
        (folder / "embeddings" / "attributes.csv").write_text("\n".join(rows) + "\n")
        (folder / "unseen_classes.txt").write_text("\n".join(unseen or UNSEEN) + "\n")
        if held_out is not None:
            (folder / "test_seen.csv").write_text("\n".join(["sample", *map(str, held_out)]) + "\n")
        return folder

    def test_a_data_set_of_test_samples_alone_is_evaluated_and_cannot_be_trained_on(self):
        unseen = [one for one in self.samples if one[0] in UNSEEN]
        seen = [self.samples[i] for i in range(40) if i % 8 < 5]
        test = self.write("test", seen + unseen, held_out=range(len(seen)))
        whole = self.json_of("bzscr-eval", self.model, self.train, "--json")
        alone = self.json_of("bzscr-eval", self.model, test, "--json")
        for measure in ("per_class_top1", "error_rate", "samples"):
            self.assertEqual(alone[measure], whole[measure])
        for more in (["--classes", "seen"], ["--gzsl"]):
            whole = self.json_of("bzscr-eval", self.model, self.train, "--json", *more)
            alone = self.json_of("bzscr-eval", self.model, test, "--json", *more)
            self.assertEqual(alone["per_class"], whole["per_class"])
        self.assertNotIn("no training sample", self.succeed("bzscr-eval", self.model, test).stderr)
        for program in ("bzscr-train", "bzscr-compare"):
            output = ["-o", self.folder / "none.bzscr"] if program == "bzscr-train" else []
            self.assertIn(f"{test}: has no sample to train on: all are of unseen classes or held out; expected samples of seen "
                          "classes", self.refused(program, test, *output))

    def test_a_data_set_of_new_classes_alone_is_evaluated(self):
        new = {f"new{c}": self.phi[name] for c, name in enumerate(UNSEEN)}
        self.phi.update(new)
        samples = [(f"new{UNSEEN.index(label)}", values) for label, values in self.samples if label in UNSEEN]
        only_new = self.write("new", samples, classes=list(new), unseen=list(new))
        expected = self.json_of("bzscr-eval", self.model, self.train, "--json")
        self.assertEqual(self.json_of("bzscr-eval", self.model, only_new, "--json")["per_class_top1"], expected["per_class_top1"])
        self.assertIn("has 0 seen of 3 classes; expected at least 2 to train on",
                      self.refused("bzscr-train", only_new, "-o", self.folder / "none.bzscr"))

    def test_the_names_of_columns_are_in_the_model_and_another_order_or_name_is_refused(self):
        inspected = self.json_of("bzscr-inspect", self.model, "--json")
        self.assertEqual(inspected["feature_names"], FEATURES)
        self.assertEqual(inspected["embedding_columns"], EMBEDDING)
        cases = [
            (dict(features=["width", "height", "weight", "speed"]), "was trained with 'height' as feature 0, which is 'width' in "),
            (dict(features=["height", "width", "weight"]), "was trained with a feature 'speed', which "),
            (dict(features=[*FEATURES, "age"]), "was trained without a feature 'age', which "),
            (dict(features=["height", "width", "weight", "haste"]), "was trained with a feature 'speed', which "),
            (dict(embedding=["land", "water", "air"]), "was trained with 'water' as embedding column 0, which is 'land' in "),
            (dict(features=["height", "width", "width", "speed"]), "has two columns 'width'"),
            (dict(embedding=["water", "water", "air"]), "has two columns 'water'"),
        ]
        for number, (changed, said) in enumerate(cases):
            with self.subTest(said):
                other = self.write(f"other{number}", self.samples, **changed)
                self.assertIn(said, self.refused("bzscr-eval", self.model, other))

    def test_columns_without_names_are_matched_by_place(self):
        arrays = self.folder / "arrays"
        self.succeed("bzscr-convert", self.train, arrays)
        tables = self.json_of("bzscr-eval", self.model, self.train, "--json")
        self.assertEqual(self.json_of("bzscr-eval", self.model, arrays, "--json")["per_class"], tables["per_class"])
        unnamed = self.folder / "unnamed.bzscr"
        self.succeed("bzscr-train", arrays, "--quiet", "-o", unnamed)
        self.assertIsNone(self.json_of("bzscr-inspect", unnamed, "--json")["feature_names"])
        self.assertEqual(self.json_of("bzscr-eval", unnamed, self.train, "--json")["per_class"], tables["per_class"])

    def test_swapped_arguments_and_senseless_options_are_told_apart(self):
        self.assertIn(f"{self.train}: is a data set; expected a model file: MODEL comes first, then DATA",
                      self.refused("bzscr-eval", self.train, self.model))
        self.assertIn("MODEL is required; usage: bzscr-eval MODEL DATA [OPTIONS]", self.refused("bzscr-eval"))
        self.assertIn("DATA is required; usage: bzscr-eval MODEL DATA [OPTIONS]", self.refused("bzscr-eval", self.model))
        self.assertIn("--markdown excludes --json; expected one of them", self.refused("bzscr-compare", self.train, "--json", "--markdown"))
        self.assertIn("--methods: '' is none of ", self.refused("bzscr-compare", self.train, "--methods", "sje,,ale"))
        self.assertIn("--methods: 'sje' is named twice", self.refused("bzscr-compare", self.train, "--methods", "sje,sje"))


class HelpTest(support.ProgramTest):
    def test_help_is_as_wide_as_the_terminal_and_splits_no_word(self):
        for program in ("bzscr-train", "bzscr-eval", "bzscr-compare", "bzscr-inspect"):
            words = self.succeed(program, "--help").stdout.split()
            for columns in (60, 80, 120):
                environment = {**support.os.environ, "COLUMNS": str(columns)}
                text = self.succeed(program, "--help", env=environment).stdout
                self.assertEqual(text.split(), words)
                for line in text.splitlines():
                    if len(line) > columns:  # a word that is longer than what is left of the line
                        self.assertLessEqual(len(line.split()), 1, line)


if __name__ == "__main__":
    unittest.main()
