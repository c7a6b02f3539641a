/** Dtypes, symbolic dimensions, shapes and what else operations and graphs speak of. */
package dev.remat.ir;
