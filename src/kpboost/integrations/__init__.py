"""Plug-ins for other packages; each module needs the package that it plugs into.

Nothing is imported here: :mod:`kpboost.integrations.onnx` needs skl2onnx, and
:mod:`kpboost.integrations.skore_check` is for skore.
"""
