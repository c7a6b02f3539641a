/** Ranks that are processes: what moves bytes between them, and how each learns that another is gone. */
package dev.remat.runtime.process;
