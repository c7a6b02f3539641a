/** The pipeline from model to execution plan. */
package dev.remat.compiler;
