/** Dtypes, symbolic dimensions, shapes and the immutable SSA graph. */
package dev.remat.ir;
