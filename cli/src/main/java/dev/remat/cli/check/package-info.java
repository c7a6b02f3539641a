/** What {@code check} tries, and what it found. */
package dev.remat.cli.check;
