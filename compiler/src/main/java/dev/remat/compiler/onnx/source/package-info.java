/** From a file of ONNX to the text of a model. */
package dev.remat.compiler.onnx.source;
