"""The views: translate, call one service or one reading, translate back. No view writes a row."""
