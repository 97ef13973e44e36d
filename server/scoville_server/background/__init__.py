"""Work beside requests: tasks, worker threads, retries and timers."""
