#!/usr/bin/env python3
"""Seeds small faults into a copy of the project, one at a time, and says which of them the tests catch.

A fault that no test catches shows a test that is missing. Each fault is one edit of one source file; the script applies it,
builds the test programs named with it, runs their tests, restores the file, and prints a table at the end.

  tests/seeded_faults.py                       copies this tree, builds in the copy, tries all faults
  tests/seeded_faults.py --only dataset,sweep  only these
  tests/seeded_faults.py --list                what is seeded where
  tests/seeded_faults.py --source DIR --build DIR
                                               works on this tree and its configured build folder instead of on a copy; each
                                               file is restored, also when the script is interrupted

A fault whose text is not in the source any more is reported as "does not apply": adapt it here. "undecided" is a build or a
test run that something else ended.
Exit code: 0 all faults caught; 1 some were not caught, do not apply or are undecided; 2 wrong usage, or the tree fails without a fault.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Fault:
    name: str
    file: str  # where it has moved, the only source file with the text is taken
    old: str  # found once in the file; any white space stands for any other
    new: str
    tests: str  # test programs (targets), separated by spaces; those that the build does not know are skipped
    only: str = ""  # regular expression for the names of tests; all of these programs where empty
    what: str = ""


FAULTS = [
    # Data formats
    Fault("npy", "trainer/data/formats/npy_header.cpp", "if (found != *expected)", "if (found < *expected)",
          "bzscr_data_test", what="bytes after the array are accepted"),
    Fault("npz", "trainer/data/formats/npz.cpp", 'fmt::format("validation_classes{}", parts.validation_folds.size() + 1)',
          'fmt::format("validation_classes{}", parts.validation_folds.size() + 2)',
          "bzscr_data_test", what="the second validation fold is not found"),
    Fault("tables", "trainer/data/formats/table_file.cpp", "text[0] == '+' && text[1] != '-'", "text[0] == '+'",
          "bzscr_data_test", what="'+-5' is read as a number"),
    Fault("xlsa17", "trainer/data/formats/xlsa17.cpp", "if (is_seen && trains == validates)",
          "if (is_seen && trains && validates)",
          "bzscr_data_test", what="a seen class may be in neither list of a fold"),
    Fault("mat", "trainer/data/formats/mat_file.cpp", "0x10000 + ((character - 0xD800) << 10)", "((character - 0xD800) << 10)",
          "bzscr_data_test", what="surrogate pairs become other characters"),
    Fault("dataset", "trainer/pipeline/dataset.cpp", "if (left < 2)", "if (left < 1)",
          "bzscr_pipeline_test", what="a validation fold may leave a single class to train on"),
    Fault("memory", "trainer/base/available_memory.cpp", "return kilobytes * 1024;", "return kilobytes * 1000;",
          "bzscr_base_test", what="a kB of /proc/meminfo is taken for 1000 bytes"),
    # Geometry
    Fault("divergence", "trainer/geometry/divergence.cpp", "(unit * unit.transpose()).array() / count",
          "(unit * unit.transpose()).array() / std::min(count, 1.0)", "bzscr_geometry_test", what="cosines of joined embeddings are not averaged"),
    Fault("embedding", "trainer/geometry/embedding.cpp", "transform.centre = mean.cast<float>().cast<double>();",
          "transform.centre = mean;", "bzscr_geometry_test", what="the centre differs from the model file's by rounding"),
    Fault("split_problem", "trainer/geometry/split_problem.cpp", "*held_out == i)", "*held_out == i + 1)",
          "bzscr_geometry_test", what="the row before a held-out one is left out"),
    # Core
    Fault("losses", "trainer/core/losses.cpp", "static_cast<Scalar>(-1e30)", "static_cast<Scalar>(-10)",
          "bzscr_core_test", what="padding takes part in the loss"),
    Fault("sweep", "trainer/core/sweep.cpp", "entropy(tau * loss.sigmoid_cov)", "entropy(loss.sigmoid_cov)",
          "bzscr_core_test", what="the dual is not scaled in its correlation term"),
    Fault("certificate", "trainer/core/certificate.cpp", ".square().sum() / (2 * penalty.ridge)",
          ".square().sum() / penalty.ridge", "bzscr_core_test", what="the bound holds, but is weaker than the dual"),
    Fault("curvature", "trainer/core/curvature.cpp", "penalty.ridge * other.colwise().squaredNorm()",
          "penalty.ridge * other.colwise().norm()", "bzscr_core_test", what="the ridge curves by |b| instead of |b|^2"),
    Fault("lbfgs", "trainer/core/lbfgs.cpp", "pairs_.pop_front()", "pairs_.pop_back()",
          "bzscr_core_test", what="a full memory forgets its newest pair"),
    Fault("refinement", "trainer/core/refinement.cpp", "here.B * AtA", "here.B * BtB",
          "bzscr_core_test", what="the ridge's gradient by B is wrong"),
    Fault("sample_selection", "trainer/core/sample_selection.cpp", "std::log(reached / full)", "std::log(l / full)",
          "bzscr_core_test", what="the value of a sample above lambda goes on rising"),
    Fault("weak_learner", "trainer/core/weak_learner.cpp", "eigen.values.array() > 1e-14 * eigen.values[0]",
          "eigen.values.array() > 1e-40 * eigen.values[0]", "bzscr_core_test", what="pairs of rounding errors are returned"),
    Fault("metrics", "trainer/core/metrics.cpp", "(before.unseen + after.unseen) / 2", "after.unseen",
          "bzscr_core_test", what="the area under the curve is that of its upper steps"),
    Fault("feature_blocks", "trainer/core/feature_blocks.cpp", "half & 0x7fffu", "half & 0x7ffeu",
          "bzscr_core_test", what="float16 loses its last bit"),
    # Solver
    Fault("boost", "trainer/solver/boost.cpp", "t >= config.min_iterations && error", "t > config.min_iterations && error",
          "boost_test", what="early stopping comes an iteration late"),
    Fault("schedule", "trainer/solver/self_paced_schedule.cpp", "state_.settled = state_.share >= config_.final_share;",
          "state_.settled = false;", "boost_test", what="the parameters of selection never settle"),
    # Baselines
    Fault("cca", "trainer/baselines/cca.cpp", "lambda * Cyy.values.mean()", "lambda * spread.mean()",
          "bzscr_baselines_test", what="the ridge of embeddings is in units of the features"),
    Fault("sgd", "trainer/baselines/sgd.cpp", "static_cast<float>(in_run_ - 1) * step_", "static_cast<float>(in_run_) * step_",
          "bzscr_baselines_test", what="the average of iterates is off by one"),
    # Tuning
    Fault("folds", "trainer/tuning/folds.cpp", "std::max<Index>(2, static_cast<Index>(available) / 5)",
          "std::max<Index>(1, static_cast<Index>(available) / 5)",
          "bzscr_tuning_test", what="a fold may hold out a single class"),
    Fault("tune", "trainer/tuning/tune.cpp", "? path.rises + 1 : 0;", "? path.rises + 1 : path.rises;",
          "bzscr_tuning_test", what="a path ends at two rises that are not in a row"),
    Fault("calibration", "trainer/tuning/calibration.cpp", "std::max<Index>(1, n / kOneOf)", "n / kOneOf",
          "bzscr_tuning_test", what="classes of two to four samples have none held out"),
    # Export, report
    Fault("model_writer", "trainer/export/model_writer.cpp", "std::numeric_limits<float>::min() ? 0.0f : rounded",
          "0.0f ? 0.0f : rounded", "bzscr_export_test", what="denormals are written"),
    Fault("report", "trainer/report/charts.cpp", "point.validation_error < place->second.validation_error",
          "point.validation_error > place->second.validation_error", "bzscr_report_library_test",
          what="the effect of beta is drawn from the worst nu"),
    Fault("page", "trainer/report/assets/page.css", "--muted: #566274", "--muted: #b6c2d4",
          "bzscr_report_test", what="notes are too pale to read on a light page"),
    # Runtime
    Fault("verify", "runtime/src/verify.cpp", "weight > 0 && weight <= before", "weight > 0 && weight <= kLongest",
          "runtime_open_test runtime_damage_test", what="weights that rise are accepted"),
    Fault("collapse", "runtime/src/collapse.cpp", "for (size_t i = whole; i < length; ++i)",
          "for (size_t i = whole; i < length && i < whole + 6; ++i)", "runtime_score_test", what="the seventh value past whole eights is dropped"),
    Fault("form", "runtime/src/form.cpp", "matrix_rows * sizeof(float)", "matrix_rows * bytes_of_value(storage)",
          "runtime_storage_test runtime_score_test", what="the cheapest form is chosen by a wrong size of its matrix"),
    Fault("class_table", "runtime/src/class_table.cpp", "seen_[to] = seen_[from];", "",
          "runtime_class_table_test runtime_live_table_test", what="a class that moves loses whether it was seen"),
    Fault("ranking", "runtime/src/ranking.cpp", "if (scores[i] < least) continue;", "if (scores[i] <= least) continue;",
          "runtime_ranking_test", what="of equal scores the larger id may win the last place"),
    Fault("storage", "runtime/src/storage.cpp", "magnitude + 0xFFFu + (magnitude >> 13 & 1u)", "magnitude + 0x1000u",
          "runtime_storage_test runtime_kernels_test", what="halves round ties away from even"),
    Fault("scalar", "runtime/src/kernels/scalar.cpp", "rows[r * pitch + i + lane]", "rows[r * length + i + lane]",
          "runtime_kernels_test", what="rows with padding are combined wrongly"),
    Fault("crc32c", "schema/include/bzscr_schema/crc32c.h", "uint32_t crc = ~before;",
          "uint32_t crc = before == 0 ? ~before : 0xFFFFFFFFu;",
          "runtime_crc32c_test runtime_open_test", what="a checksum in pieces forgets the first ones"),
    # Store
    Fault("log", "runtime/store/src/log.cpp", "static_cast<int32_t>(generation - other) > 0", "generation > other",
          "store_store_test store_crash_test", what="generations past 2^32 are old"),
    Fault("pack", "runtime/store/src/pack.cpp", "pack.counter() == 0 ||", "",
          "store_store_test store_signature_test bzscr_classes_test", what="a pack with counter 0 is accepted"),
    # Tools
    Fault("eval", "tools/eval/figures.cpp", "static_cast<double>(subject.selection.classes.size())",
          "static_cast<double>(subject.selection.classes.size() + 1)", "bzscr_eval_test",
          what="chance counts a class too many"),
    Fault("export", "tools/export.cpp", "config.class_capacity = options.class_capacity;", "",
          "bzscr_export_tool_test", what="--capacity is ignored"),
    Fault("compare", "trainer/pipeline/compare.cpp", "accuracy_at(curve, at.penalty)",
          "accuracy_at(curve, 1.5 * at.penalty)", "bzscr_flow_test", only="plain loops over the model",
          what="calibrated accuracies are those of another penalty"),
    Fault("plan", "trainer/pipeline/plan.cpp", "(plan.features + plan.embedding) * plan.weak_models + 1;",
          "(plan.features + plan.embedding) * plan.weak_models;", "plan_test", what="the loss is left out of a message"),
    Fault("bench", "tools/bench/scoring_speed.cpp", "matrix * 4.0 *", "matrix * 2.0 *", "bench_test",
          what="half of the matrix that makes a query is counted"),
    Fault("progress_bar", "tools/support/progress_bar.cpp", 'std::fputs("\\r\\x1b[K", stderr)', "static_cast<void>(0)",
          "terminal_test", what="the bar stays on the screen at the end"),
]


class UsageError(Exception):
    pass


def pattern_of(text):
    return r"\s+".join(re.escape(word) for word in text.split())


def find_file(source, fault):
    path = source / fault.file
    if path.is_file():
        return path
    sources = [one for top in ("trainer", "runtime", "tools") for one in (source / top).rglob("*.cpp")]
    with_text = [one for one in sources if re.search(pattern_of(fault.old), one.read_text())]
    same_name = [one for one in with_text if one.name == path.name]
    candidates = same_name or with_text
    return candidates[0] if len(candidates) == 1 else None


def faulty_text(path, fault):
    """The text of the file with the fault; None where its place is not found exactly once."""
    changed, count = re.subn(pattern_of(fault.old), lambda _: fault.new, path.read_text())
    return changed if count == 1 else None


class Tree:
    def __init__(self, source, build, jobs):
        self.source, self.build, self.jobs = source, build, jobs
        known = self.run(["cmake", "--build", build, "--target", "help"])
        self.known = set(re.findall(r"^(?:\.\.\. )?([\w.-]+)(?:: phony)?", known.stdout, re.M))

    def run(self, command):
        return subprocess.run([str(word) for word in command], cwd=self.source, capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL)

    def make(self, targets):
        return self.run(["cmake", "--build", self.build, "-j", self.jobs, "--target", *targets])

    def test(self, targets, only):
        """(number of tests run, names of those that failed); stops at the first failure. None: it was cut short."""
        shown = json.loads(self.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"]).stdout)
        chosen = [str(number) for number, test in enumerate(shown["tests"], 1)
                  if any(Path(word).stem in targets for word in test.get("command", [])) and re.search(only, test["name"])]
        if not chosen:
            return 0, []
        done = self.run(["ctest", "--test-dir", self.build, "-j1", "--stop-on-failure", "--timeout", "600",
                         "-I", "0,0,0," + ",".join(chosen)])
        failed = re.findall(r"^\s*\d+ - (.*) \((?:Failed|SEGFAULT|Subprocess|ILLEGAL|NUMERICAL|OTHER_FAULT|Child aborted|"
                            r"SIG|Exception|Not Run).*\)", done.stdout, re.M)
        # On a busy machine a good test may take as long: to be looked at.
        failed += [name + " (ran out of time)" for name in re.findall(r"^\s*\d+ - (.*) \(Timeout\)", done.stdout, re.M)]
        if done.returncode != 0 and not failed:
            return None, []
        return len(chosen), failed


def try_fault(tree, fault):
    """One row of the table: (verdict, what it rests on)."""
    path = find_file(tree.source, fault)
    if path is None:
        return "does not apply", f"{fault.file} was not found"
    text = faulty_text(path, fault)
    if text is None:
        return "does not apply", f"its text is not exactly once in {path.relative_to(tree.source)}"
    targets = [name for name in fault.tests.split() if name in tree.known]
    if not targets:
        return "NOT CAUGHT", f"the build has no {' '.join(fault.tests.split())}"
    before = path.read_bytes()
    try:
        path.write_text(text)
        built = tree.make(targets)
        if built.returncode != 0:
            errors = re.findall(r"error: .*", built.stdout + built.stderr)
            if not errors:
                return "undecided", "the build ended without a compiler's error; try again"
            return "does not apply", f"it does not compile: {errors[0]}"
        count, failed = tree.test(targets, fault.only)
    finally:
        path.write_bytes(before)
    if count is None:
        return "undecided", "the tests were cut short; try again"
    if count == 0:
        return "does not apply", f"no test of {' '.join(targets)} matches '{fault.only}'"
    if failed:
        return "caught", failed[0]
    return "NOT CAUGHT", f"{count} tests of {' '.join(targets)} pass"


def chosen_faults(only):
    if not only:
        return FAULTS
    names = only.split(",")
    unknown = [name for name in names if name not in {fault.name for fault in FAULTS}]
    if unknown:
        raise UsageError(f"--only: '{unknown[0]}' is no fault; --list names them")
    return [fault for fault in FAULTS if fault.name in names]


def copy_of(source, folder):
    """The files that git knows, as they are now."""
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z"], check=True, capture_output=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (source / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, folder / name)
    subprocess.run(["git", "init", "-q", folder], check=True)
    subprocess.run(["git", "-C", folder, "add", "-A"], check=True)
    return folder


def configured(source, build):
    done = subprocess.run(["cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                           "-DBZSCR_BUILD_TESTS=ON"], capture_output=True, text=True)
    if done.returncode != 0:
        raise UsageError(f"the copy cannot be configured:\n{done.stderr}")
    return build


def check_sound(tree, faults):
    """Without a fault every test must pass, or none of the verdicts would mean anything."""
    targets = sorted({name for fault in faults for name in fault.tests.split() if name in tree.known})
    built = tree.make(targets)
    if built.returncode != 0:
        raise UsageError(f"the tree does not build without a fault:\n{built.stdout[-2000:]}")
    count, failed = tree.test(targets, "")
    if count is None or failed:
        raise UsageError(f"a test fails without a fault: {failed[0] if failed else 'which one is not known'}")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAMES", help="names of faults, separated by commas")
    parser.add_argument("--list", action="store_true", help="print the faults and end")
    parser.add_argument("--source", type=Path, metavar="DIR", help="tree to work on in place; with --build")
    parser.add_argument("--build", type=Path, metavar="DIR", help="its configured build folder")
    parser.add_argument("--jobs", default="1", help="parallel compilations (1)")
    parser.add_argument("--trust", action="store_true", help="do not first run the tests without a fault")
    options = parser.parse_args()
    faults = chosen_faults(options.only)
    if options.list:
        for fault in faults:
            print(f"{fault.name:18}{fault.file:44}{fault.what}")
        return 0
    if (options.source is None) != (options.build is None):
        raise UsageError("--source and --build are given together, or neither")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))  # restores the file on its way out

    with tempfile.TemporaryDirectory(prefix="seeded-faults-") as temporary:
        if options.source:
            source, build = options.source.resolve(), options.build.resolve()
        else:
            source = copy_of(Path(__file__).resolve().parents[1], Path(temporary) / "source")
            build = configured(source, Path(temporary) / "build")
        tree = Tree(source, build, options.jobs)
        if not options.trust:
            print(f"without a fault: {check_sound(tree, faults)} tests pass", flush=True)
        rows = []
        for fault in faults:
            start = time.monotonic()
            verdict, why = try_fault(tree, fault)
            rows.append((fault, verdict, why))
            print(f"{fault.name:18}{verdict:16}{time.monotonic() - start:6.0f} s  {why}", flush=True)

    print("\n| fault | what it does | verdict | by |\n| --- | --- | --- | --- |")
    for fault, verdict, why in rows:
        print(f"| {fault.name} | {fault.what} | {verdict} | {why} |")
    caught = sum(verdict == "caught" for _, verdict, _ in rows)
    print(f"\n{caught} of {len(rows)} faults caught")
    return 0 if caught == len(rows) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UsageError as error:
        print(f"seeded_faults.py: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(2)
