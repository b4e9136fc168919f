"""Tasks on other machines, by Dask: a task is plain data, what comes back is text, and nobody trusts it."""
