"""bzscr-bench: every form, storage and kernel is measured, and what is said of them agrees with itself."""

import os
import unittest

import support

FORMS, STORAGES = ["prototypes", "factors", "dense"], {"float32": 4, "int8": 1, "float16": 2}
m, d, k, classes = 17, 6, 4, 5  # of the test model
WIDTHS = {"prototypes": m, "factors": k, "dense": d}
QUICK = ["--seconds", "0.002"]


def bytes_per_query(form, storage, rows=classes):
    """Rows of whole 32 bytes, and the matrix that makes a query, m x k or m x d, in float32."""
    row = (WIDTHS[form] * STORAGES[storage] + 31) // 32 * 32
    return rows * row + (0 if form == "prototypes" else 4 * m * WIDTHS[form])


class BenchTest(support.ProgramTest):
    model = os.environ["BZSCR_TEST_MODEL"]

    def check_row(self, row, rows=classes):
        self.assertLessEqual(row["p50_us"], row["p90_us"])
        self.assertLessEqual(row["p90_us"], row["p99_us"])
        self.assertLessEqual(row["p99_us"], row["worst_us"])
        self.assertGreaterEqual(row["queries"], 2)
        for figure in ["p50_us", "batch_us", "add_class_us", "read_bytes_per_second"]:
            self.assertGreater(row[figure], 0, figure)
        self.assertLess(row["p50_us"], 1e5, "a query of this model takes less than a microsecond")
        self.assertEqual(row["bytes_per_query"], bytes_per_query(row["form"], row["storage"], rows))
        self.assert_near(row["bytes_per_second"], row["bytes_per_query"] / row["p50_us"] * 1e6)
        self.assertGreater(row["arena_bytes"], rows * (WIDTHS[row["form"]] * STORAGES[row["storage"]]))

    def test_every_form_storage_and_kernel_has_a_row(self):
        out = self.json_of("bzscr-bench", self.model, "--json", *QUICK)
        self.assertEqual([out[key] for key in ["features", "embedding_dimension", "weak_models", "classes"]],
                         [m, d, k, classes])
        self.assertEqual([out["model"], out["length"], out["batch"]], [self.model, 10, 16])
        self.assertGreater(out["verified_bytes_per_second"], 0)
        kernels = {row["kernel"] for row in out["rows"]}
        self.assertIn("scalar", kernels)
        found = [(row["form"], row["storage"], row["kernel"]) for row in out["rows"]]
        expected = {(form, storage, kernel) for form in FORMS for storage in STORAGES for kernel in kernels}
        self.assertEqual(len(found), len(expected))
        self.assertEqual(set(found), expected)
        for row in out["rows"]:
            with self.subTest(row=row):
                self.check_row(row)
                self.assertEqual(row["changes_meanwhile"], 0)

    def test_the_rows_asked_for_and_no_others_are_measured(self):
        out = self.json_of("bzscr-bench", self.model, "--json", "--form", "dense", "--storage", "int8", "--kernel",
                           "scalar", *QUICK)
        self.assertEqual([(row["form"], row["storage"], row["kernel"]) for row in out["rows"]],
                         [("dense", "int8", "scalar")])

    def test_more_classes_than_the_model_has_fill_the_table(self):
        out = self.json_of("bzscr-bench", self.model, "--json", "--classes", "1000", "--kernel", "scalar", "--batch", "1",
                           *QUICK)
        self.assertEqual([out["classes"], out["batch"]], [1000, 1])
        for row in out["rows"]:
            with self.subTest(row=row):
                self.assertEqual(row["batch_us"], 0)  # none was asked for
                self.assertEqual(row["bytes_per_query"], bytes_per_query(row["form"], row["storage"], 1000))

    def test_a_writer_changes_classes_while_queries_run(self):
        out = self.json_of("bzscr-bench", self.model, "--json", "--writer", "--form", "factors", "--storage", "float32",
                           "--kernel", "scalar", "--seconds", "0.3")
        self.assertGreater(out["rows"][0]["changes_meanwhile"], 0)
        self.check_row(out["rows"][0])

    def test_the_table_for_people_has_a_line_for_each_row(self):
        out = self.succeed("bzscr-bench", self.model, "--kernel", "scalar", *QUICK).stdout
        size = os.path.getsize(self.model)
        self.assertTrue(out.startswith(f"{self.model}: {size} bytes, verified at "), out)
        rows = [line.split() for line in out.splitlines() if line.startswith(tuple(FORMS))]
        self.assertEqual([row[:3] for row in rows], [[form, storage, "scalar"] for form in FORMS for storage in STORAGES])
        header = next(line for line in out.splitlines() if line.startswith("form "))
        self.assertEqual(header.split()[:8], ["form", "storage", "kernel", "p50", "p90", "p99", "worst", "batch"])
        for row in rows:
            self.assertEqual(int(row[9]), bytes_per_query(row[0], row[1]))

    def test_what_cannot_be_measured_is_refused(self):
        cut = self.folder / "cut.bzscr"
        with open(self.model, "rb") as whole:
            cut.write_bytes(whole.read()[:100])
        for arguments, said in [
            ([], "MODEL is required"),
            ([self.folder / "none.bzscr"], f"{self.folder}/none.bzscr: No such file or directory"),
            ([self.folder], f"{self.folder}: expected a file, found a folder"),
            ([cut], f"{cut}: the model is damaged"),
            ([self.model, "--kernel", "sclar", *QUICK], "no kernel 'sclar' that this processor can run"),
            ([self.model, "--form", "dens"], "--form: 'dens' is none of prototypes|factors|dense; did you mean 'dense'?"),
            ([self.model, "--batch", "17"], "--batch is 17; expected 1 to 16"),
            ([self.model, "--length", "0"], "--length is 0; expected 1 to 1000"),
            ([self.model, "--seconds", "0"], "--seconds is 0; expected 0.001"),
        ]:
            with self.subTest(arguments=arguments):
                self.assertIn(f"bzscr-bench: {said}", self.refused("bzscr-bench", *arguments))


if __name__ == "__main__":
    unittest.main()
