"""A simulation study of the gate's own error rates, through the product's own code."""
