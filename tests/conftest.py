"""Settings of the property tests: `dev` looks at new examples every time, `ci` at the same ones."""

import os

from hypothesis import settings

# No deadline in either: a shared machine is sometimes slow, and a slow example is no counterexample.
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("ci" if os.environ.get("CI") else "dev")
