/** Memory below the device, as options say it. */
package dev.remat.cli.option.tier;
