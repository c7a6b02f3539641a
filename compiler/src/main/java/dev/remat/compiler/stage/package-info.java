/** Runs stages: times them, writes their dumps. */
package dev.remat.compiler.stage;
