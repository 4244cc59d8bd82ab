"""Practice routers: an IOS that speaks SSH, written from docs/reference/ios-facts.md and nothing else of this project."""
