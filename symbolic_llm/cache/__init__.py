"""The user's cache: what was found or printed before, in one folder, each kind in a store of its own

| store | kept in it | stale when |
|---|---|---|
| `findings` | findings and reports of checks | a source of the checker, of the engine or of the presets changes, or a library that decides; of one formula: what it says, or what it is built on |
| `engine` | polynomials of ledger entries, answers of the engine | a source of the engine or of what asks it changes, NumPy or Python |
| `pages` | pieces of pages that take long to draw | any source of the package changes |
| `hub` | sums over the headers of tensor files, by repository and commit | never: a commit stays as it is |
| `answers` | printed answers, formulas and solutions, which need no SymPy | any source or table of the package changes, or SymPy |

A store is named by the digest of all that it depends on, so what is stale is not found: nothing is ever compared by
its age. In an installed package the answers are there from the build (`answers.BUILT`).
"""  # noqa: E501 - a row of a table is a line

from .store import Rows, Store, digest, folder, opened

__all__ = ["Rows", "Store", "digest", "folder", "opened"]
