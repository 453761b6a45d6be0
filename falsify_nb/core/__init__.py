"""The numeric core: numpy and scipy only, nothing that shows or reads anything."""
