/** Native libraries: where they are unpacked, why nobody else can have written them, and how they are loaded. */
package dev.remat.ir.natives;
