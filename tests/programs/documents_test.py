"""Every command and every piece of C and C++ in the documents and in the comments of headers works as it stands.

A block of commands is run line by line with the built programs, in a folder of its own. A line that cannot run in a
test stands in NOT_RUN, with the reason; a block that is new runs, or fails, without a line here.
"""

import os
import random
import re
import shlex
import shutil
import subprocess
import unittest
from pathlib import Path

import support

SOURCE = Path(os.environ["BZSCR_SOURCE"])
BUILD = Path(os.environ["BZSCR_BUILD"])
CC, CXX = os.environ["BZSCR_CC"], os.environ["BZSCR_CXX"]

NOT_RUN = {
    "git ": "the clone that is tested",
    "cd ": "the clone that is tested",
    "examples/quickstart.sh": "builds the product anew; CI runs it",
    "tests/run.sh": "builds and runs all tests; CI runs it",
    "tools/install_dependencies.sh": "changes the machine",
    "cmake ": "builds the product anew; CI runs it",
    "mpirun ": "other machines; the tests of the preset mpi start it",
    "bzscr-bench-kernels ": "built only where Google Benchmark is found",
    "examples/reproduce_paper/": "data that are not ours; has a test of its own",
}
SHORTER = {"--splits 10": "--splits 1"}  # minutes otherwise


def blocks(document, language):
    """The fenced blocks of a document."""
    return re.findall(rf"^```{language}\n(.*?)^```", (SOURCE / document).read_text(), re.MULTILINE | re.DOTALL)


