/** What is trained, and how a training is followed to its end. */
package dev.remat.cli.train;
