"""The HTTP API: translate, call one service or selector, translate back."""
