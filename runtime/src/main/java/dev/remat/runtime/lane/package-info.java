/** Copies between an arena and places below it, in lanes beside the kernels. */
package dev.remat.runtime.lane;
