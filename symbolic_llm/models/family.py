"""A family: what one `model_type` of a config.json means"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import listed, shown
from .builder import Builder
from .config import Fields
from .repeated_keys import refuse_contradictions
from .stored_formats import stored

_HEADS = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
# Of a model that also sees or hears: what leads there is not of its text part, whatever its shapes.
_BESIDE_TEXT = frozenset(
    {
        "audio", "image", "mm", "multimodal", "patch", "projection", "projector", "spatial", "video", "vision",
        "visual",
    }
)  # fmt: skip
_OF_WHOLE = frozenset({"architectures", "auto_map", "model_type", "text_config"})


@dataclass(frozen=True)
class Family:
    """A family of models: the meaning of one `model_type`.

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
        """Arguments of `Model` that a config gives; `InvalidModel` says why it gives none."""
        return self.described(self.made(fields), fields)

    def made(self, fields: Fields) -> Builder:
        """The shapes and parts of the model."""
        _refuse_other_code(fields, self.model_type, (self.architecture, *self.also))
        made = self.read(fields)
        refuse_contradictions(fields, made)
        fields.refuse_unread(self.model_type, self.ignored)
        return made

    def described(self, made: Builder, fields: Fields) -> dict[str, Any]:
        """The arguments of `Model` for what was made of the fields of a config, or of its text part."""
        return {
            "stored": stored(fields, made.fields, made.parts),
            "family": self.model_type,
            "letters": made.letters,
            "parts": tuple(made.parts),
            "context_limit": made.context_limit,
        }


@dataclass(frozen=True)
class Wrapper:
    """A `model_type` that adds vision or audio to a text decoder; only the text decoder is counted.

    Attributes:
        model_type: as config.json has it.
        architecture: the class of transformers that wraps the text part.
        texts: the families that its `text_config` may be of; the first is meant where that does not say.
        defaults: fields of the text part that transformers has for absent ones, where the family has none.
        tied: whether the embedding is the output matrix too, where neither the wrapper nor the text part says.
        ties: whether it is the wrapper that holds the output matrix, so that what it says of that goes first.
        also: other architectures with the same text part.
        ignored: keys beside the text part whose names speak of shapes, and that change none of it.
        flat: whether older files have the fields of the text part beside those of what sees; the matrices are then one
            if either place says so.
    """

    model_type: str
    architecture: str
    texts: tuple[Family, ...]
    defaults: Mapping[str, Any] = field(default_factory=dict, hash=False)
    tied: bool = False
    ties: bool = True
    also: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()
    flat: bool = False

    def build(self, fields: Fields) -> dict[str, Any]:
        """Arguments of `Model` for the text part of a config; `InvalidModel` says why there are none."""
        _refuse_other_code(fields, self.model_type, (self.architecture, *self.also))
        beside = fields.named(_BESIDE_TEXT)
        given = {"model_type": self.texts[0].model_type, **self.defaults}
        is_flat = self.flat and fields.free("text_config") is None
        text = fields.without(beside | _OF_WHOLE, given) if is_flat else fields.inner("text_config", given)
        said = text.flag("tie_word_embeddings", self.tied, null=self.tied)
        own = fields.flag("tie_word_embeddings", said) or (self.flat and said)
        text.put("tie_word_embeddings", own if self.ties else said)
        kind = text.word("model_type")
        family = next((one for one in self.texts if one.model_type == kind), None)
        if family is None:
            known = listed([one.model_type for one in self.texts])
            raise fields.wrong(f"text_config must be of {known} in a {self.model_type}, not of '{shown(kind)}'")
        made = family.made(text)
        refuse_contradictions(fields, made, "text_config")
        if not is_flat:  # of which each field was one of the text part
            fields.refuse_unread(self.model_type, beside | self.ignored)
        return {**family.described(made, fields), "family": self.model_type, "is_text_part": True}


@dataclass(frozen=True)
class Refused:
    """A known `model_type` that is refused, since no formula counts something in it and the rest alone is a guess.

    Attributes:
        model_type: as config.json has it.
        why: what no formula counts, as the end of a sentence.
    """

    model_type: str
    why: str

    def build(self, fields: Fields) -> dict[str, Any]:
        """Raise `InvalidModel`, always."""
        raise fields.wrong(f"model_type '{self.model_type}' is not supported, because {self.why}")


def _refuse_other_code(fields: Fields, model_type: str, known: tuple[str, ...]) -> None:
    """Refuse a model that is not causal, or that another class runs: it may have other weights in the same shapes."""
    if not fields.flag("is_causal", True):
        raise fields.wrong("is_causal is false, and only causal models, which generate tokens, are supported")
    for name in fields.items("architectures", str) or ():
        if name not in known:
            raise fields.wrong(
                f"architectures has {shown(name)}; for {model_type}, {listed(known)} "
                f"{'is' if len(known) == 1 else 'are'} supported"
            )
    for kind, code in fields.table("auto_map").items():
        name = code.rpartition(".")[2] if isinstance(code, str) else ""
        if str(kind).startswith("AutoModel") and not _is_native(name, known):
            raise fields.wrong(f"auto_map names {shown(name)}, custom code that this package does not know")


def _is_native(name: str, known: tuple[str, ...]) -> bool:
    """Whether transformers has a class of that name for this family.

    Many configs still name such a class as code of their own, from before transformers had it.
    """
    stems = [one.removesuffix(head) for one in known for head in _HEADS if one.endswith(head)]
    heads = ("Model", "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering")
    return name in (*known, *(stem + head for stem in stems for head in heads))
