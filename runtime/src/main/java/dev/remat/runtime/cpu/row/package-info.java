/** What takes a row at a time: softmax and cross entropy. */
package dev.remat.runtime.cpu.row;
