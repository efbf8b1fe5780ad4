//! Malicious scenes.
