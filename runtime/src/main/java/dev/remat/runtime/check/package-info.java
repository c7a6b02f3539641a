/** Whether a plan keeps its promises: the bits of any other plan, and gradients that are right. */
package dev.remat.runtime.check;
