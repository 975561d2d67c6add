"""The encoder of MPNet as an ONNX graph with 8-bit matrices.

A matrix is stored in 8 bits with one scale for every 64 inputs of each output, and the
runtime rounds activations in the same blocks (`MatMulNBits` of onnxruntime). Its
dynamic quantisation, one scale for all activations of a run, is less exact (mean cosine
to the fp32 model .992, here .9996), and with signed weights it overflows on processors
without VNNI (cosine below .3, tried on an emulated one).
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from engine.ports import Floats

LAYERS = 12
HEADS = 12
WIDTH = 768
LONGEST = 512  # word pieces of a run, the two special ones included
BLOCK = 64  # inputs of a matrix that share a scale
EPSILON = 1e-5
FIRST_POSITION = 2  # rows 0 and 1 of the position table stand for padding
MASKED = -1e4  # added to the attention score of a masked piece
_CONTRIBUTED = {"MatMulNBits", "MultiHeadAttention"}

Weights = Callable[[str], Floats]


class _Graph:
    """Nodes and constants, in the order in which they were added."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, array: NDArray[np.generic]) -> str:
        """Add a constant and return its name."""
        name = f"constant{len(self.constants)}"
        tensor = numpy_helper.from_array(np.ascontiguousarray(array), name)
        self.constants.append(tensor)
        return name

    def integer(self, value: int | list[int]) -> str:
        """Add a constant of type int64 and return its name."""
        return self.constant(np.array(value, dtype=np.int64))

    def add(self, kind: str, *inputs: str, **attributes: int | float) -> str:
        """Add a node with one output and return the output's name."""
        output = f"{kind}{len(self.nodes)}"
        self._node(kind, inputs, [output], attributes)
        return output

    def split(self, joined: str, ways: int) -> list[str]:
        """Cut the last axis into equal parts and return their names."""
        outputs = [f"Split{len(self.nodes)}.{way}" for way in range(ways)]
        self._node("Split", [joined], outputs, {"axis": -1, "num_outputs": ways})
        return outputs

    def _node(
        self,
        kind: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        attributes: Mapping[str, int | float],
    ) -> None:
        domain = "com.microsoft" if kind in _CONTRIBUTED else ""
        node = helper.make_node(kind, inputs, outputs, domain=domain, **attributes)
        self.nodes.append(node)

    def linear(self, inputs: str, matrix: Floats, bias: Floats) -> str:
        """`inputs` times the transposed matrix plus `bias`, in 8 bits."""
        outputs, width = matrix.shape
        blocks = matrix.reshape(outputs, width // BLOCK, BLOCK)
        scales = np.abs(blocks).max(axis=-1) / np.float32(127)
        levels = np.rint(blocks / scales[..., None]) + 128
        return self.add(
            "MatMulNBits",
            inputs,
            self.constant(levels.astype(np.uint8)),
            self.constant(scales),
            "",  # zero points: 128 where there are none
            "",  # order of the inputs: as they stand
            self.constant(bias),
            K=width,
            N=outputs,
            bits=8,
            block_size=BLOCK,
            accuracy_level=4,  # activations in 8 bits too
        )

    def dense(self, inputs: str, name: str) -> str:
        """The linear layer that the weights call `name`."""
        matrix, bias = self.weights(f"{name}.weight"), self.weights(f"{name}.bias")
        return self.linear(inputs, matrix, bias)

    def normal(self, inputs: str, name: str) -> str:
        """The layer normalisation that the weights call `name`."""
        scale = self.constant(self.weights(f"{name}.weight"))
        bias = self.constant(self.weights(f"{name}.bias"))
        return self.add(
            "LayerNormalization", inputs, scale, bias, axis=-1, epsilon=EPSILON
        )


def encoder(weights: Weights, layer_done: Callable[[], None]) -> bytes:
    """The serialised model: `input_ids` and `attention_mask` to the last hidden state.

    Args:
        weights: a tensor of the published model by its name there.
        layer_done: called after each of the `LAYERS` layers.
    """
    graph = _Graph(weights)
    length = graph.add("Gather", graph.add("Shape", "input_ids"), graph.integer(1))
    steps = graph.add("Range", graph.integer(0), length, graph.integer(1))
    bias = _attention_bias(graph, steps)
    hidden = _embedding(graph, steps)
    for layer in range(LAYERS):
        hidden = _layer(graph, f"encoder.layer.{layer}", hidden, bias)
        layer_done()
    return _model(graph, hidden)


def buckets(distances: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row of the bias table for each distance (key minus query position).

    Distances below 8 have a row each; up to 128 eight rows share the rest, each sqrt(2)
    as wide as the one before. Rows 16 to 31 are for keys after the query.
    """
    far = np.abs(distances)
    # 2 * log2(far / 8), rounded down, without a logarithm's rounding error.
    wide = np.array([(step * step // 64).bit_length() - 1 for step in far.tolist()])
    rows = np.where(far < 8, far, np.minimum(8 + wide, 15))
    return np.asarray(rows + 16 * (distances > 0), dtype=np.int64)


def _attention_bias(graph: _Graph, steps: str) -> str:
    """Of each head, query and key: the bias of their distance, and of the mask."""
    table = graph.weights("encoder.relative_attention_bias.weight")
    distances = np.arange(1 - LONGEST, LONGEST)
    by_distance = graph.constant(table[buckets(distances)].T)
    keys = graph.add("Unsqueeze", steps, graph.integer([0]))
    queries = graph.add("Unsqueeze", steps, graph.integer([1]))
    column = graph.add(
        "Add", graph.add("Sub", keys, queries), graph.integer(LONGEST - 1)
    )
    relative = graph.add("Gather", by_distance, column, axis=1)
    mask = graph.add("Unsqueeze", "attention_mask", graph.integer([1, 2]))
    absent = graph.add("Sub", graph.integer(1), mask)
    hidden = graph.add("Cast", absent, to=TensorProto.FLOAT)
    masked = graph.add(
        "Mul", hidden, graph.constant(np.array(MASKED, dtype=np.float32))
    )
    return graph.add("Add", relative, masked)


def _embedding(graph: _Graph, steps: str) -> str:
    """Word and position vectors; those of words in 8 bits, with a scale a word."""
    table = graph.weights("embeddings.word_embeddings.weight")
    scales = np.abs(table).max(axis=1, keepdims=True) / np.float32(127)
    scales[scales == 0] = 1  # the padding word's row is zero
    levels = graph.constant(np.rint(table / scales).astype(np.int8))
    found = graph.add("Gather", levels, "input_ids")
    word = graph.add(
        "Mul",
        graph.add("Cast", found, to=TensorProto.FLOAT),
        graph.add("Gather", graph.constant(scales), "input_ids"),
    )
    places = graph.weights("embeddings.position_embeddings.weight")[FIRST_POSITION:]
    place = graph.add("Gather", graph.constant(places), steps)
    return graph.normal(graph.add("Add", word, place), "embeddings.LayerNorm")


def _layer(graph: _Graph, name: str, hidden: str, bias: str) -> str:
    """Attention and the two feed-forward matrices, each with its residual."""
    attention = f"{name}.attention.attn"
    joined = [
        np.concatenate([graph.weights(f"{attention}.{role}.{kind}") for role in "qkv"])
        for kind in ("weight", "bias")
    ]
    query, key, value = graph.split(graph.linear(hidden, *joined), 3)
    mixed = graph.add(
        "MultiHeadAttention", query, key, value, "", "", bias, num_heads=HEADS
    )
    attended = graph.dense(mixed, f"{attention}.o")
    hidden = graph.normal(
        graph.add("Add", attended, hidden), f"{name}.attention.LayerNorm"
    )
    inner = graph.add("Gelu", graph.dense(hidden, f"{name}.intermediate.dense"))
    outer = graph.dense(inner, f"{name}.output.dense")
    return graph.normal(graph.add("Add", outer, hidden), f"{name}.output.LayerNorm")


def _model(graph: _Graph, hidden: str) -> bytes:
    batch = ["batch", "pieces"]
    body = helper.make_graph(
        graph.nodes,
        "mpnet",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, batch)
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info(hidden, TensorProto.FLOAT, [*batch, WIDTH])],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(body, opset_imports=opsets, ir_version=9)
    return bytes(model.SerializeToString(deterministic=True))
