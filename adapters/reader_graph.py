"""The readers as ONNX graphs: a transformer encoder with two heads, matrices in 8 bits.

A reader takes a question and a passage as one run of word pieces. Its first output is
the log-odds that the passage answers, from the first piece and the mean of all; its
second has a value for each piece: how likely the answering sentence starts there.

A matrix is stored in 8 bits with one scale for every `BLOCK` inputs of each output, and
the runtime rounds activations in the same blocks (`MatMulNBits` of onnxruntime). That
holds on processors with and without VNNI; signed 8-bit products of its dynamic
quantisation saturate without it (cosine to the fp32 model below .3, tried on an
emulated one).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from engine.model.ports import Floats

LONGEST = 512  # word pieces of a run
BLOCK = 128  # inputs of a matrix that share a scale
_CONTRIBUTED = {"MatMulNBits", "MultiHeadAttention"}

Weights = Callable[[str], Floats]


@dataclass(frozen=True, slots=True)
class Architecture:
    """An encoder's shape and the names of its tensors.

    `query`, `key`, `value` and `mixed` are the linear layers of attention within a
    layer, `attended` its normalisation. `first` is the row of the position table at
    which places begin. `relative` names the table of biases by distance, `types` the
    table of segment vectors; an encoder has one of them.
    """

    layers: int
    heads: int
    width: int
    epsilon: float
    first: int
    query: str
    key: str
    value: str
    mixed: str
    attended: str
    relative: str | None = None
    types: str | None = None


MPNET = Architecture(
    layers=12,
    heads=12,
    width=768,
    epsilon=1e-5,
    first=2,  # rows 0 and 1 stand for padding
    query="attention.attn.q",
    key="attention.attn.k",
    value="attention.attn.v",
    mixed="attention.attn.o",
    attended="attention.LayerNorm",
    relative="encoder.relative_attention_bias",
)
MINILM = Architecture(
    layers=6,
    heads=12,
    width=384,
    epsilon=1e-12,
    first=0,
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    mixed="attention.output.dense",
    attended="attention.output.LayerNorm",
    types="embeddings.token_type_embeddings",
)


class _Graph:
    """Nodes and constants, in the order in which they were added."""

    def __init__(self, of: Architecture, weights: Weights) -> None:
        self.of = of
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, array: NDArray[np.generic]) -> str:
        """Add a constant and return its name."""
        name = f"constant{len(self.constants)}"
        tensor = numpy_helper.from_array(np.asarray(array, order="C"), name)
        self.constants.append(tensor)
        return name

    def integer(self, value: int | list[int]) -> str:
        """Add a constant of type int64 and return its name."""
        return self.constant(np.array(value, dtype=np.int64))

    def add(
        self, kind: str, *inputs: str, output: str = "", **attributes: int | float
    ) -> str:
        """Add a node with one output and return the output's name."""
        output = output or f"{kind}{len(self.nodes)}"
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
        """Add `inputs` times the transposed matrix plus `bias`, in 8 bits."""
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
        """Add the linear layer with the name `name` in the weights."""
        matrix, bias = self.weights(f"{name}.weight"), self.weights(f"{name}.bias")
        return self.linear(inputs, matrix, bias)

    def exact(self, inputs: str, name: str) -> str:
        """Add the linear layer `name` in fp32, for a head, which has few weights."""
        matrix = self.constant(self.weights(f"{name}.weight").T)
        product = self.add("MatMul", inputs, matrix)
        return self.add("Add", product, self.constant(self.weights(f"{name}.bias")))

    def normal(self, inputs: str, name: str) -> str:
        """Add the layer normalisation with the name `name` in the weights."""
        scale = self.constant(self.weights(f"{name}.weight"))
        bias = self.constant(self.weights(f"{name}.bias"))
        return self.add(
            "LayerNormalization",
            inputs,
            scale,
            bias,
            axis=-1,
            epsilon=self.of.epsilon,
        )


def make_reader(
    of: Architecture, weights: Weights, layer_done: Callable[[], None]
) -> bytes:
    """Serialise a reader: `input_ids` (1, n) to `log_odds` (1, 1), `starts` (1, n).

    One with segment vectors takes `token_type_ids` (1, n) as well. A run has one pair,
    so nothing is padded and no score depends on other pairs.

    Args:
        of: the encoder's shape.
        weights: look a tensor up by its name; the encoder's names begin with `enc.`,
            the heads are `out` and `start`.
        layer_done: called after each layer.
    """
    graph = _Graph(of, weights)
    length = graph.add("Gather", graph.add("Shape", "input_ids"), graph.integer(1))
    steps = graph.add("Range", graph.integer(0), length, graph.integer(1))
    bias = _add_distance_bias(graph, steps) if of.relative else ""
    hidden = _add_embedding(graph, steps)
    for layer in range(of.layers):
        hidden = _add_layer(graph, f"enc.encoder.layer.{layer}", hidden, bias)
        layer_done()
    _add_heads(graph, hidden)
    return _make_model(graph)


