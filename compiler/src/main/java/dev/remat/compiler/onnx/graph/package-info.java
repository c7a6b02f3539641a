/** Graphs of ONNX that are in order: functions inlined, nodes sorted, every value made once. */
package dev.remat.compiler.onnx.graph;
