"""Users of doors: keys and codes by which they return, codes for the browser, and settings that the server keeps."""
