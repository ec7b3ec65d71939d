"""A family: what one `model_type` of a config.json means"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import listed, shown
from .builder import Builder
from .config import Fields

_HEADS = ("ForCausalLM", "LMHeadModel")


@dataclass(frozen=True)
class Family:
    """What one `model_type` means.

    Attributes:
        model_type: as config.json has it.
        architecture: the class of transformers whose weights are counted.
        read: its fields, with the defaults that transformers has for absent ones, and its parts.
        ignored: keys whose names speak of shapes, and that its library does not read or that change no shape here.
        also: other architectures with the same weights.
    """

    model_type: str
    architecture: str
    read: Callable[[Fields], Builder]
    ignored: frozenset[str] = frozenset()
    also: tuple[str, ...] = ()

    def build(self, fields: Fields) -> dict[str, Any]:
        """What a config says of a model, as the arguments of `Model`."""
        self._refuse_other_code(fields)
        made = self.read(fields)
        fields.refuse_unread(self.model_type, self.ignored)
        return {
            "family": self.model_type,
            "letters": made.letters,
            "parts": tuple(made.parts),
            "context_limit": made.context_limit,
        }

    def _refuse_other_code(self, fields: Fields) -> None:
        """Refuse a model that another class runs: it may have the shapes, and other weights."""
        known = (self.architecture, *self.also)
        for name in fields.items("architectures", str) or ():
            if name not in known:
                raise fields.wrong(f"architectures has {shown(name)}; of {self.model_type}, {listed(known)} is counted")
        for kind, code in fields.table("auto_map").items():
            name = code.rpartition(".")[2] if isinstance(code, str) else ""
            if str(kind).startswith("AutoModel") and not self._is_native(name):
                raise fields.wrong(f"auto_map gives {shown(name)}, code of its own that this package does not know")

    def _is_native(self, name: str) -> bool:
        """Whether transformers has a class of that name for this family: many a config still names the code it was."""
        stem = next(self.architecture.removesuffix(head) for head in _HEADS if self.architecture.endswith(head))
        heads = ("Model", "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering")
        return name in (self.architecture, *self.also, *(stem + head for head in heads))
