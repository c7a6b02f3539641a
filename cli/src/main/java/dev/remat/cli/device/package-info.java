/** What plans run on. */
package dev.remat.cli.device;
