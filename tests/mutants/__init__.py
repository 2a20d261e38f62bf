"""The power of the tests: small faults are made in a copy of the product, and the tests should notice them."""
