"""Providers: one streaming client for OpenAI-compatible servers, and the Rehearsal model."""
