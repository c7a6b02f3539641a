/** How the {@code remat} command starts. */
package dev.remat.cli;
