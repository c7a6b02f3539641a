/** Continuing a text with a trained model. */
package dev.remat.runtime.generate;
