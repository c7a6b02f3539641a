/** Views of a finished plan for the terminal and as JSON: values, steps, peaks, and what tells two plans apart. */
package dev.remat.cli.view;