def find_buckets(distances: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the row of MPNet's bias table for each distance (key minus query position).

    Distances below 8 have a row each; up to 128 eight rows share the rest, each sqrt(2)
    as wide as the one before. Rows 16 to 31 are for keys after the query.
    """
    far = np.abs(distances)
    # 2 * log2(far / 8), rounded down, without a logarithm's rounding error.
    wide = np.array([(step * step // 64).bit_length() - 1 for step in far.tolist()])
    rows = np.where(far < 8, far, np.minimum(8 + wide, 15))
    return np.asarray(rows + 16 * (distances > 0), dtype=np.int64)


def _add_distance_bias(graph: _Graph, steps: str) -> str:
    """Add the bias of the distance for each head, query and key."""
    table = graph.weights(f"enc.{graph.of.relative}.weight")
    distances = np.arange(1 - LONGEST, LONGEST)
    by_distance = graph.constant(table[find_buckets(distances)].T)
    keys = graph.add("Unsqueeze", steps, graph.integer([0]))
    queries = graph.add("Unsqueeze", steps, graph.integer([1]))
    column = graph.add(
        "Add", graph.add("Sub", keys, queries), graph.integer(LONGEST - 1)
    )
    relative = graph.add("Gather", by_distance, column, axis=1)
    return graph.add("Unsqueeze", relative, graph.integer([0]))


def _add_embedding(graph: _Graph, steps: str) -> str:
    """Add word, place and segment vectors; those of words in 8 bits, a scale a word."""
    table = graph.weights("enc.embeddings.word_embeddings.weight")
    scales = np.abs(table).max(axis=1, keepdims=True) / np.float32(127)
    scales[scales == 0] = 1  # the padding word's row is zero
    levels = graph.constant(np.rint(table / scales).astype(np.int8))
    found = graph.add("Gather", levels, "input_ids")
    summed = graph.add(
        "Mul",
        graph.add("Cast", found, to=TensorProto.FLOAT),
        graph.add("Gather", graph.constant(scales), "input_ids"),
    )
    places = graph.weights("enc.embeddings.position_embeddings.weight")
    place = graph.add("Gather", graph.constant(places[graph.of.first :]), steps)
    summed = graph.add("Add", summed, place)
    if graph.of.types:
        segments = graph.constant(graph.weights(f"enc.{graph.of.types}.weight"))
        summed = graph.add(
            "Add", summed, graph.add("Gather", segments, "token_type_ids")
        )
    return graph.normal(summed, "enc.embeddings.LayerNorm")


def _add_layer(graph: _Graph, name: str, hidden: str, bias: str) -> str:
    """Add attention and the two feed-forward matrices, each with its residual."""
    of = graph.of
    roles = (of.query, of.key, of.value)
    joined = [
        np.concatenate([graph.weights(f"{name}.{role}.{kind}") for role in roles])
        for kind in ("weight", "bias")
    ]
    query, key, value = graph.split(graph.linear(hidden, *joined), 3)
    placed = ("", "", bias) if bias else ()
    mixed = graph.add(
        "MultiHeadAttention", query, key, value, *placed, num_heads=of.heads
    )
    attended = graph.dense(mixed, f"{name}.{of.mixed}")
    hidden = graph.normal(graph.add("Add", attended, hidden), f"{name}.{of.attended}")
    inner = graph.add("Gelu", graph.dense(hidden, f"{name}.intermediate.dense"))
    outer = graph.dense(inner, f"{name}.output.dense")
    return graph.normal(graph.add("Add", outer, hidden), f"{name}.output.LayerNorm")


def _add_heads(graph: _Graph, hidden: str) -> None:
    """Add the two heads over the last hidden state."""
    first = graph.add("Gather", hidden, graph.integer(0), axis=1)
    mean = graph.add("ReduceMean", hidden, graph.integer([1]), keepdims=0)
    both = graph.add("Concat", first, mean, axis=-1)
    graph.add("Identity", graph.exact(both, "out"), output="log_odds")
    starts = graph.exact(hidden, "start")
    graph.add("Squeeze", starts, graph.integer([2]), output="starts")


def _make_model(graph: _Graph) -> bytes:
    batch = ["batch", "pieces"]
    inputs = ["input_ids", *(["token_type_ids"] if graph.of.types else [])]
    body = helper.make_graph(
        graph.nodes,
        "reader",
        [helper.make_tensor_value_info(i, TensorProto.INT64, batch) for i in inputs],
        [
            helper.make_tensor_value_info("log_odds", TensorProto.FLOAT, ["batch", 1]),
            helper.make_tensor_value_info("starts", TensorProto.FLOAT, batch),
        ],
        graph.constants,
    )
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(body, opset_imports=opsets, ir_version=9)
    return bytes(model.SerializeToString(deterministic=True))
