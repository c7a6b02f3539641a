/** What nodes are together: layers that own weights, activations, attention. */
package dev.remat.compiler.onnx.pattern;
