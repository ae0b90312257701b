"""Run a piece of an ONNX graph on an array."""

import numpy as np
import onnxruntime
from onnx import TensorProto, helper

from kpboost.integrations.onnx import Graph

OPSET = 18
IR_VERSION = 9


class Notebook:
    """What a graph needs of skl2onnx: new names, and lists of nodes and constants."""

    def __init__(self):
        self.nodes, self.constants, self.used = [], [], 0

    def get_unique_variable_name(self, seed):
        self.used += 1
        return f"{seed}_{self.used}"

    get_unique_operator_name = get_unique_variable_name

    def add_node(self, kind, inputs, output, name, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [output], name=name, **attributes))

    def add_initializer(self, name, number, shape, content):
        content.name = name
        self.constants.append(content)


def run_graph(build, values):
    """Result of the graph that ``build(graph, name of the input)`` makes."""
    notebook = Notebook()
    result = build(Graph(notebook, notebook), "X")
    given = helper.make_tensor_value_info("X", TensorProto.DOUBLE, values.shape)
    answer = helper.make_empty_tensor_value_info(result)
    graph = helper.make_graph(notebook.nodes, "piece", [given], [answer], notebook.constants)
    imports = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"X": np.ascontiguousarray(values)})[0]
