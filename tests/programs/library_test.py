"""libbzscr_train from an installed folder: what examples/train_cpp trains in memory is what bzscr-train trains of files."""

import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

from support import program, write_npy

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["BZSCR_BUILD"])
LIBDIR = os.environ["BZSCR_LIBDIR"]


def run(*command, **options):
    finished = subprocess.run([str(each) for each in command], capture_output=True, text=True, **options)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def fruit(folder):
    """The arrays of examples/train_cpp as a data set folder."""
    features, labels = [], []
    for i in range(30):
        noise = struct.unpack("f", struct.pack("f", (i % 7) / 70))[0]
        features.append([[1, noise, 0.2], [noise, 1, 0.3], [0.9, noise, 1]][i % 3])
        labels.append(i % 3)
    write_npy(folder / "features.npy", features, "<f4")
    write_npy(folder / "labels.npy", labels, "<i8")
    write_npy(folder / "embeddings/attributes.npy", [[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]], "<f4")
    (folder / "classes.txt").write_text("cherry\nlime\napple\nmelon\n")
    (folder / "unseen_classes.txt").write_text("melon\n")


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        run("cmake", "--install", BUILD, "--component", "train", "--prefix", cls.folder / "installed")
        cls.prefix = cls.folder / "moved"
        (cls.folder / "installed").rename(cls.prefix)
        fruit(cls.folder / "fruit")
        run(program("bzscr-train"), cls.folder / "fruit", "--nu", "1e-3", "--beta", "0", "--quiet", "-o", cls.folder / "expected.bzscr")
        cls.environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", LD_LIBRARY_PATH=str(cls.prefix / LIBDIR))

    def check(self, program):
        model = self.folder / "model.bzscr"
        run(program, model, env=self.environment)
        self.assertEqual(model.read_bytes(), (self.folder / "expected.bzscr").read_bytes())

    def test_find_package_gives_a_program_that_writes_the_bytes_of_bzscr_train(self):
        for target in ("shared", "bzscr_train"):
            source = self.folder / target
            shutil.copytree(SOURCE / "examples/train_cpp", source)
            lists = source / "CMakeLists.txt"
            lists.write_text(lists.read_text().replace("bzscr_train::shared", f"bzscr_train::{target}"))
            run("cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
            run("cmake", "--build", source / "build")
            self.check(source / "build/train_cpp")

    def test_pkg_config_gives_the_same(self):
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.prefix / LIBDIR / "pkgconfig"))
        flags = run("pkg-config", "--cflags", "--libs", "bzscr_train", env=environment).split()
        program = self.folder / "by_pkg_config"
        run("c++", "-std=c++17", SOURCE / "examples/train_cpp/main.cpp", *flags, "-o", program)
        self.check(program)

    def test_the_installed_headers_need_the_standard_library_alone(self):
        unit = self.folder / "alone.cpp"
        unit.write_text("#include <bzscr_train/bzscr_train.hpp>\n")
        included = run("c++", "-std=c++17", "-I", self.prefix / "include", "-M", unit)
        for library in ("eigen", "Eigen", "fmt", "nlohmann", "openblas", "omp.h"):
            self.assertNotIn(library, included)

    def test_the_shared_library_exports_its_public_names_alone(self):
        library = self.prefix / LIBDIR / "libbzscr_train.so"
        names = run("nm", "-DC", "--defined-only", library).splitlines()
        others = [each for each in names if "bzscr::train::" not in each and "bzscr::InputError" not in each]
        self.assertEqual(others, [])


if __name__ == "__main__":
    unittest.main()
