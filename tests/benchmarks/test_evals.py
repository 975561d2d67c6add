"""The benchmark of evals measures what there is."""

from benchmarks import bench_evals


def test_what_is_imported_and_run_exists() -> None:
    """A module that was renamed is no figure; a run comes to the scores it should."""
    assert next(iter(bench_evals.bench_evals())).what.startswith("evals: import")
    assert bench_evals.run_of(100)["seconds"] > 0.0
