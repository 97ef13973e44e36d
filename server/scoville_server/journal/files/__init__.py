"""The files of a data folder: generations, locks, and checks of what is open."""
