/** Parts of a step that take turns in one arena: what is counted beforehand, a micro-batch, the updates. */
package dev.remat.compiler.section;
