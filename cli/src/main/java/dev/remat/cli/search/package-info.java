/** What is told of a search for a plan, while it runs and afterwards. */
package dev.remat.cli.search;
