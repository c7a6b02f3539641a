/** What a rule for an operator of ONNX is, and what it sees of the node that it writes. */
package dev.remat.compiler.onnx.rule;
