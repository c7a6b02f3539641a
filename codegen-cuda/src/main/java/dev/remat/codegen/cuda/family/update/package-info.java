/** Optimizers' updates of parameters, several in one launch. */
package dev.remat.codegen.cuda.family.update;
