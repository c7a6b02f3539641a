/** Operators of ONNX as statements of the language: one row each, in tables by what they are about. */
package dev.remat.compiler.onnx.operator;
