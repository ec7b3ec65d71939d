"""The checks: each finds, for one formula, PROVED, DEFINED, REFUTED or UNDECIDED"""
