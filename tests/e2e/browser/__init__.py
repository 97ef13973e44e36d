"""The browser door in a real Chromium: `scripts/browser`."""
