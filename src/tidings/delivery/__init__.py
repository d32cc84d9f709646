"""What is kept so that nothing goes missing or comes twice: soft state, duplicates, the record log."""
