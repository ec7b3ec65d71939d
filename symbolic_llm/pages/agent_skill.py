"""The skill for agents, under the address at which they look for skills

The index has the form of Agent Skills Discovery 0.2: each skill with its description, address and digest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import yaml

_SKILL = Path(__file__).parent / "templates" / "SKILL.md"
_PLACE = ".well-known/agent-skills"


def files() -> Iterator[tuple[str, str]]:
    """Paths and texts of the index and of the skill."""
    text = _SKILL.read_text(encoding="utf-8")
    said = yaml.safe_load(text.split("---")[1])
    path = f"{said['name']}/SKILL.md"
    skill = {
        "name": said["name"],
        "type": "skill-md",
        "description": said["description"],
        "url": path,  # beside the index, wherever the site stands
        "digest": f"sha256:{sha256(text.encode()).hexdigest()}",
    }
    index = {"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [skill]}
    yield f"{_PLACE}/index.json", json.dumps(index, indent=2, ensure_ascii=False) + "\n"
    yield f"{_PLACE}/{path}", text
