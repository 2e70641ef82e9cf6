"""popart.ir, popxl's former name. It is not simulated: its use raises an error."""

raise ImportError("popart.ir is not simulated: it is a Python face of PopART's C++ representation. Build the model with popart.Builder, or export it to "
                  "ONNX and run it with tilescope.session.Session or tilescope-cli run")
