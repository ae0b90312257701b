"""A skops file before anything is built from it: its sizes, its types and its arrays.

A skops file is a zip archive: ``schema.json`` describes a tree of objects, arrays lie beside it.
Here the description is read under limits, every type in it is compared with a list of ours, every
array is measured against what it claims, and what nobody needs is left out. What comes back is a
new archive that holds only what was looked at; skops builds the objects from that one.
"""

import io
import json
import os
import stat
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any

import numpy as np

from kpboost._files import measured, parsed
from kpboost._text import visible

# The entry that says what is in an archive.
SCHEMA = "schema.json"
# How the names of arrays end.
ARRAY = ".npy"
# Larger than any model of ours; whatever claims more is not one.
MAX_BYTES = 1 << 30
# A small file that unpacks to a large one is a trap: beyond the first number of bytes, all entries
# together may be this many times as large as the file, and so may all arrays that are built from
# them. Our models deflate 2 to 20 times (schemas 25 to 60, arrays mostly 2 to 4), and few are
# larger than the free bytes; one that deflates better is written as it is.
FREE_BYTES, MAX_UNPACKING = 1 << 26, 20
# The largest of our models (EasyEnsemble, 500 trees) has 17 MB of schema with 180,000 values.
# A value takes up to some 200 bytes in memory, so that their number matters more than the bytes.
MAX_SCHEMA_BYTES, MAX_SCHEMA_VALUES = 1 << 26, 1_000_000
# Bytes of an archive in memory; most models are smaller.
MOST_IN_MEMORY = 1 << 24
# Objects in objects; ours reach 34 levels.
MAX_LEVELS = 150
# Older protocols of skops choose older code, which checks less; 2 came before our first release.
LEAST_PROTOCOL = 2
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
NULL = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode", "content": "null"}

NUMPY_SCALARS = frozenset(
    f"numpy.{name}"
    for name in (
        *("bool", "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"),
        *("uint64", "float16", "float32", "float64", "str_"),
    )
)
# Plain data, by the loader of skops that builds it; none of it can do anything.
PLAIN: Mapping[str, Collection[str]] = {
    "JsonNode": ("builtins.str",),
    "DictNode": ("builtins.dict", "collections.OrderedDict"),
    "ListNode": ("builtins.list",),
    "TupleNode": ("builtins.tuple",),
    "SetNode": ("builtins.set",),
    "SliceNode": ("builtins.slice",),
    "NdArrayNode": ("numpy.ndarray", *NUMPY_SCALARS),
    "MaskedArrayNode": ("numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray"),
    "DTypeNode": ("numpy.dtype",),
    "TypeNode": (
        *(f"builtins.{name}" for name in ("str", "int", "float", "bool")),
        *NUMPY_SCALARS,
    ),
}

Node = dict[str, Any]

# Types of ours are named by their packages; early files name modules of these, which have moved.
OURS = "kpboost."
# Files of the first version wrap the estimator: in a type that drew a sample of the rows, and in a
# search, which is known by its criterion. Here is what is taken out of them.
FIRST_CAP = "kpboost.recipes.RowCapClassifier"
FIRST_CRITERION = "kpboost.recipes.mean_recall"
FIRST_CLASSIFIER = "kpboost.recipes.RecipeClassifier"
FIRST_SEARCHES = (
    "kpboost.model_selection.KPBoostSVCCV",
    "sklearn.model_selection._search.GridSearchCV",
)


class ModelFileError(ValueError):
    """A file that is not a model of kpboost, or holds what must not be loaded.

    See Also
    --------
    load_model : Raises it for a file that it cannot trust.
    """


class DamageError(ValueError):
    """What is wrong with a file, without its name."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a file may hold beyond plain data.

    Attributes
    ----------
    types : mapping
        From the loaders of skops to the full names of the types that each may build.
    trusted : collection of str
        Full names of types that the user vouches for, whatever their loader.
    records : collection of str
        Full names of types that are restored from a list of their attributes, in order.
    keeps : callable
        From the full name of an object's type and the name of an attribute to whether the
        attribute is restored at all.
    """

    types: Mapping[str, Collection[str]]
    trusted: Collection[str]
    records: Collection[str]
    keeps: Callable[[str, str], bool]

    def allow(self, loader: str, name: str) -> bool:
        """Tell whether a loader may build a type."""
        known = (*PLAIN.get(loader, ()), *self.types.get(loader, ()))
        return name in known or name in self.trusted


