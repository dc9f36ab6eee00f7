"""The agent log: what agents did, call by call."""
