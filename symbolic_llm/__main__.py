"""`python -m symbolic_llm`"""

from .cli import main

raise SystemExit(main())
