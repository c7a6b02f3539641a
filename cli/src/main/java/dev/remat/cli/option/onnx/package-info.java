/** Options that are about files of ONNX. */
package dev.remat.cli.option.onnx;