class Archive:
    """What the rules keep of a skops file, read under limits.

    Parameters
    ----------
    path : str or Path
        The file.
    rules : Rules
        What it may hold.

    Raises
    ------
    OSError
        If it cannot be read.
    DamageError
        If it is no archive of this kind, or larger than it may be.
    """

    def __init__(self, path: str | Path, rules: Rules) -> None:
        self._path, self._rules = path, rules
        with _opened(path) as archive:
            schema = _parsed(_read(archive, SCHEMA))
        self._schema: Node = _pruned(schema, rules)
        self._measured: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {}

    def strangers(self) -> list[str]:
        """Return the names of all types that the rules do not allow, sorted."""
        names = {
            _name(node)
            for node in _nodes(self._schema)
            if not self._rules.allow(str(node["__loader__"]), _name(node))
        }
        return sorted(names)

    @contextmanager
    def rebuilt(self) -> Iterator[IO[bytes]]:
        """Yield a new archive of what is kept, with every array measured.

        A large one is on disk, in a file without a name: beside what skops builds from it, it would
        be one more copy of the model in memory.
        """
        with SpooledTemporaryFile(MOST_IN_MEMORY) as stream:
            with _opened(self._path) as old, zipfile.ZipFile(stream, "w") as new:
                self._copy(old, new)
            yield stream

    def _copy(self, old: zipfile.ZipFile, new: zipfile.ZipFile) -> None:
        for name in _files(old, self._schema, _size(self._path)):
            content = _read(old, name)
            if name.endswith(ARRAY):
                self._measured[name] = measured(content)
            new.writestr(name, content)
        for node in _nodes(self._schema):
            self._check(node)
        new.writestr(SCHEMA, json.dumps(self._schema))

    def _check(self, node: Node) -> None:
        loader = node["__loader__"]
        if loader == "NdArrayNode" and "file" in node:
            self._measure(node)
        elif loader == "TreeNode":
            self._check_tree(node)
        elif loader == "LossNode" and (node["__reduce__"]["args"]["content"] or _state(node)):
            raise DamageError("a loss function has a state")

    def _measure(self, node: Node) -> tuple[tuple[int, ...], np.dtype[Any]]:
        if node["file"] not in self._measured:
            raise DamageError(f"an array does not end in {ARRAY}")
        return self._measured[node["file"]]

    def _check_tree(self, node: Node) -> None:
        """Check what scikit-learn's compiled tree takes on faith while it is being built."""
        n_features, n_classes, n_outputs = node["__reduce__"]["args"]["content"]
        state = node["content"]["content"]
        sizes, dtype = self._measure(n_classes)
        (n_nodes,), _ = self._measure(state["nodes"])
        right = (
            json.loads(n_features["content"]) >= 1
            and (sizes, dtype.str) == ((1,), np.dtype(np.intp).str)
            and json.loads(n_outputs["content"]) == 1
            and json.loads(state["node_count"]["content"]) == n_nodes >= 1
        )
        if not right:
            raise DamageError("a tree does not have the size it claims")


def _size(path: str | Path) -> int:
    """Return the size of a regular file; of a pipe, no end would ever come."""
    status = Path(path).stat()
    if not stat.S_ISREG(status.st_mode):
        raise DamageError("it is a folder, a pipe or a device")
    return status.st_size


@contextmanager
def _opened(path: str | Path) -> Iterator[zipfile.ZipFile]:
    size = _size(path)
    with zipfile.ZipFile(path) as archive:
        _check_sizes(archive, size)
        yield archive


def _check_sizes(archive: zipfile.ZipFile, size: int) -> None:
    entries = archive.infolist()
    _check_total(sum(entry.file_size for entry in entries), size)
    if any(entry.filename == SCHEMA and entry.file_size > MAX_SCHEMA_BYTES for entry in entries):
        raise DamageError(f"has a {SCHEMA} of more than {MAX_SCHEMA_BYTES:,} bytes")
    if any(entry.compress_type not in PACKINGS for entry in entries):
        raise DamageError("is packed in a way that skops does not use")


def _check_total(total: int, size: int) -> None:
    if total > MAX_BYTES or total > max(FREE_BYTES, MAX_UNPACKING * size):
        raise DamageError(f"unpacks to {total:,} bytes, more than any model of ours")


def _files(archive: zipfile.ZipFile, schema: Node, size: int) -> list[str]:
    """Names of the entries that a schema needs; each node builds an array of its own."""
    named = [node["file"] for node in _nodes(schema) if "file" in node]
    if not {*named} <= {*archive.namelist()} - {SCHEMA}:
        raise DamageError("an array is missing")
    _check_total(sum(archive.getinfo(name).file_size for name in named), size)
    return sorted({*named})


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    """Read an entry, and never more than it claims."""
    entry = archive.getinfo(name)
    with archive.open(entry) as stream:
        content = stream.read(entry.file_size)
    if len(content) != entry.file_size:
        raise DamageError("an entry is shorter than it claims")
    return content


def _parsed(text: bytes) -> Node:
    schema = parsed(text, MAX_SCHEMA_VALUES)
    if not isinstance(schema, dict) or "__loader__" not in schema:
        raise DamageError("describes no object")
    protocol = schema.get("protocol")
    if type(protocol) is not int or protocol < LEAST_PROTOCOL:
        raise DamageError(f"has the protocol {protocol!r} of skops, not {LEAST_PROTOCOL} or newer")
    return schema


