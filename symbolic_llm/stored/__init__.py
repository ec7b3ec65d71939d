"""What is stored of the catalogue, so that questions are answered without SymPy"""
