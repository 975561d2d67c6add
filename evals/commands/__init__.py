"""What a maintainer can run, one verb a file; `evals/__main__.py` names them."""
