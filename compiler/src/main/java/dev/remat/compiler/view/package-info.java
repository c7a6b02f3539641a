/** A finished plan as viewers see it: what is in memory when, why, and at what price; nothing of how it is shown. */
package dev.remat.compiler.view;
