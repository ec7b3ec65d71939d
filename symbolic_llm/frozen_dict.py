"""A dictionary that stays as it is: what is kept for later answers can be handed out with one of them"""

from __future__ import annotations

from typing import Any, NoReturn


class Fixed(dict[Any, Any]):
    """A dictionary that refuses to be changed; `|` and `dict` make one that can be."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this dictionary is shared between answers and cannot be changed; dict() makes a copy.")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[Fixed], tuple[dict[Any, Any]]]:
        return Fixed, (dict(self),)


def fix(one: object) -> None:
    """Keep the dictionaries that are fields of a frozen dataclass as they are now."""
    for name, value in [*vars(one).items()]:
        if isinstance(value, dict):
            object.__setattr__(one, name, Fixed(value))
