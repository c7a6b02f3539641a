/** One result an element, from the elements at its place. */
package dev.remat.codegen.cuda.family.elementwise;
