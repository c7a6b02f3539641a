/** The operations of the IR: one record per op family. */
package dev.remat.ir.op;
