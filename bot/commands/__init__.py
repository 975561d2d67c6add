"""One module a verb, imported when the verb is used."""
