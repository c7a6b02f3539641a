/** Runs that stop and go on: a run's folder, who may write to it, and what is in it. */
package dev.remat.runtime.checkpoint;
