/** {@code remat report}: what runs have logged, as people read it, as programs do, and as a page. */
package dev.remat.cli.runs;
