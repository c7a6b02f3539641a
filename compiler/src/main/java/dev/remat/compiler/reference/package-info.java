/** What the language knows by itself, for those who look it up: functions, settings, words. */
package dev.remat.compiler.reference;
