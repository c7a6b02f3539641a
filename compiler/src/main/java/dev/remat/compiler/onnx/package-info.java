/** Forward graphs as ONNX: the same computation in the operators of that format. */
package dev.remat.compiler.onnx;
