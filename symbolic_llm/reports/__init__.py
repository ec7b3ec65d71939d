"""Reports: the figures of several formulas at once"""
