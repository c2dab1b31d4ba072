"""bzscr-train --plan: bytes and messages are what a run counts, times follow from what was measured."""

import math
import unittest

import support

BLOCK = 256  # samples


class PlanTest(support.ProgramTest):
    # Every class has 100 samples, and every fifth sample of a seen class is held out.
    samples = sum(1 for i in range(1600) if i % 16 < 12 and i // 16 % 5 != 0)
    plan = None

    def setUp(self):
        super().setUp()
        self.data = self.dataset(samples=1600, features=7, embedding=5, classes=16, unseen=4)
        if PlanTest.plan is None:  # the same for all of these tests
            PlanTest.plan = self.json_of("bzscr-train", self.data, "--nu", "0.01", "--beta", "0.4", "--plan", "--json",
                                         "--threads", "1")

    def test_sizes_are_those_of_the_data(self):
        plan = self.plan
        self.assertEqual([plan["samples"], plan["features"], plan["classes"], plan["embedding_dimension"]],
                         [self.samples, 7, 16, 16])  # of 5 dimensions and the seen classes' own, the span
        self.assertEqual(plan["weak_models"], 7)  # as many as the smaller side has dimensions
        self.assertEqual([run["processes"] for run in plan["plan"]], [2**i for i in range(11)])
        self.assertEqual([plan["machine"]["processes"], plan["machine"]["threads"]], [1, 1])
        self.assertFalse(plan["machine"]["network_measured"])

    def test_an_evaluation_reads_the_bytes_that_a_run_counts(self):
        bench = self.json_of("bzscr-bench-train", self.data, "--nu", "0.01", "--beta", "0.4", "--threads", "1", "--repeats",
                             "2", "--json")
        self.assertEqual([bench["samples"], bench["features"]], [self.samples, 7])
        counted = {each["pass"]: each["feature_bytes"] / each["evaluations"] for each in bench["passes"]}
        self.assertIn(self.plan["plan"][0]["feature_bytes"], counted.values())
        self.assertEqual(self.plan["plan"][0]["feature_bytes"], self.samples * 7 * 4)

    def test_messages_are_the_gradients_by_both_factors_and_the_loss(self):
        plan = self.plan
        numbers = (plan["features"] + plan["embedding_dimension"]) * plan["weak_models"] + 1
        for run in plan["plan"]:
            self.assertEqual(run["message_bytes"], 0 if run["processes"] == 1 else 8 * numbers)

    def test_each_process_reads_whole_blocks(self):
        blocks = math.ceil(self.samples / BLOCK)
        for run in self.plan["plan"]:
            most = math.ceil(blocks / run["processes"])
            self.assertEqual(run["feature_bytes"], min(self.samples, most * BLOCK) * 7 * 4)

    def test_times_follow_from_what_was_measured(self):
        machine, runs = self.plan["machine"], self.plan["plan"]
        for figure in ["sample_seconds", "step_seconds", "latency_seconds", "bandwidth_bytes_per_second"]:
            self.assertGreater(machine[figure], 0)
        alone = runs[0]["seconds"]
        for run in runs:
            P, own = run["processes"], run["feature_bytes"] / (7 * 4)
            self.assert_near(run["compute_seconds"], own * machine["sample_seconds"] + machine["step_seconds"], 1e-6)
            communication = 0 if P == 1 else (
                2 * math.ceil(math.log2(P)) * machine["latency_seconds"] +
                2 * (P - 1) / P * run["message_bytes"] / machine["bandwidth_bytes_per_second"])
            self.assert_near(run["communication_seconds"], communication, 1e-6)
            self.assert_near(run["seconds"], run["compute_seconds"] + run["communication_seconds"], 1e-6)
            self.assert_near(run["speedup"], alone / run["seconds"], 1e-6)
            self.assert_near(run["weak_efficiency"], alone / (alone + run["communication_seconds"]), 1e-6)
        self.assertEqual(self.plan["worth_using"],
                         max(run["processes"] for run in runs if 2 * run["speedup"] >= run["processes"]))

    def test_a_plan_trains_nothing_and_writes_nothing(self):
        before = sorted(self.folder.rglob("*"))
        done = self.succeed("bzscr-train", self.data, "--plan")
        self.assertIn(f"{self.samples} samples, 7 features, 16 classes; 7 weak models", done.stdout)
        self.assertIn("a usual network, not measured", done.stdout)
        self.assertEqual(len([line for line in done.stdout.splitlines() if line.split()[:1] and line.split()[0].isdigit()
                              and "samples" not in line]), 11)
        self.assertEqual(sorted(self.folder.rglob("*")), before)


if __name__ == "__main__":
    unittest.main()
