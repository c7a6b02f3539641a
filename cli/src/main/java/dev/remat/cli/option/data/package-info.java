/** What a command trains or evaluates on. */
package dev.remat.cli.option.data;
