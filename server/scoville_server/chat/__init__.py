"""What people say to each other: where it is kept, who may say it, and who does not want to hear it. Pure."""
