"""bzscr-export: what it writes compiles, in C and in C++, and holds the bytes of the model."""

import os
import re
import subprocess
import unittest
from pathlib import Path

import support

MODEL = Path(os.environ["BZSCR_TEST_MODEL"])
CC, CXX = os.environ["BZSCR_CC"], os.environ["BZSCR_CXX"]

READER = """#include "{header}"
#include <stdio.h>
int main(void) {{
  if ((size_t){name} % 32 != 0 || sizeof {name} != {prefix}_BYTES) return 1;
  return fwrite({name}, 1, sizeof {name}, stdout) == sizeof {name} ? 0 : 2;
}}
"""


class ExportTest(support.ProgramTest):
    def export(self, *arguments):
        return self.succeed("bzscr-export", MODEL, *arguments).stdout

    def macros(self, header):
        return {name: int(value) for name, value in re.findall(r"#define (\w+) (\d+)\n", header.read_text())}

    def compile(self, compiler, *arguments):
        done = subprocess.run([*compiler.split(), *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_names_of_keywords_make_headers_that_compile(self):
        for stem in ["class", "int", "main", "linux", "3d-model", "double", "export", "restrict", "nullptr"]:
            header = self.folder / f"{stem}.h"
            self.export("-o", header)
            for compiler, source in [(f"{CC} -std=gnu11", "x.c"), (f"{CXX} -std=gnu++17", "x.cpp")]:
                (self.folder / source).write_text(f'#include "{header.name}"\n')
                self.compile(compiler, "-fsyntax-only", "-Wno-unused", self.folder / source)

    def test_a_name_that_cannot_be_an_array_is_refused(self):
        for name in ["int", "class", "main", "two words", ""]:
            said = self.refused("bzscr-export", MODEL, "-o", self.folder / "model.h", "--name", name)
            self.assertIn("--name", said)
            self.assertFalse((self.folder / "model.h").exists())

    def test_the_firmware_holds_the_bytes_of_the_model_in_every_format(self):
        for form in ["c", "incbin"]:
            folder = self.folder / form
            folder.mkdir()
            self.export("-o", folder / "zoo.h", "--format", form)
            (folder / "main.c").write_text(READER.format(header="zoo.h", name="zoo", prefix="ZOO"))
            (folder / "main.cpp").write_text(READER.format(header="zoo.h", name="zoo", prefix="ZOO"))
            assembler = [folder / "zoo.S", f"-Wa,-I{folder}"] if form == "incbin" else []
            for compiler, source in [(CC, "main.c"), (CXX, "main.cpp")]:
                self.compile(compiler, folder / source, *assembler, "-o", folder / "main")
                held = subprocess.run([folder / "main"], capture_output=True, check=True).stdout
                self.assertEqual(held, MODEL.read_bytes())
        self.export("-o", self.folder / "bin.h", "--format", "bin")
        self.assertEqual((self.folder / "bin.bin").read_bytes(), MODEL.read_bytes())

    def test_the_declaration_of_the_arena_in_the_help_compiles_in_c_and_cpp(self):
        declaration, = re.findall(r"\n +(.*arena\[MODEL_ARENA_BYTES\];)\n", self.succeed("bzscr-export", "--help").stdout)
        header = self.folder / "model.h"
        for form in ["c", "incbin", "bin"]:
            self.export("-o", header, "--format", form)
            for compiler, source in [(f"{CC} -std=c11", "x.c"), (f"{CXX} -std=c++11", "x.cpp")]:
                (self.folder / source).write_text(f'#include "{header.name}"\n{declaration}\n')
                self.compile(compiler, "-fsyntax-only", "-pedantic-errors", "-Wno-unused", self.folder / source)

    def test_macros_describe_the_model_and_the_memory_of_each_form(self):
        header = self.folder / "zoo.h"
        self.export("-o", header, "--format", "bin", "--capacity", "50", "--name-bytes", "48", "--storage", "int8")
        macros = self.macros(header)
        model = self.json_of("bzscr-inspect", MODEL, "--json")
        self.assertEqual(macros["ZOO_BYTES"], MODEL.stat().st_size)
        self.assertEqual(macros["ZOO_FEATURES"], model["features"])
        self.assertEqual(macros["ZOO_EMBEDDING"], model["embedding_dimension"])
        self.assertEqual(macros["ZOO_CLASSES"], model["classes"])
        self.assertEqual([macros["ZOO_CLASS_CAPACITY"], macros["ZOO_NAME_BYTES"], macros["ZOO_STORAGE"]], [50, 48, 1])
        forms = ["PROTOTYPES", "FACTORS", "DENSE"]
        arenas = [macros[f"ZOO_ARENA_BYTES_{form}"] for form in forms]
        self.assertEqual(macros["ZOO_ARENA_BYTES"], arenas[macros["ZOO_FORM"] - 1])
        for form, arena in zip(forms, arenas):
            self.export("-o", header, "--format", "bin", "--capacity", "50", "--name-bytes", "48", "--storage", "int8",
                        "--form", form.lower())
            self.assertEqual(self.macros(header)["ZOO_ARENA_BYTES"], arena)
        self.export("-o", header, "--format", "bin", "--capacity", "50", "--shared")
        shared = self.macros(header)
        self.assertEqual(shared["ZOO_SHARED"], 1)
        self.export("-o", header, "--format", "bin", "--capacity", "50")
        self.assertLess(self.macros(header)["ZOO_ARENA_BYTES"], shared["ZOO_ARENA_BYTES"])

    def test_no_output_replaces_the_model_or_another_output(self):
        model = self.folder / "zoo.bin"
        model.write_bytes(MODEL.read_bytes())
        said = self.refused("bzscr-export", model, "-o", self.folder / "zoo.h", "--format", "bin")
        self.assertIn("zoo.bin", said)
        self.assertEqual(model.read_bytes(), MODEL.read_bytes())
        self.refused("bzscr-export", MODEL, "-o", self.folder / "zoo.S", "--format", "incbin")
        self.assertEqual([each.name for each in self.folder.iterdir()], ["zoo.bin"])


if __name__ == "__main__":
    unittest.main()
