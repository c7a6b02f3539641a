/** What brings a rank what others have computed. */
package dev.remat.runtime.cpu.exchange;
