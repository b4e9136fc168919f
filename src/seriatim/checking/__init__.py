"""The trusted checker: re-establishes every verdict from the input and its certificate alone."""
