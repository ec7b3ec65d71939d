"""Parameters

A decoder is a stack of equal blocks between an embedding and its transpose. Every weight is an entry of a matrix, so
counting weights is multiplying shapes. The block here is the schematic one of the articles: four attention matrices,
an MLP of two matrices with a fourfold inner width, one embedding that serves as output matrix too, no biases, no
learned norms, no positional matrix.
"""
