/**
 * Pages for browsers: one file each, which needs neither a network nor a server. What a page shows is data that comes
 * with it; how it shows that are scripts of its own and kept libraries, all in the file.
 */
package dev.remat.cli.page;
