/** Models of ONNX that become models of remat: their weights, and the proof that they compute the same. */
package dev.remat.cli.onnx;
