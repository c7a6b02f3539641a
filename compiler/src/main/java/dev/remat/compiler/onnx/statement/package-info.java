/** Statements of a model file as they are written one after another, with the types of what they compute. */
package dev.remat.compiler.onnx.statement;
