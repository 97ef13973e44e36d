"""Line mode: the same session as lines of text, for screen readers, pipes and small terminals."""
