"""Formulas as pages: Markdown with HTML and MathML, independent of any site generator"""
