"""Why a verdict holds, as data."""
