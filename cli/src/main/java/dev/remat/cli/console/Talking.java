package dev.remat.cli.console;

/** What has a console to talk to, as the root command has. */
public interface Talking {
    Console console();
}
