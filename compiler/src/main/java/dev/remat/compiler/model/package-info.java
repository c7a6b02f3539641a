/** A model with its settings as a value: where it comes from, what was set, and whatever is asked of it. */
package dev.remat.compiler.model;
