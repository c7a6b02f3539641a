/** Ranks that train one model together, and what moves bytes between them. */
package dev.remat.runtime.ranks;
