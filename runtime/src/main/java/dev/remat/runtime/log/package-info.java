/** What a run measures step by step, for plots: as CSV and as TensorBoard's event files. */
package dev.remat.runtime.log;
