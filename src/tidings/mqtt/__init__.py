"""What clients meet: MQTT sessions as pure machines around a broker machine, rights, retained messages, wills."""