def _name(node: Node) -> str:
    return f"{node['__module__']}.{node['__class__']}"


def _state(node: Node) -> Any:
    """Return the content of what an object is restored from: nothing, if it is empty."""
    content = node.get("content")
    inner = content.get("content") if isinstance(content, dict) else content
    return None if inner in ("null", "{}", "[]") else inner


def _nodes(value: Any) -> Iterator[Node]:
    """All descriptions of objects in a schema, the inner ones too."""
    if isinstance(value, dict):
        if "__loader__" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _nodes(each)


def _up_to_date(node: Node) -> Node:
    """Return what this version writes in place of an object that an earlier one has written."""
    module = node["__module__"]
    if isinstance(module, str) and module.startswith(OURS):
        node = {**node, "__module__": ".".join(module.split(".")[:2])}
    name = _name(node)
    if name == FIRST_CLASSIFIER:
        raise DamageError(
            "holds a RecipeClassifier of an earlier version: save a MethodClassifier instead"
        )
    if name == FIRST_CAP:
        return _up_to_date(_attribute(node, "estimator_"))
    if name in FIRST_SEARCHES and _name(_up_to_date(_attribute(node, "scoring"))) == (
        FIRST_CRITERION
    ):
        return _up_to_date(_attribute(node, "best_estimator_"))
    return node


def _attribute(node: Node, name: str) -> Node:
    """Return the description of an attribute, in which the parameters of a user's search may be."""
    value = node["content"]["content"][name]
    if not isinstance(value, dict) or "__loader__" not in value:
        raise DamageError(f"the attribute {name!r} is not an object")
    return value


def _pruned(value: Any, rules: Rules, level: int = 0) -> Any:
    """Copy a schema without numbers of objects, and without attributes that are not kept.

    skops takes two descriptions of the same number for one object, which would let a file build
    rings, or a large object from a small description.
    """
    if level > MAX_LEVELS:
        raise DamageError(f"is nested more than {MAX_LEVELS} levels deep")
    if isinstance(value, list):
        return [_pruned(each, rules, level + 1) for each in value]
    if not isinstance(value, dict):
        return value
    if "__loader__" in value:
        value = _up_to_date(value)
    if value.get("__loader__") == "ObjectNode" and _name(value) not in rules.trusted:
        value = _with_kept(value, rules)
    return {key: _pruned(each, rules, level + 1) for key, each in value.items() if key != "__id__"}


def _with_kept(node: Node, rules: Rules) -> Node:
    state = node.get("content")
    if state is None or state["content"] == "null":
        return node
    if state["__loader__"] == "ListNode" and _name(node) in rules.records:
        return node
    if state["__loader__"] != "DictNode":
        raise DamageError("an object has a state without names")
    pairs = zip(state["content"].items(), state["key_types"]["content"], strict=True)
    kept = [
        (key, _safe(key, value), kind)
        for (key, value), kind in pairs
        if rules.keeps(_name(node), key)
    ]
    content = {key: value for key, value, _ in kept}
    kinds = {**state["key_types"], "content": [kind for _, _, kind in kept]}
    return {**node, "content": {**state, "content": content, "key_types": kinds}}


def _safe(name: str, value: Node) -> Node:
    """Return an attribute as it may be restored, where its name means something to a machine."""
    if name == "memory" and value.get("content") != "null":
        raise DamageError("wants to keep a cache in a folder of its own choice ('memory')")
    if name == "input" and value.get("content") != '"content"':
        raise DamageError("wants to open the files that a table names ('input')")
    return NULL if name == "n_jobs" and not _few_jobs(value) else value


def _few_jobs(value: Node) -> bool:
    """Tell whether a number of jobs suits this machine; another one is not restored."""
    number = json.loads(value["content"]) if value.get("__loader__") == "JsonNode" else None
    return type(number) is int and -1 <= number <= (os.cpu_count() or 1)


def loads_again(raw: bytes) -> bool:
    """Tell whether the sizes in an archive are those that a file may have.

    Parameters
    ----------
    raw : bytes
        The whole file.

    Returns
    -------
    bool
        False of one that is packed too tightly: it would look like a trap.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            _check_sizes(archive, len(raw))
            _files(archive, json.loads(archive.read(SCHEMA)), len(raw))
    except DamageError:
        return False
    return True


def described(path: str | Path) -> bytes:
    """Return the schema of a skops file, or b"" of any other; nothing is built.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    bytes
    """
    try:
        with _opened(path) as archive:
            return _read(archive, SCHEMA)
    except OSError:
        raise
    except Exception:  # whatever a forged archive can provoke means the same
        return b""


def refusal(path: str | Path, what: object) -> ModelFileError:
    """Return the error that says of a file what is wrong with it, on one line."""
    return ModelFileError(f"{path}: {' '.join(visible(str(what)).split())}.")
