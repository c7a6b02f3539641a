/** How long kernels take on the device at hand, and how fast it is. */
package dev.remat.runtime.profile;
