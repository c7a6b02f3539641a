/** Messages by Gloo, the engine that PyTorch's processors use, as JavaCPP's presets of PyTorch have it. */
package dev.remat.runtime.gloo;
