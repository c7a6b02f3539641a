/** Finds what a model file declares and nothing reads. */
package dev.remat.compiler.unread;
