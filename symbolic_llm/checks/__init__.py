"""The checks: each finds, for one formula, PROVED, REFUTED or UNDECIDED"""
