"""Nodes and constants of an ONNX graph, one call each.

skl2onnx has operators as Python objects too, but walks through what they share once for every
use; a recursion over ten rounds then takes minutes to write down.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import helper, numpy_helper

# Name of a value in the graph, or an array that becomes a constant of it.
Value = str | NDArray[Any]


class Graph:
    """A graph under construction.

    Parameters
    ----------
    scope, container : object
        As skl2onnx hands them to a converter.
    """

    def __init__(self, scope: Any, container: Any) -> None:
        self._scope, self._container = scope, container

    def node(
        self,
        kind: str,
        *inputs: Value,
        attributes: Mapping[str, int] | None = None,
        output: str | None = None,
    ) -> str:
        """Add a node.

        Parameters
        ----------
        kind : str
            Name of the ONNX operator.
        *inputs : str or ndarray
            Names of its inputs; arrays become constants.
        attributes : mapping, optional
            The operator's attributes.
        output : str, optional
            Name of the result; a new one by default.

        Returns
        -------
        str
            Name of the result.
        """
        name = output or self._scope.get_unique_variable_name(f"kpboost_{kind.lower()}")
        self._container.add_node(
            kind,
            [each if isinstance(each, str) else self._constant(each) for each in inputs],
            name,
            name=self._scope.get_unique_operator_name(kind),
            **dict(attributes or {}),
        )
        return name

    def _constant(self, values: NDArray[Any]) -> str:
        name: str = self._scope.get_unique_variable_name("kpboost_constant")
        number = helper.np_dtype_to_tensor_dtype(values.dtype)
        if values.dtype.kind in "UO":
            content: Any = [str(value).encode() for value in values.ravel()]
        else:
            content = numpy_helper.from_array(np.ascontiguousarray(values).reshape(values.shape))
        self._container.add_initializer(name, number, list(values.shape), content)
        return name
