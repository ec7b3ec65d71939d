"""Formulas over arrays: compiled functions, grids of cells, large arrays in chunks, loops of machine code"""
