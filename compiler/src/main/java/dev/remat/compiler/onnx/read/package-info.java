/** ONNX files as they lie on a disk: the wire, the messages, and what is wrong with a file before it is understood. */
package dev.remat.compiler.onnx.read;
