/** Plans that move values to memory below the device and back, beside or instead of computing them again. */
package dev.remat.compiler.plan.transfer;
