"""What an audit found, beside what had been predicted: compared, drawn, and written for people and for programs."""
