/** What commands tell, as text and as JSON. */
package dev.remat.cli.report;
