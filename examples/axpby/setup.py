from setuptools import setup
from tenon import extension

setup(
    ext_modules=[extension.Extension("axpby.axpby", ["axpby.c"])],
    cmdclass={"build_ext": extension.BuildExtension},
)
