"""The notebook side: the magics, their completion, and the control panel."""
