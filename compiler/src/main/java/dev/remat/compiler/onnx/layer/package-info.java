/** Nodes that patterns have put together, as layers that own their weights. */
package dev.remat.compiler.onnx.layer;
