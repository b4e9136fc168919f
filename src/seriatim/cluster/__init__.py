"""Tasks on other machines, by Dask: a task is plain data; its answer is text, which is not trusted."""
