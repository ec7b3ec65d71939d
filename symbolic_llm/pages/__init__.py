"""The site as Markdown and assets, written before any site generator runs"""
