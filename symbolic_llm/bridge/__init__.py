"""The bridge: the only place that meets the engine"""
