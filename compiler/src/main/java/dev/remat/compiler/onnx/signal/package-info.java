/** Operators that take signals for what they are made of. */
package dev.remat.compiler.onnx.signal;
