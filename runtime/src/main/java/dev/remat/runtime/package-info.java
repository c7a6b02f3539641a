/** Execution plans, ready to run. */
package dev.remat.runtime;
