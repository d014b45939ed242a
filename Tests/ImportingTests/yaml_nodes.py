"""Prints the nodes of YAML documents, a line for each file of the arguments: P for a plain scalar, Q for any other, with its bytes."""
import sys
import yaml


def written(node):
    if isinstance(node, yaml.ScalarNode):
        kind = "P" if node.style is None and node.tag != "!" else "Q"
        return kind + "[" + ",".join(str(byte) for byte in node.value.encode()) + "]"
    if isinstance(node, yaml.SequenceNode):
        return "[" + ",".join(written(item) for item in node.value) + "]"
    return "{" + ",".join(written(key) + ":" + written(value) for key, value in node.value) + "}"


for path in sys.argv[1:]:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            node = yaml.compose(file.read())
        print("P[]" if node is None else written(node))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        print("error: " + " ".join(str(error).split()))