def documents():
    listed = subprocess.run(["git", "-C", SOURCE, "ls-files", "*.md"], capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        return listed.stdout.split()
    return [str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.md") if "build" not in path.parts]


def commands(block):
    """The lines of a block, with continued lines joined and comments taken off."""
    for line in block.replace("\\\n", " ").splitlines():
        line = re.sub(r"(^|\s)#.*", "", line).strip()
        if line:
            yield line


def snippet_in(header, first_line):
    """A piece of code in a header's comment: from its first line to the first line that is not indented like it."""
    lines = (SOURCE / header).read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if first_line in line)
    margin = re.match(r"^(\s*(?:\*|//)\s*)", lines[start]).group(1)
    code = []
    for line in lines[start:]:
        if not line.startswith(margin):
            break
        code.append(line[len(margin):])
    return "\n".join(code)


def checked(code):
    """The code, in which a call that gives a status must give 0."""
    return re.sub(r"^(\s*)(bzscr_(?:rt|store)_\w+\([^;]*\));", r"\1CHECK(\2);", code, flags=re.MULTILINE)


DEVICE = """#include <bzscr_rt/bzscr_rt.h>
#include <stdio.h>
#include <stdlib.h>
#define CHECK(call) do {{ int status = (call); if (status != 0) {{ \\
  fprintf(stderr, "%s: %s\\n", #call, bzscr_rt_status_text(status)); return 1; }} }} while (0)
static void* load(const char* path, size_t* bytes) {{
  FILE* file = fopen(path, "rb");
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file);
  rewind(file);
  void* memory = aligned_alloc(32, (*bytes + 31) / 32 * 32);
  if (fread(memory, 1, *bytes, file) != *bytes) exit(3);
  fclose(file);
  return memory;
}}
int main(int argc, char** argv) {{
  size_t model_bytes, count, i;
  void* model = load(argv[argc - 1], &model_bytes);
  void* memory = aligned_alloc(32, 1 << 26);
  float x[4096], phi[4096];
  bzscr_rt* handle;
  bzscr_rt_result best[10];
  for (i = 0; i < 4096; ++i) x[i] = (float)(i % 7) + 1, phi[i] = (float)(i % 5) - 1;
  (void)phi;
{code}
  return count == 0;
}}
"""


class DocumentsTest(support.ProgramTest):
    def setUp(self):
        super().setUp()
        (self.folder / "examples").symlink_to(SOURCE / "examples")
        self.environment = dict(os.environ, PATH=f"{BUILD / 'tools'}:{os.environ['PATH']}")

    def run_commands(self, block, given=()):
        """Runs a block; `given` are texts that stand for the reader's own files, and what is taken for them."""
        ran = 0
        for line in commands(block):
            if any(line.removeprefix("./").startswith(start) for start in NOT_RUN):
                continue
            for text, replacement in [*SHORTER.items(), *given]:
                line = re.sub(rf"(?<![\w/.-]){re.escape(text)}(?![\w])", str(replacement), line)
            done = subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                                  timeout=600, check=False)
            if "=" in line.split()[0]:  # a variable for the lines that follow
                name, value = shlex.split(line)[0].split("=", 1)
                self.environment[name] = value
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}{done.stderr}")
            ran += 1
        return ran

    def compile_and_run(self, compiler, code, suffix, libraries, *arguments):
        source = self.folder / f"snippet{suffix}"
        source.write_text(code)
        includes = [f"-I{SOURCE / folder}" for folder in ["runtime/include", "runtime/store/include", "trainer/include"]]
        done = subprocess.run([*compiler.split(), source, *includes, *map(str, libraries), "-o", self.folder / "snippet"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run([self.folder / "snippet", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def caltech(self):
        """A model of the example's data, in the folder."""
        model = self.folder / "caltech.bzscr"
        self.succeed("bzscr-train", SOURCE / "examples/data/caltech", "--embedding", "hypernyms", "--nu", "0.003", "--beta",
                     "0.1", "--no-calibration", "-o", model)
        return model

    def test_commands_of_the_readme(self):
        ran = sum(self.run_commands(block) for block in blocks("README.md", "sh"))
        self.assertGreater(ran, 9)
        # The device has the classes of both packs.
        listed = self.succeed("bzscr-store", "list", "--store", self.folder / "classes", "--model", self.folder / "caltech.bzscr")
        for name in ["zebra", "raft"]:
            self.assertRegex(listed.stdout, rf"\n *\d+  {name}  \(unseen\)  \(from the store\)\n")

    def test_commands_of_every_other_document(self):
        self.caltech()
        (self.folder / "firmware").mkdir()
        draw = random.Random(5)
        (self.folder / "glove.6B.300d.txt").write_text(
            "".join(f"class{c} " + " ".join(f"{draw.gauss(0, 1):.3f}" for _ in range(4)) + "\n" for c in range(10)))
        data = self.dataset()
        history = ["--nu", "0.01", "--beta", "0.1", "--history"]
        for name in ["run.jsonl", "a.jsonl", "b.jsonl"]:
            self.succeed("bzscr-train", data, *history, self.folder / name, "-o", self.folder / "first.bzscr")
        given = [("DATA", data), ("awa2/", data), ("--divergence wordnet", "--divergence cosine")]
        for document in documents():
            for block in blocks(document, "sh") if document != "README.md" else []:
                shutil.rmtree(data)
                self.dataset()
                with self.subTest(document=document):
                    if "embeddings/glove.npy" in block:  # that the block makes
                        (data / "embeddings.npy").unlink()
                        (data / "embeddings").mkdir()
                    self.run_commands(block, given)

    def test_c_of_the_readme_and_of_the_header(self):
        model = self.caltech()
        library = BUILD / "runtime/libbzscr_rt.a"
        pieces = blocks("README.md", "c") + [snippet_in("runtime/include/bzscr_rt/bzscr_rt.h", "bzscr_rt_config config = {0};")]
        self.assertGreaterEqual(len(pieces), 2)
        for piece in pieces:
            self.compile_and_run(f"{CC} -std=c11 -Wall -Werror", DEVICE.format(code=checked(piece)), ".c", [library, "-lm"],
                                 model)

    def test_cpp_of_the_readme(self):
        """The libraries of the build's own archive need what its package names."""
        pieces = blocks("README.md", "cpp")
        self.assertEqual(len(pieces), 1)
        library = BUILD / "trainer"
        self.compile_and_run(f"{CXX} -std=c++17 -Wall -Werror", pieces[0], ".cpp",
                             [f"-L{library}", "-lbzscr_train", f"-Wl,-rpath,{library}"])
        self.assertGreater((self.folder / "caltech.bzscr").stat().st_size, 1000)


if __name__ == "__main__":
    unittest.main()
