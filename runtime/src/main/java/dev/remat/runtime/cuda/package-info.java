/** Running on an NVIDIA GPU through the driver API. */
package dev.remat.runtime.cuda;
