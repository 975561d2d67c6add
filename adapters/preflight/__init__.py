"""Evidence from repositories, by place, without a model and without a shell."""
